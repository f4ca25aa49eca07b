import { describe, expect, test } from 'vitest';
import {
  canonicalBlock,
  canonicalCode,
  canonicalData,
  canonicalQuantity,
  canonicalReceipt,
  canonicalTransaction,
} from '../../../src/rpc/canonical.js';
import {
  checkAnyData,
  checkBlockNumber,
  checkCode,
  checkNumber,
  checkTransaction,
  checkWholeBlock,
  checkWholeReceiptOf,
  checkWholeUncle,
} from '../../../src/rpc/results.js';
import type { Block, Hex, Receipt, Transaction } from '../../../src/rpc/schema.js';

/** What services answer in another form than the description: it has its one form, or is as received, or is an error. */

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const address = (digit: string): Hex => `0x${digit.repeat(40)}`;

const transaction = {
  hash: hash('1'),
  nonce: '0x1',
  blockHash: hash('2'),
  blockNumber: '0x5',
  transactionIndex: '0x0',
  from: address('3'),
  to: address('4'),
  gas: '0x5208',
  gasPrice: '0x1',
  value: '0x0',
  input: '0x',
  v: '0x5f',
  r: '0x1',
  s: '0x1',
  type: '0x0',
};
const receipt = {
  transactionHash: hash('1'),
  transactionIndex: '0x0',
  blockHash: hash('2'),
  blockNumber: '0x5',
  from: address('3'),
  to: address('4'),
  cumulativeGasUsed: '0x5208',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x1',
  contractAddress: null,
  logs: [],
  logsBloom: `0x${'0'.repeat(512)}`,
  status: '0x1',
};
const block = {
  number: '0x5',
  hash: hash('2'),
  parentHash: hash('5'),
  transactions: [hash('1')],
  timestamp: '0x1',
  gasLimit: '0x67c280',
  gasUsed: '0x0',
  uncles: [],
};

/** What a page gets of a value: checked, then in its one form. */
const formed =
  <Form>(check: (value: unknown) => void, form: (value: never) => Form) =>
  (value: unknown): Form => {
    check(value);
    return form(value as never);
  };

const forms = {
  block: formed<Block>(checkWholeBlock, canonicalBlock),
  uncle: formed<Block>(checkWholeUncle, canonicalBlock),
  transaction: formed<Transaction>(checkTransaction, canonicalTransaction),
  receipt: formed<Receipt>((value) => checkWholeReceiptOf(value, [hash('1')]), canonicalReceipt),
};

// biome-ignore format: one case, one line
const fields: readonly [kind: keyof typeof forms, odd: object, expected: object | 'as received'][] = [
  ['receipt', { root: '0x01' }, 'as received'],
  ['receipt', { root: '0x' }, 'as received'],
  ['receipt', { logsBloom: '0x' }, 'as received'],
  ['receipt', { logsBloom: null }, 'as received'],
  ['receipt', { type: 'legacy' }, 'as received'],
  ['receipt', { to: '0x' }, { to: null }],
  ['receipt', { to: '' }, { to: null }],
  ['receipt', { contractAddress: '0x' }, { contractAddress: null }],
  ['receipt', { contractAddress: '' }, { contractAddress: null }],
  ['receipt', { blockNumber: 5 }, { blockNumber: '0x5' }],
  ['receipt', { status: 1, gasUsed: 21_000 }, { status: '0x1', gasUsed: '0x5208' }],
  ['transaction', { to: '0x' }, { to: null }],
  ['transaction', { blockNumber: 5, transactionIndex: 0 }, { blockNumber: '0x5', transactionIndex: '0x0' }],
  ['transaction', { r: '0xR', s: '', v: null }, 'as received'],
  ['transaction', { chainId: '31', publicKey: 5 }, 'as received'],
  ['block', { number: 5 }, { number: '0x5' }],
  ['block', { stateRoot: '0x', receiptsRoot: '0x0', sha3Uncles: null }, 'as received'],
  ['block', { mixHash: '0x0', nonce: '0x0' }, 'as received'],
  ['block', { extraData: 'hello' }, 'as received'],
  ['block', { totalDifficulty: '12345', difficulty: 1.5e30, size: '' }, 'as received'],
  ['block', { bitcoinMergedMiningHeader: '0x1', paidFees: null }, 'as received'],
  ['uncle', { transactions: undefined }, 'as received'],
  ['uncle', { transactions: null }, 'as received'],
  ['uncle', { transactions: [] }, 'as received'],
];

describe('a field of an odd form', () => {
  const whole = { block, uncle: block, transaction, receipt };
  test.each(fields)('%s %j', (kind, odd, expected) => {
    const received = { ...whole[kind], ...odd };
    expect(forms[kind](received)).toEqual(
      expected === 'as received' ? received : { ...received, ...expected },
    );
  });

  // biome-ignore format: one case, one line
  test.each([
    ['receipt', { status: '0x2' }],
    ['receipt', { status: 'success' }],
    ['receipt', { blockNumber: '5' }],
    ['receipt', { blockHash: '0x' }],
    ['receipt', { gasUsed: '21000' }],
    ['receipt', { from: '0x' }],
    ['receipt', { contractAddress: '0x00' }],
    ['transaction', { value: '' }],
    ['transaction', { to: '0x0' }],
    ['transaction', { input: '0x123' }],
    ['transaction', { from: null, nonce: undefined }],
    ['block', { hash: '0x0' }],
    ['block', { transactions: null }],
    ['block', { number: -1 }],
    ['block', { timestamp: 'now' }],
    ['uncle', { parentHash: null }],
  ] as const)('a deciding field, %s %j, is an error', (kind, odd) => {
    expect(() => forms[kind]({ ...whole[kind], ...odd })).toThrow();
  });
});

describe('a result of an odd form', () => {
  const data = formed<unknown>(checkAnyData, canonicalData);
  const code = formed<unknown>(checkCode, canonicalCode);
  const height = formed<unknown>(checkBlockNumber, canonicalQuantity);
  const number = formed<unknown>(checkNumber, canonicalQuantity);

  // biome-ignore format: one case, one line
  test.each([
    [code, '0x', '0x'], [code, '0x0', '0x'], [code, '', '0x'], [code, null, '0x'], [code, '0X', '0x'],
    [code, '0X60AA', '0x60AA'], [code, '60aa', '0x60aa'], [code, '0x60AA', '0x60AA'], [code, '0x00', '0x00'],
    [code, `0xef0100${'11'.repeat(20)}`, `0xef0100${'11'.repeat(20)}`],
    [data, '0x0', '0x'], [data, '', '0x'], [data, '0x00', '0x00'],
    [height, 123, '0x7b'], [height, '0x07b', '0x7b'], [height, 0, '0x0'],
    [number, 21_000, '0x5208'], [number, '0x005208', '0x5208'],
  ] as const)('%#: %j is %j', (form, odd, expected) => {
    expect(form(odd)).toBe(expected);
  });

  // biome-ignore format: one case, one line
  test.each([
    [code, '0x608'], [code, 'none'], [code, 5], [code, {}], [code, []], [code, '0x60zz'],
    [data, null], [data, '0x1'], [data, 0],
    [height, '123'], [height, -1], [height, 1.5], [height, 2 ** 60], [height, null], [height, ''],
    [number, 'NaN'], [number, '0x'],
  ] as const)('%#: %j is an error', (form, odd) => {
    expect(() => form(odd)).toThrow();
  });
});
