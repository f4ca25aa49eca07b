import { describe, expect, test } from 'vitest';
import {
  methodFacts,
  methodNames,
  checkOf as walletCheckOf,
} from '../../../src/rpc/method-facts/method-facts.js';
import { address, word } from '../../../test/support/simulated-chain.js';
import { checkOf } from '../src/checks.js';

const account = address(1);
const reads: readonly (readonly [
  method: string,
  params: (selector?: unknown) => readonly unknown[],
  good: unknown,
])[] = [
  ['eth_getBalance', (selector) => [account, selector], '0x1'],
  ['eth_getTransactionCount', (selector) => [account, selector], '0x1'],
  ['eth_call', (selector) => [{ to: account }, selector], '0x'],
  ['eth_estimateGas', (selector) => [{ to: account }, selector], '0x5208'],
  ['eth_getStorageAt', (selector) => [account, '0x0', selector], word(0)],
];

test.each(reads)(
  '%s may be null at a block that a node lacks, and not at a tag',
  (method, paramsAt, good) => {
    for (const selector of ['0x10', word(1), { blockHash: word(1) }, { blockNumber: '0x10' }]) {
      const check = checkOf(method, paramsAt(selector));
      expect(() => check?.(null)).not.toThrow();
      expect(() => check?.(good)).not.toThrow();
      expect(() => check?.({})).toThrow();
    }
    for (const selector of ['latest', 'earliest', 'pending', undefined]) {
      const check = checkOf(method, paramsAt(selector));
      expect(() => check?.(null)).toThrow();
      expect(() => check?.(good)).not.toThrow();
    }
  },
);

test.each([
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
])('%s may be a JSON number, which the wallet reads too', (method) => {
  const check = checkOf(method, [account, 'latest']);
  expect(() => check?.(5)).not.toThrow();
  expect(() => check?.('5')).toThrow();
});

const relayed = methodNames().filter((name) => methodFacts(name).isRelayed);
const garbage = [{ lies: 'no word at all' }, 'nonsense', ['nonsense'], 0.5, { hash: 7 }];

describe('the relay checks what the wallet checks', () => {
  test.each(relayed.filter((name) => methodFacts(name).check))('%s', (method) => {
    const refused = (check: typeof checkOf) =>
      garbage.map((each) => {
        try {
          check(method, paramsOf(method))?.(each);
          return null;
        } catch (error) {
          return `${error}`;
        }
      });
    expect(refused(checkOf)).toEqual(refused(walletCheckOf));
    expect(refused(checkOf)[0]).toMatch(/^Error: /);
  });

  test('the relay passes on, without keeping it, a result that the wallet asks no service for', () => {
    expect(relayed.filter((name) => !checkOf(name, paramsOf(name)))).toEqual([
      'eth_accounts',
      'eth_sendRawTransaction',
      'eth_subscribe',
      'eth_unsubscribe',
      'eth_getBlockReceipts',
      'web3_sha3',
    ]);
  });

  test('a method whose result is kept for all clients has a check', () => {
    const kept = relayed.filter((name) => methodFacts(name).block !== undefined);
    expect(kept.filter((name) => !checkOf(name, paramsOf(name)))).toEqual([]);
  });

  test.each(['constructor', '__proto__', 'toString', 'eth_getFoo'])('%s has no check', (name) => {
    expect(checkOf(name, [])).toBeUndefined();
  });
});

/** Params with a block that is the newest, or named by its hash. */
function paramsOf(method: string): readonly unknown[] {
  const { block, namesBlockBy } = methodFacts(method);
  if (namesBlockBy === 'hash' || block === 'transaction') return [word(1), '0x0'];
  return namesBlockBy
    ? ['0x1', '0x0']
    : [account, '0x0', 'latest'].slice(typeof block === 'number' ? 2 - block : 0);
}
