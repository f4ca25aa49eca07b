import { describe, expect, test } from 'vitest';
import {
  checkBlock,
  isBlockNumber,
  isData,
  isProof,
  isQuantityOrNull,
  isQuantityResult,
  isTransactions,
  isWord,
} from '../../src/rpc/results.js';

/** Which replies pass each check: the two lists of a row. */
const hash = `0x${'ab'.repeat(32)}`;
const block = { number: '0x1', hash, parentHash: hash, transactions: [] };

type Row = readonly [
  name: string,
  check: (result: unknown, params: readonly unknown[]) => void,
  good: readonly unknown[],
  bad: readonly unknown[],
];

// biome-ignore format: one row, one line
const rows: readonly Row[] = [
  ['isQuantityResult', isQuantityResult, ['0x0', '0x00', '0x0a', '0xFF', `0x${'f'.repeat(64)}`, `0x0${'f'.repeat(64)}`], ['0x', '', '0X1', '1', 1, null, '-0x1', '0x1g', `0x1${'0'.repeat(64)}`, '0x1\n']],
  ['isBlockNumber', isBlockNumber, ['0x0', '0x05', `0x${'f'.repeat(16)}`, `0x00${'f'.repeat(16)}`], [`0x1${'0'.repeat(16)}`, 5, null, 'latest']],
  ['isQuantityOrNull', isQuantityOrNull, [null, '0x1'], [undefined, 1, '0x']],
  ['isData', isData, ['0x', '0x00', '0xAB'], ['0x0', '0x123', 'ab', null, 5]],
  ['isWord', isWord, ['0x', '0x0', hash], [`${hash}0`, 'x', null, 5, '0xg']],
  ['isTransactions', isTransactions, [[], [{ hash, nonce: '0x1' }]], [null, {}, [null], [{ hash }], [{ hash: '0x1', nonce: '0x1' }]]],
  ['isProof', isProof, [{ storageHash: hash }], [null, [], {}, { storageHash: '0x1' }]],
  ['checkBlock', checkBlock, [null, block, { ...block, number: null, hash: null }], [undefined, [], { ...block, parentHash: null }, { ...block, number: 1 }, { ...block, transactions: null }]],
];

describe.each(rows)('%s', (_, check, good, bad) => {
  test.each(good.map((each) => [each]))('default: %j', (result) => {
    expect(() => check(result, [])).not.toThrow();
  });

  test.each(bad.map((each) => [each]))('error: %j', (result) => {
    expect(() => check(result, [])).toThrow(/./);
  });
});
