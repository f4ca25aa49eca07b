import { describe, expect, test } from 'vitest';
import type { PermittedTransaction } from '../../../src/approvals/cover.js';
import type { Warning } from '../../../src/approvals/warning.js';
import { costInPlace, costUnder, isExpected } from '../../../src/permissions/coverage.js';
import { type PermissionTerms, permissionTypes } from '../../../src/rpc/permission-terms.js';
import type { Address, Hex } from '../../../src/rpc/schema.js';
import { tokenCall } from '../../../src/rpc/token-calls.js';

const friend: Address = `0x${'5a'.repeat(20)}`;
const stranger: Address = `0x${'5b'.repeat(20)}`;
const token: Address = `0x${'7a'.repeat(20)}`;
const contract: Address = `0x${'7c'.repeat(20)}`;
const from: Address = `0x${'11'.repeat(20)}`;
const common = { amount: '0x64', start: 0, end: 1 } as const;
const terms: Readonly<Record<string, PermissionTerms>> = {
  'native-token-allowance': { ...common, type: 'native-token-allowance', payees: [friend] },
  'native-token-periodic': { ...common, type: 'native-token-periodic', payees: [friend] },
  'erc20-token-allowance': { ...common, type: 'erc20-token-allowance', token, payees: [friend] },
  'erc20-token-periodic': { ...common, type: 'erc20-token-periodic', token, payees: [friend] },
  'graft-contract-calls': {
    ...{ ...common, type: 'graft-contract-calls' },
    contracts: [{ address: contract, selectors: ['0x12345678', '0xabcdef01'] }],
  },
};
const transaction = (over: Partial<PermittedTransaction>): PermittedTransaction => ({
  ...{ chainId: 31, to: friend, value: '0x3', data: '0x', gas: '0xa', gasPrice: '0x2' },
  ...over,
});
const payment = transaction({});
const transfer = transaction({ to: token, value: '0x0', data: tokenCall('transfer', friend, 7n) });
const call = transaction({ to: contract, data: '0x12345678' });
/** A transaction that the terms of a type cover. */
const covered = (type: string) =>
  type.startsWith('native') ? payment : type.startsWith('erc20') ? transfer : call;
const costs = (type: string, over: Partial<PermittedTransaction> = {}) =>
  costUnder(terms[type] as PermissionTerms, { ...covered(type), ...over });
const upper = (text: Hex) => `0x${text.slice(2).toUpperCase()}` as const;

describe.each(permissionTypes)('%s', (type) => {
  test('covers its own transactions only', () => {
    for (const each of permissionTypes) {
      const isSame = covered(each) === covered(type);
      expect([each, costUnder(terms[type] as PermissionTerms, covered(each)) !== null]).toEqual([
        each,
        isSame,
      ]);
    }
  });

  test.each<[string, Partial<PermittedTransaction>]>([
    ['creates a contract', { to: null }],
    ['has another recipient', { to: stranger }],
    ['has its recipient in other letters', { to: upper(covered(type).to as Address) }],
    ['is of type 1', { transactionType: '0x1' }],
    ['is of type 2', { transactionType: '0x2' }],
    ['has an access list', { accessList: [] }],
    ['has the first byte of a call', { data: '0x12' }],
    ['has three bytes of a selector', { data: '0x123456' }],
    ['calls another function', { data: '0x12345679' }],
  ])('does not cover one that %s', (_name, over) => {
    expect(costs(type, over)).toBe(null);
  });
});

test('coins cost their value and the most of the fee', () => {
  for (const type of ['native-token-allowance', 'native-token-periodic', 'graft-contract-calls'])
    expect(costs(type)).toEqual({ amount: 23n, fees: 0n });
});

test('coins are covered for no one without listed payees', () => {
  const { payees: _payees, ...open } = terms['native-token-allowance'] as PermissionTerms;
  expect(costUnder(open, payment)).toBe(null);
});

