import { describe, expect, test } from 'vitest';
import { readPermit } from '../../../src/keyring/typed-data/permit.js';
import { readTypedData } from '../../../src/keyring/typed-data/typed-data.js';
import * as forms from './forms.js';
import { rightIn } from './right-in.js';

const { other, owner, second, soon, third, token } = forms;
const read = (form: forms.Form) => rightIn(readTypedData(form, 'p', { chainId: 31 }));
const price = { itemType: 0, token: forms.zero, identifierOrCriteria: 0, recipient: owner };
const approval = {
  name: 'approve',
  spender: other,
  amount: `${2n ** 256n - 1n}`,
  unlimited: true,
  token: { address: token },
};

describe('readRight', () => {
  test.each([
    ['transferWithAuthorization', forms.transferWithAuthorization],
    ['receiveWithAuthorization', forms.receiveWithAuthorization],
  ])('EIP-3009, %s: tokens to somebody, once', (_, form) => {
    expect(read(form)).toEqual({
      kind: 'transfer',
      to: other,
      token: { address: token },
      amount: '1500000',
      deadline: soon,
    });
  });

  test('ERC-4494: one collectible', () => {
    expect(read(forms.collectible)).toEqual({
      kind: 'collectible',
      spender: other,
      token: { address: token },
      tokenId: '77',
      deadline: soon,
    });
  });

  test.each([true, false])('PermitForAll, approved %s: a whole collection', (approved) => {
    expect(read(forms.permitForAll(approved))).toEqual({
      kind: 'collection',
      operator: other,
      approved,
      token: { address: token },
      deadline: soon,
    });
  });

  test('EIP-2771, RIF Relay and Biconomy: a call in the signer’s name, decoded where it can be', () => {
    for (const form of [forms.forwardRequest(), forms.relayRequest])
      expect(read(form)).toMatchObject({
        kind: 'call',
        by: 'forwarder',
        to: token,
        value: '0',
        call: approval,
        delegated: false,
        deadline: soon,
      });
    expect(read(forms.metaTransaction)).toMatchObject({
      kind: 'call',
      to: token,
      call: approval,
      deadline: null,
    });
    expect(read(forms.forwardRequest('0x12345678'))).toMatchObject({
      kind: 'call',
      call: null,
      data: '0x12345678',
    });
    expect(read(forms.forwardRequest('0x6001', forms.zero))).toMatchObject({ kind: 'call', to: null });
  });

  test('a transaction of a Safe, and one that runs foreign code', () => {
    const common = { kind: 'call', by: 'safe', to: other, value: '250000000000000000', data: '0x12345678' };
    expect(read(forms.safeTransaction(0))).toMatchObject({ ...common, delegated: false });
    expect(read(forms.safeTransaction(1))).toMatchObject({ ...common, delegated: true });
  });

  test('a Seaport order lists what is given, and the part of its price that reaches the signer', () => {
    expect(read(forms.seaportOrder)).toEqual({
      kind: 'orders',
      count: 1,
      gives: [{ token: { address: token }, amount: '1', tokenId: '77' }],
      takes: [{ token: null, amount: '950000000000000000' }],
      deadline: soon,
    });
    expect(read(forms.seaportGift)).toMatchObject({ kind: 'orders', takes: [] });
  });

  test('a bulk order of Seaport: all of its orders, the empty ones not counted', () => {
    expect(read(forms.seaportBulkOrder)).toMatchObject({
      kind: 'orders',
      count: 3,
      gives: [{ tokenId: '77' }, { tokenId: '77' }, { tokenId: '77' }],
      takes: [{ amount: '950000000000000000' }, { amount: '950000000000000000' }],
      deadline: forms.later,
    });
  });

  test('orders of other exchanges by the names of their two sides', () => {
    expect(read(forms.zeroExOrder)).toEqual({
      kind: 'orders',
      count: 1,
      gives: [{ token: { address: token }, amount: '5000000' }],
      takes: [{ token: { address: second }, amount: '7000000000000000000' }],
      deadline: soon,
    });
    expect(read(forms.cowOrder)).toMatchObject({
      gives: [{ token: { address: token }, amount: '5' }],
      takes: [{ token: { address: second }, amount: '7' }],
      deadline: soon,
    });
  });

  test.each<[string, unknown, boolean]>([
    ['uint256', '5', false],
    ['uint', `${2n ** 256n - 1n}`, true],
    ['uint8[]', [1, 2], false],
    ['uint256[2]', ['1', `${2n ** 256n - 1n}`], true],
    ['int256[]', [-1], true],
    ['uint256[]', [], false],
    ['string', 'Hello', false],
    ['bytes', '0x1234', false],
  ])('version 1 is read as well: %s %j', (type, value, endless) => {
    const data = readTypedData([{ type, name: 'amount', value }] as never, 'p', { version: 'V1' });
    expect(rightIn(data)).toEqual({ kind: 'unclear', holders: [], ...(endless && { endless }) });
  });

  test('nothing of something is not taken: an amount of zero', () => {
    const asked = (amount: string) =>
      forms.components([{ ...price, startAmount: amount, endAmount: amount }]);
    const order = (amount: string) => ({ ...forms.seaportOrder, message: asked(amount) });
    expect(read(order('1'))).toMatchObject({ takes: [{ amount: '1' }] });
    expect(read(order('0'))).toMatchObject({ kind: 'orders', takes: [] });
    const pair = { ...forms.cowOrder, message: { ...forms.cowOrder.message, buyAmount: 0 } };
    expect(read(pair)).toMatchObject({ kind: 'orders', takes: [] });
  });

  test.each(Object.entries(forms.unknownForms))('a form that is not known: %s', (_, [form, holders]) => {
    const right = read(form);
    expect(right?.kind).toBe('other');
    expect(right?.kind === 'other' && right.holders.map(({ path }) => path)).toEqual(holders);
  });

  test.each(Object.entries(forms.harmless))('none: %s', (_, form) => {
    expect(read(form)).toBeNull();
  });

  test('several calls are calls, and a form that only names another address is unclear', () => {
    expect(read(forms.severalCalls)).toEqual({ kind: 'calls', by: 'forwarder', deadline: soon });
    expect(read(forms.mail)).toEqual({
      kind: 'unclear',
      holders: [{ path: 'to.wallet', address: other }],
    });
  });

  test('a form that names only the signer is not understood, and endless with an amount without a limit', () => {
    const claim = (amount: bigint) =>
      forms.form({ Claim: 'address recipient, uint256 amount' }, { recipient: owner, amount: `${amount}` });
    expect(read(claim(5n))).toEqual({ kind: 'unclear', holders: [] });
    expect(read(claim(2n ** 256n - 1n))).toEqual({ kind: 'unclear', holders: [], endless: true });
  });

  // Quadratic work would take minutes: the limit holds on any machine.
  test('a hostile message takes no time', () => {
    const order = { offerer: third, endTime: 1, offer: Array.from({ length: 4_000 }, () => ({ a: 1 })) };
    const form = forms.form(
      { Order: 'address offerer, uint256 endTime, Item[] offer', Item: 'uint8 a' },
      order,
    );
    const data = readTypedData(form, 'p');
    const started = performance.now();
    expect(rightIn(data)).toMatchObject({ kind: 'orders', count: 1, gives: { length: 20 } });
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

test('a permit is a permit and no other right', () => {
  const form = forms.form(
    { Permit: 'address owner, address spender, uint256 value, uint256 nonce, uint256 deadline' },
    { owner, spender: other, value: 5, nonce: 0, deadline: soon },
  );
  expect(readPermit(readTypedData(form, 'p', { chainId: 31 }))).not.toBeNull();
});
