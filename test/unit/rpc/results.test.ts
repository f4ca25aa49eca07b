import { describe, expect, test } from 'vitest';
import { checkProof } from '../../../src/rpc/proof.js';
import {
  checkBlock,
  checkBlockNumber,
  checkData,
  checkQuantity,
  checkQuantityOrNull,
  checkReceiptOf,
  checkTransactionAt,
  checkTransactions,
  checkWholeBlock,
  checkWord,
  heightIn,
} from '../../../src/rpc/results.js';

/** Which replies pass each check: the two lists of a row. */
const hash = `0x${'ab'.repeat(32)}`;
const other = `0x${'cd'.repeat(32)}`;
const block = { number: '0x1', hash, parentHash: other, transactions: [] };
const receipt = { transactionHash: hash, blockHash: hash, blockNumber: '0x1', status: '0x1', logs: [] };
const log = { transactionHash: hash, blockHash: hash, logIndex: '0x0' };

type Row = readonly [
  name: string,
  check: (result: unknown, params: readonly unknown[]) => void,
  good: readonly unknown[],
  bad: readonly unknown[],
];

// biome-ignore format: one row, one line
const rows: readonly Row[] = [
  ['checkQuantity', checkQuantity, ['0x0', '0x00', '0x0a', '0xFF', `0x${'f'.repeat(64)}`, `0x0${'f'.repeat(64)}`], ['0x', '', '0X1', '1', 1, null, '-0x1', '0x1g', `0x1${'0'.repeat(64)}`, '0x1\n']],
  ['checkBlockNumber', checkBlockNumber, ['0x0', '0x05', 5, `0x${'f'.repeat(16)}`, `0x00${'f'.repeat(16)}`], [`0x1${'0'.repeat(16)}`, -5, null, 'latest']],
  ['checkQuantityOrNull', checkQuantityOrNull, [null, '0x1', 1], [undefined, 1.5, '0x']],
  ['checkData', checkData, ['0x', '0x00', '0xAB'], ['0x0', '0x123', 'ab', null, 5]],
  ['checkWord', checkWord, ['0x', '0x0', hash], [`${hash}0`, 'x', null, 5, '0xg']],
  ['checkTransactions', checkTransactions, [[], [{ hash, nonce: '0x1' }]], [null, {}, [null], [{ hash }], [{ hash: '0x1', nonce: '0x1' }]]],
  ['checkProof', checkProof, [{ storageHash: hash }], [null, [], {}, { storageHash: '0x1' }]],
  ['checkBlock', checkBlock, [null, block, { ...block, number: null, hash: null }], [undefined, [], { ...block, parentHash: null }, { ...block, number: 1 }, { ...block, transactions: null }, { ...block, parentHash: hash }, { ...block, parentHash: `0x${'AB'.repeat(32)}` }]],
  ['checkWholeBlock', checkWholeBlock, [{ ...block, transactions: [{ hash, nonce: '0x0', blockHash: hash }] }, { ...block, hash: null, transactions: [{ hash, nonce: '0x0', blockHash: other }] }], [{ ...block, transactions: [{ hash, nonce: '0x0', blockHash: other }] }]],
  ['checkReceiptOf', (result) => checkReceiptOf(result, [hash]), [null, receipt, { ...receipt, status: '0x0' }, { ...receipt, status: '0x01' }, { ...receipt, status: 1 }, { ...receipt, status: null, root: hash }, { ...receipt, logs: [log, { ...log, logIndex: '0x1' }] }], [{ ...receipt, status: '0x2' }, { ...receipt, status: '0x' }, { ...receipt, status: 2 }, { ...receipt, status: true }, { ...receipt, transactionHash: other }, { ...receipt, logs: [{ ...log, blockHash: other }] }, { ...receipt, logs: [{ ...log, transactionHash: other }] }, { ...receipt, logs: [log, { ...log, logIndex: '0x00' }] }]],
  ['checkTransactionAt', (result) => checkTransactionAt(result, ['0x1', '0x0']), [null, { hash, nonce: '0x0', blockNumber: '0x01', transactionIndex: '0x0' }, { hash, nonce: '0x0', blockNumber: null }], [{ hash, nonce: '0x0', blockNumber: '0x2' }, { hash, nonce: '0x0', blockNumber: 2 }, { hash, nonce: '0x0', transactionIndex: '0x1' }]],
  ['checkTransactionAt of a hash', (result) => checkTransactionAt(result, [hash, '0x0']), [null, { hash, nonce: '0x0', blockHash: hash }], [{ hash, nonce: '0x0', blockHash: other }]],
];

describe.each(rows)('%s', (_, check, good, bad) => {
  test.each(good.map((each) => [each]))('%j', (result) => {
    expect(() => check(result, [])).not.toThrow();
  });

  test.each(bad.map((each) => [each]))('%j', (result) => {
    expect(() => check(result, [])).toThrow(/./);
  });
});

test.each([
  [{ number: '0x10', hash }, 16],
  [{ hash, blockHash: hash, blockNumber: '0x10' }, 16],
  [[{ blockNumber: '0x1' }, { blockNumber: '0x10' }], 16],
  [[{ blockNumber: 16 }], 16],
  [{ number: '0x10', hash: null }, Number.NaN],
  [{ number: null }, Number.NaN],
  [[], Number.NaN],
  ['0x10', Number.NaN],
  [null, Number.NaN],
  [{ number: '0x' }, Number.NaN],
  [{ number: {} }, Number.NaN],
])('the height in %j', (result, height) => {
  expect(heightIn(result)).toBe(height);
});