describe.each(['erc20-token-allowance', 'erc20-token-periodic'])('a transfer under %s', (type) => {
  test('costs its tokens, and its fee by itself', () => {
    expect(costs(type)).toEqual({ amount: 7n, fees: 20n });
  });

  test('may be to anyone where the terms name no payee', () => {
    const { payees: _payees, ...open } = terms[type] as PermissionTerms;
    const toStranger = { ...transfer, data: tokenCall('transfer', stranger, 7n) };
    expect(costUnder(open, toStranger)).toEqual({ amount: 7n, fees: 20n });
    expect(costs(type, toStranger)).toBe(null);
  });

  const canonical = tokenCall('transfer', friend, 7n);
  test.each<[string, Partial<PermittedTransaction>]>([
    ['has a value', { value: '0x1' }],
    ['approves', { data: tokenCall('approve', friend, 7n) }],
    ['moves tokens of another', { data: tokenCall('transferFrom', friend, friend, 7n) }],
    ['has a trailing byte', { data: `${canonical}00` }],
    ['has a trailing word', { data: `${canonical}${'00'.repeat(32)}` }],
    ['lacks a byte', { data: canonical.slice(0, -2) as Hex }],
    ['has an address with more than 20 bytes', { data: canonical.replace('00', '01') as Hex }],
    [
      'has an address that begins with other bytes',
      { data: `${canonical.slice(0, 10)}01${canonical.slice(12)}` as Hex },
    ],
    ['has digits in upper case', { data: upper(canonical) }],
    ['has no data', { data: '0x' }],
  ])('is not covered where it %s', (_name, over) => {
    expect(costs(type, over)).toBe(null);
  });

  test('is read whole, however large its amount', () => {
    const data = tokenCall('transfer', friend, 2n ** 256n - 1n);
    expect(costs(type, { data })?.amount).toBe(2n ** 256n - 1n);
  });
});

describe('a call of a listed contract', () => {
  test('is covered with any arguments of a listed function', () => {
    expect(costs('graft-contract-calls', { data: '0xabcdef0100ff' })).toEqual({ amount: 23n, fees: 0n });
  });

  test('is not covered without data, nor in upper case', () => {
    expect(costs('graft-contract-calls', { data: '0x' })).toBe(null);
    expect(costs('graft-contract-calls', { data: '0xABCDEF01' })).toBe(null);
  });

  test('is covered by the functions of its own contract only', () => {
    const two: PermissionTerms = {
      ...(terms['graft-contract-calls'] as PermissionTerms),
      contracts: [
        { address: contract, selectors: ['0x12345678'] },
        { address: stranger, selectors: ['0xabcdef01'] },
      ],
    };
    expect(costUnder(two, { ...call, data: '0xabcdef01' })).toBe(null);
    expect(costUnder(two, { ...call, to: stranger, data: '0xabcdef01' })).not.toBe(null);
  });
});

test('a type of a later build covers nothing', () => {
  for (const each of [payment, transfer, call]) {
    const all = Object.assign({}, ...Object.values(terms), { type: 'native-token-stream' });
    expect(costUnder(all, each)).toBe(null);
  }
});

describe('a transaction in place of a payment', () => {
  test('costs nothing where it cancels', () => {
    const cancel = transaction({ to: from, value: '0x0' });
    expect(costInPlace({}, from, cancel)).toEqual({ amount: 0n, fees: 0n });
    expect(costInPlace({ token }, from, cancel)).toEqual({ amount: 0n, fees: 0n });
    for (const over of [{ value: '0x1' }, { data: '0x12345678' }, { to: friend }] as const)
      expect(costInPlace({}, from, { ...cancel, ...over }).amount).toBeGreaterThan(0n);
  });

  test('costs all that it takes, to any recipient', () => {
    expect(costInPlace({}, from, { ...payment, to: stranger })).toEqual({ amount: 23n, fees: 0n });
    const data = tokenCall('transfer', stranger, 9n);
    expect(costInPlace({ token }, from, { ...transfer, data })).toEqual({ amount: 9n, fees: 20n });
    expect(costInPlace({ token }, from, payment)).toEqual({ amount: 0n, fees: 20n });
  });
});

test('the warnings of a covered transaction are of a first payment and of an unknown call', () => {
  const warning = (code: string, detail?: string) => ({ code, severity: 'caution', detail }) as Warning;
  expect(isExpected(warning('first-time-recipient', 'a name'))).toBe(true);
  expect(isExpected(warning('unknown-call'))).toBe(true);
  expect(isExpected(warning('unknown-call', '0x12345678'))).toBe(false);
  for (const code of ['likely-revert', 'insufficient-funds', 'approve-unlimited', 'added-network'])
    expect(isExpected(warning(code))).toBe(false);
});
