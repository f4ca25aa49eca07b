import { describe, expect, test } from 'vitest';
import { readPermit } from '../../../../src/keyring/typed-data/permit.js';
import { readTypedData } from '../../../../src/keyring/typed-data/typed-data.js';

const spender = `0x${'5e'.repeat(20)}`;
const owner = `0x${'0a'.repeat(20)}`;
const tokens = [`0x${'70'.repeat(20)}`, `0x${'71'.repeat(20)}`] as const;
const uint = (bits: number) => 2n ** BigInt(bits);
const text = (value: bigint) => value.toString();

function permit(
  types: Record<string, string>,
  primaryType: string,
  message: Record<string, unknown>,
  domain: Record<string, unknown> = { chainId: 31, verifyingContract: tokens[0] },
  now?: number,
) {
  const parsed = Object.fromEntries(
    Object.entries(types).map(([name, fields]) => [
      name,
      fields
        .split(', ')
        .filter(Boolean)
        .map((field) => {
          const [type, fieldName] = field.split(' ');
          return { type, name: fieldName };
        }),
    ]),
  );
  return readPermit(
    readTypedData({ types: parsed, primaryType, domain, message }, 'p', { chainId: 31 }),
    now,
  );
}

const erc2612 = { Permit: 'address owner, address spender, uint256 value, uint256 nonce, uint256 deadline' };
const dai = { Permit: 'address holder, address spender, uint256 nonce, uint256 expiry, bool allowed' };
const details = 'address token, uint160 amount, uint48 expiration, uint48 nonce';
const allowance = (token: string, amount: bigint) => ({
  token,
  amount: text(amount),
  expiration: 9,
  nonce: 0,
});

