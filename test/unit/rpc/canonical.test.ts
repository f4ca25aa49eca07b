import { describe, expect, test } from 'vitest';
import {
  canonicalBlock,
  canonicalLog,
  canonicalQuantity,
  canonicalReceipt,
  canonicalTransaction,
  canonicalWord,
  unplaced,
} from '../../../src/rpc/canonical.js';
import type { Block, Log, Receipt, Transaction } from '../../../src/rpc/schema.js';
import { fc } from '../../support/property.js';

const transaction = { hash: '0x1', nonce: '0x0', blockHash: null, gas: '0x1' } as unknown as Transaction;
const block = { number: '0x1', hash: `0x${'1'.repeat(64)}`, transactions: [] } as unknown as Block;
const zeroHash = `0x${'0'.repeat(64)}`;

describe('a QUANTITY', () => {
  test('any spelling of a number gets one form', () => {
    const written = fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.nat(20), fc.boolean());
    fc.assert(
      fc.property(written, ([value, zeros, upper]) => {
        const digits = '0'.repeat(zeros) + value.toString(16);
        expect(canonicalQuantity(`0x${upper ? digits.toUpperCase() : digits}`)).toBe(
          `0x${value.toString(16)}`,
        );
      }),
    );
  });

  test('any other value is unchanged', () => {
    for (const value of [
      null,
      undefined,
      -5,
      1.5,
      2 ** 60,
      true,
      '',
      '0x',
      '0X1',
      '10',
      '0xg',
      '-0x1',
      ' 0x1',
      'latest',
    ])
      expect(canonicalQuantity(value)).toBe(value);
  });
});

test('a storage word is padded to 32 bytes', () => {
  for (const sent of ['0x', '0x0', `0x${'0'.repeat(64)}`] as const)
    expect(canonicalWord(sent)).toBe(zeroHash);
  expect(canonicalWord('0x7')).toBe(`0x${'7'.padStart(64, '0')}`);
});

describe('objects', () => {
  test('a canonical object is not copied', () => {
    const log = { logIndex: '0x0', blockNumber: '0x1', topics: [] } as unknown as Log;
    expect(canonicalTransaction(transaction)).toBe(transaction);
    expect(canonicalLog(log)).toBe(log);
    const full = { ...block, transactions: [transaction] };
    expect(canonicalBlock(full)).toBe(full);
    expect(canonicalBlock(block)).toBe(block);
  });

  test('unknown fields are unchanged', () => {
    const sent = { ...transaction, nonce: '0x05', _id: '00ff', extra: { a: '0x01' } } as Transaction;
    expect(canonicalTransaction(sent)).toEqual({ ...sent, nonce: '0x5' });
    expect(sent.nonce).toBe('0x05');
  });

  test('safe integers are converted, other JSON numbers are not', () => {
    const receipt = { status: 1, gasUsed: 2 ** 53, type: -1, blockNumber: 1.5, logs: [] };
    expect(canonicalReceipt(receipt as unknown as Receipt)).toEqual({ ...receipt, status: '0x1' });
  });

  test('the all-zero block hash becomes null', () => {
    expect(canonicalTransaction({ ...transaction, blockHash: zeroHash as `0x${string}` }).blockHash).toBe(
      null,
    );
  });

  test('transactions of a block without a hash lose their place', () => {
    const placed = { ...transaction, blockHash: block.hash, blockNumber: '0x2', transactionIndex: '0x0' };
    const candidate = { ...block, hash: null, transactions: [placed, '0xabc'] } as unknown as Block;
    expect(canonicalBlock(candidate).transactions).toEqual([unplaced(placed as Transaction), '0xabc']);
    expect(unplaced(placed as Transaction)).toMatchObject({ blockNumber: null, transactionIndex: null });
  });
});
