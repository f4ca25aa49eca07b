import { encodeFunctionData, erc20Abi, erc721Abi } from 'viem';
import { describe, expect, test } from 'vitest';
import { isPayment, recipientOf } from '../../../src/approvals/decode-call.js';
import { bridge } from '../../../src/rpc/known-contracts.js';
import type { Address, Hex } from '../../../src/rpc/schema.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';
import { describeRecipient } from '../../../src/transactions/recipient.js';

const token = `0x${'70'.repeat(20)}` as const;
const alice = `0x${'a1'.repeat(20)}` as const;
const bob = `0x${'b0'.repeat(20)}` as const;
const own = `0x${'0e'.repeat(20)}` as const;
/** Differs from the address in the middle only. */
const lookAlikeOf = (address: Address): Address =>
  `${address.slice(0, 6)}${'5'.repeat(32)}${address.slice(-4)}` as Address;

const encode = (functionName: 'transfer' | 'approve') =>
  encodeFunctionData({ abi: erc20Abi, functionName, args: [alice, 5n] });
const forAll = encodeFunctionData({ abi: erc721Abi, functionName: 'setApprovalForAll', args: [alice, true] });

test.each<[string, Address | null, Hex, Address | null, boolean]>([
  ['a payment', alice, '0x', alice, true],
  ['a token transfer', token, encode('transfer'), alice, true],
  ['an approval', token, encode('approve'), alice, false],
  ['a right over a collection', token, forAll, alice, false],
  ['another call', token, '0x12345678', token, false],
  ['a contract creation', null, '0x6001', null, false],
])('%s', (_name, to, data, recipient, pays) => {
  expect(recipientOf({ to, data })).toBe(recipient);
  if (to !== null) expect(isPayment({ to, data })).toBe(pays);
});

const entry = (change: Partial<JournalEntry>) =>
  ({ chainId: 31, to: alice, data: '0x', state: 'mined', ...change }) as JournalEntry;
const describeIt = (address: Address, entries: readonly JournalEntry[] = [], name?: string) =>
  describeRecipient(address, {
    chainId: 31,
    ownAddresses: [own],
    entries,
    archived: [],
    contacts: [],
    ...(name && { name }),
  });

describe('the first time', () => {
  test('an address that the journal does not have', () => {
    expect(describeIt(alice)).toEqual({ address: alice, firstTime: true });
    expect(describeIt(alice, [entry({ to: bob })])).toMatchObject({ firstTime: true });
  });

  test.each(['mined', 'sent', 'signed', 'reverted'] as const)('not after one that is %s', (state) => {
    expect(describeIt(alice, [entry({ state })])).toEqual({ address: alice });
  });

  test.each(['refused', 'abandoned', 'replaced'] as const)('still after one that was %s', (state) => {
    expect(describeIt(alice, [entry({ state })])).toMatchObject({ firstTime: true });
  });

  test('tokens count like coins, another chain does not', () => {
    expect(describeIt(alice, [entry({ to: token, data: encode('transfer') })])).toEqual({ address: alice });
    expect(describeIt(alice, [entry({ chainId: 30 })])).toMatchObject({ firstTime: true });
  });

  test('an own account is never new', () => {
    expect(describeIt(own)).toEqual({ address: own });
  });
});

describe('a look-alike', () => {
  test.each<[string, Address, readonly JournalEntry[]]>([
    ['of an address that was paid', alice, [entry({})]],
    ['of one that was paid on another chain', alice, [entry({ chainId: 30 })]],
    ['of one that got tokens', alice, [entry({ to: token, data: encode('transfer') })]],
    ['of a token', token, [entry({ to: token, data: encode('transfer') })]],
    ['of an own account', own, []],
    ['of a known contract', '0x7d284aaac6e925aad802a53c0c69efe3764597b8', []],
  ])('%s', (_name, genuine, entries) => {
    expect(describeIt(lookAlikeOf(genuine), entries).resembles).toBe(genuine);
  });

  test('upper and lower digits, and three equal ones, are no likeness', () => {
    expect(describeIt(`0x${'a1'.repeat(18)}a1b2`, [entry({})]).resembles).toBeUndefined();
    expect(describeIt(alice, [entry({})]).resembles).toBeUndefined();
  });

  test('an address that the wallet knows by itself is not suspected', () => {
    expect(describeIt(own, [entry({ to: lookAlikeOf(own) })]).resembles).toBeUndefined();
    expect(describeIt(bridge, [entry({ to: `0x0000${'1'.repeat(32)}0006` })])).toEqual({
      address: bridge,
      known: 'PowPeg bridge',
      firstTime: true,
    });
  });
});

test('a name that was looked up is part of it', () => {
  expect(describeIt(alice, [], 'alice.rsk')).toEqual({ address: alice, name: 'alice.rsk', firstTime: true });
});