describe('readPermit', () => {
  test.each([
    [text(uint(256) - 1n), 'unlimited'],
    [text(uint(255)), 'unlimited'],
    [text(uint(96) - 1n), 'unlimited'],
    [text(uint(95)), text(uint(95))],
    ['0', '0'],
  ])('ERC-2612, value %s', (value, amount) => {
    expect(permit(erc2612, 'Permit', { owner, spender, value, nonce: 0, deadline: '1900000000' })).toEqual({
      spender,
      token: tokens[0],
      amount,
      units: value,
      deadline: '1900000000',
    });
  });

  test('a deadline of zero is one for ERC-2612, and none for DAI', () => {
    const message = { owner, spender, value: 1, nonce: 0, deadline: 0 };
    expect(permit(erc2612, 'Permit', message)).toMatchObject({ deadline: '0' });
    const forever = { holder: owner, spender, nonce: 0, expiry: 0, allowed: true };
    expect(permit(dai, 'Permit', forever)).toEqual({
      spender,
      token: tokens[0],
      amount: 'unlimited',
      units: null,
      deadline: null,
      endless: true,
    });
    expect(permit(dai, 'Permit', { ...forever, expiry: 5, allowed: false })).toMatchObject({
      amount: '0',
      deadline: '5',
    });
  });

  const max = text(uint(256) - 1n);
  const end = { spender, value: 1, nonce: 0, owner };
  test.each([
    ['a maximum deadline of ERC-2612', erc2612, { ...end, deadline: max }, true],
    ['one beyond ten years', erc2612, { ...end, deadline: '2200000000' }, true],
    ['one in the coming years', erc2612, { ...end, deadline: '1900000000' }, undefined],
    ['one that is over', erc2612, { ...end, deadline: '1' }, undefined],
    [
      'no deadline at all',
      { Permit: 'address owner, address spender, uint256 value, uint256 nonce' },
      end,
      true,
    ],
    ['a maximum expiry of DAI', dai, { holder: owner, spender, nonce: 0, expiry: max, allowed: true }, true],
    [
      'an expiry of DAI',
      dai,
      { holder: owner, spender, nonce: 0, expiry: '1900000000', allowed: true },
      undefined,
    ],
  ])('the end of a permit: %s', (_, types, message, endless) => {
    expect(permit(types, 'Permit', message, undefined, 1_800_000_000)?.endless).toBe(endless);
  });

  test('a maximum deadline of a transfer by Permit2 is no end', () => {
    const types = {
      PermitTransferFrom: 'TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline',
      TokenPermissions: 'address token, uint256 amount',
    };
    const message = { permitted: { token: tokens[1], amount: 1 }, spender, nonce: 1, deadline: max };
    expect(permit(types, 'PermitTransferFrom', message)).toMatchObject({ deadline: max, endless: true });
  });

  test('a permit without a verifying contract has no token', () => {
    const message = { owner, spender, value: 1, nonce: 0, deadline: 1 };
    expect(permit(erc2612, 'Permit', message, { chainId: 31 })).toMatchObject({ token: null });
  });

  test.each([
    [uint(160) - 1n, 'unlimited'],
    [uint(128), 'unlimited'],
    [uint(95), text(uint(95))],
  ])('Permit2 allowance of %s', (amount, shown) => {
    const types = {
      PermitSingle: 'PermitDetails details, address spender, uint256 sigDeadline',
      PermitDetails: details,
    };
    const message = { details: allowance(tokens[1], amount), spender, sigDeadline: 77 };
    expect(permit(types, 'PermitSingle', message)).toEqual({
      spender,
      token: tokens[1],
      amount: shown,
      units: text(amount),
      deadline: '9',
    });
  });

  test.each([
    ['its own end', ['1900000000'], 1_800_000_000, { deadline: '1900000000' }],
    ['the last of several', ['1800000001', '1900000000'], 1_800_000_000, { deadline: '1900000000' }],
    ['the end of the signature, where it ends with the block', ['0'], 1_800_000_000, { deadline: '77' }],
    ['none', [text(uint(48) - 1n)], 1_800_000_000, { deadline: text(uint(48) - 1n), endless: true }],
    ['none for one of them', ['1900000000', '9999999999'], 1_800_000_000, { endless: true }],
    ['one beyond ten years', ['1900000000'], 1_500_000_000, { endless: true }],
  ])('the end of a Permit2 allowance: %s', (_, ends, now, expected) => {
    const types = {
      PermitBatch: 'PermitDetails[] details, address spender, uint256 sigDeadline',
      PermitDetails: details,
    };
    const list = ends.map((expiration) => ({ ...allowance(tokens[1], 5n), expiration }));
    const found = permit(types, 'PermitBatch', { details: list, spender, sigDeadline: 77 }, undefined, now);
    expect(found).toMatchObject(expected);
    expect(found?.endless).toBe((expected as { endless?: true }).endless);
  });

  test('a batch that transfers one token several times takes the sum, one that allows it the largest', () => {
    const transfers = {
      PermitBatchTransferFrom:
        'TokenPermissions[] permitted, address spender, uint256 nonce, uint256 deadline',
      TokenPermissions: 'address token, uint256 amount',
    };
    const transfer = (...list: readonly (readonly [token: string, amount: bigint])[]) =>
      permit(transfers, 'PermitBatchTransferFrom', {
        permitted: list.map(([token, amount]) => ({ token, amount: text(amount) })),
        ...{ spender, nonce: 1, deadline: 88 },
      });
    const one = [tokens[0], 1000n] as const;
    expect(transfer(...Array.from({ length: 10 }, () => one))).toMatchObject({
      ...{ token: tokens[0], amount: '10000', units: '10000', deadline: '88' },
    });
    expect(transfer(one, [tokens[1], 5n], one)).toMatchObject({
      ...{ token: null, amount: '2000' },
      items: [
        { token: { address: tokens[0] }, amount: '2000' },
        { token: { address: tokens[1] }, amount: '5' },
      ],
    });
    expect(transfer([tokens[0], uint(95)], [tokens[0], uint(95)])).toMatchObject({ amount: 'unlimited' });
    const allowances = {
      PermitBatch: 'PermitDetails[] details, address spender, uint256 sigDeadline',
      PermitDetails: details,
    };
    const message = {
      details: [allowance(tokens[0], 7n), allowance(tokens[0], 5n)],
      spender,
      sigDeadline: 77,
    };
    expect(permit(allowances, 'PermitBatch', message)).toMatchObject({ token: tokens[0], amount: '7' });
  });

  test('Permit2 batch: one token by name, several without, the largest amount', () => {
    const types = {
      PermitBatch: 'PermitDetails[] details, address spender, uint256 sigDeadline',
      PermitDetails: details,
    };
    const batch = (...list: unknown[]) =>
      permit(types, 'PermitBatch', { details: list, spender, sigDeadline: 77 });
    expect(batch(allowance(tokens[1], 5n))).toMatchObject({ token: tokens[1], amount: '5' });
    expect(batch(allowance(tokens[0], 9n), allowance(tokens[1], 5n))).toMatchObject({
      token: null,
      amount: '9',
      items: [
        { token: { address: tokens[0] }, amount: '9' },
        { token: { address: tokens[1] }, amount: '5' },
      ],
    });
    expect(batch(allowance(tokens[0], 1n), allowance(tokens[1], uint(160) - 1n))).toMatchObject({
      amount: 'unlimited',
    });
    expect(batch()).toBeNull();
  });

  test('Permit2 transfers, which have amounts of 256 bits', () => {
    const types = {
      PermitTransferFrom: 'TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline',
      TokenPermissions: 'address token, uint256 amount',
    };
    const transfer = (amount: bigint) =>
      permit(types, 'PermitTransferFrom', {
        permitted: { token: tokens[1], amount: text(amount) },
        spender,
        nonce: 1,
        deadline: 88,
      });
    expect(transfer(uint(90))).toEqual({
      spender,
      token: tokens[1],
      amount: text(uint(90)),
      units: text(uint(90)),
      deadline: '88',
    });
    expect(transfer(uint(255))).toMatchObject({ amount: 'unlimited' });
  });

  const message2612 = { owner, spender, value: 1, nonce: 0, deadline: 1 };
  test.each([
    ['string value', { value: 'abc' }],
    ['int256 value', { value: -1 }],
    ['uint128 value', { value: 1 }],
    ['bytes32 value', { value: `0x${'ff'.repeat(32)}` }],
    ['uint256[] value', { value: [1] }],
    ['Other value', { value: null }],
    ['Other value', { value: { x: 1 } }],
    ['string spender', { spender: 'a friend' }],
    ['bytes20 spender', {}],
    ['Other spender', { spender: null }],
    ['string deadline', { deadline: 'xx' }],
    ['int256 deadline', { deadline: -1 }],
    ['uint256[] deadline', { deadline: [1] }],
    ['Other deadline', { deadline: { x: 1 } }],
    ['Empty deadline', { deadline: {} }],
  ])('ERC-2612 with %s is no permit: %j', (declared, values) => {
    const [, name] = declared.split(' ');
    const Permit = erc2612.Permit.replace(new RegExp(`\\w+ ${name}`), declared);
    const types = { Permit, Other: 'uint256 x', Empty: '' };
    expect(permit(types, 'Permit', { ...message2612, ...values })).toBeNull();
  });

  test('DAI with other types, or with a value besides, is no permit', () => {
    const message = { holder: owner, spender, nonce: 0, expiry: 5, allowed: true };
    const withType = (from: string, to: string, values: object) =>
      permit({ Permit: dai.Permit.replace(from, to) }, 'Permit', { ...message, ...values });
    expect(withType('', '', {})).not.toBeNull();
    for (const [from, to, values] of [
      ['bool allowed', 'string allowed', { allowed: 'true' }],
      ['bool allowed', 'uint256 allowed', { allowed: 1 }],
      ['uint256 expiry', 'string expiry', { expiry: 'never' }],
      ['address spender', 'string spender', { spender: 'x' }],
      ['bool allowed', 'bool allowed, uint256 value', { allowed: false, value: text(uint(256) - 1n) }],
    ] as const)
      expect([to, withType(from, to, values)]).toEqual([to, null]);
  });

  test('a field that V3 omits makes a permit invalid', () => {
    const [types, names] = [{ Permit: [] as object[] }, ['spender', 'value', 'deadline']];
    for (const name of names) types.Permit.push({ name, type: name === 'spender' ? 'address' : 'uint256' });
    const read = (message: object) =>
      readPermit(
        readTypedData({ types, primaryType: 'Permit', domain: {}, message }, 'p', { version: 'V3' }),
      );
    expect(read({ spender })).toBeNull();
    expect(read({ value: 1 })).toBeNull();
    expect(read({ spender, value: 1 })).toMatchObject({ amount: '1', deadline: null, endless: true });
  });

  test.each([
    ['uint160 amount', 'string amount', { amount: 'abc' }, {}],
    ['uint160 amount', 'int160 amount', { amount: -1 }, {}],
    ['uint160 amount', 'uint256 amount', {}, {}],
    ['uint160 amount', 'Other amount', { amount: null }, {}],
    ['address token', 'string token', { token: 'USDT' }, {}],
    ['uint48 expiration', 'string expiration', { expiration: 'never' }, {}],
    ['uint256 sigDeadline', 'string sigDeadline', {}, { sigDeadline: 'xx' }],
    ['address spender', 'string spender', {}, { spender: 'x' }],
    ['PermitDetails details', 'PermitDetails[][] details', {}, { details: [[allowance(tokens[0], 1n)]] }],
    ['PermitDetails details', 'PermitDetails details', {}, { details: null }],
    ['PermitDetails details', 'string details', {}, { details: 'x' }],
  ])('Permit2 with %s as %s is no permit: %j, %j', (from, to, inDetails, values) => {
    const types = {
      PermitSingle: 'PermitDetails details, address spender, uint256 sigDeadline'.replace(from, to),
      PermitDetails: details.replace(from, to),
      Other: 'uint256 x',
    };
    const message = { details: { ...allowance(tokens[1], 5n), ...inDetails }, spender, sigDeadline: 77 };
    expect(permit(types, 'PermitSingle', { ...message, ...values })).toBeNull();
  });

  test('only the part that Permit2 reads counts', () => {
    const types = {
      PermitSingle: 'PermitDetails details, Decoy details2, address spender, uint256 sigDeadline',
      PermitDetails: details,
      Decoy: 'string token, string amount',
    };
    const decoy = { token: 'nothing', amount: 'abc' };
    expect(
      permit(types, 'PermitSingle', {
        details: allowance(tokens[1], 5n),
        details2: decoy,
        spender,
        sigDeadline: 7,
      }),
    ).toEqual({ spender, token: tokens[1], amount: '5', units: '5', deadline: '9' });
  });

  test('everything else is no permit', () => {
    const types = { Order: 'address spender, uint256 value' };
    expect(permit(types, 'Order', { spender, value: 1 })).toBeNull();
    expect(permit({ Permit: 'address spender' }, 'Permit', { spender })).toBeNull();
    expect(permit({ Permit: 'address owner' }, 'Permit', { owner })).toBeNull();
    expect(permit({ toString: 'address spender' }, 'toString', { spender })).toBeNull();
    const v1 = [{ type: 'address', name: 'spender', value: spender }];
    expect(readPermit(readTypedData(v1, 'p', { version: 'V1' }))).toBeNull();
  });
});
