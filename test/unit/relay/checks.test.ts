import { expect, test } from 'vitest';
import { checkOf } from '../../../src/relay/checks.js';
import { address, word } from '../../support/simulated-chain.js';

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
