import { describe, expect, test } from 'vitest';
import { isDataField, isQuantity, wrongField } from '../../../src/rpc/results.js';

const hash = `0x${'ab'.repeat(32)}`;
const address = `0x${'cd'.repeat(20)}`;

describe('wrongField', () => {
  test('accepts valid known fields and any unknown field', () => {
    expect(wrongField({ hash, miner: address, gasUsed: '0x0', uncles: [hash], own: {} }, 'block')).toBeNull();
    expect(wrongField({ hash, to: null, v: '0x05f' }, 'transaction')).toBeNull();
  });

  test('accepts missing fields, null, and a safe integer as QUANTITY', () => {
    expect(wrongField({}, 'receipt')).toBeNull();
    expect(wrongField({ contractAddress: null, status: 1 }, 'receipt')).toBeNull();
  });

  test('accepts any form of a field that decides nothing', () => {
    expect(wrongField({ root: '0x1', logsBloom: '0x' }, 'receipt')).toBeNull();
    expect(wrongField({ stateRoot: 5, totalDifficulty: 'much' }, 'block')).toBeNull();
  });

  test.each([
    ['block', { miner: hash }, 'miner is not an address'],
    ['block', { uncles: [address] }, 'uncles is not an array of DATA of 32 bytes'],
    ['block', { logsBloom: '0x' }, 'logsBloom is not DATA of 256 bytes'],
    ['block', { gasLimit: '6800000' }, 'gasLimit is not a QUANTITY'],
    ['block', { timestamp: -1 }, 'timestamp is not a QUANTITY'],
    ['transaction', { input: '0x123' }, 'input is not DATA'],
    ['transaction', { value: 1.5 }, 'value is not a QUANTITY'],
    ['receipt', { contractAddress: '0x0' }, 'contractAddress is not an address'],
    ['log', { removed: 'false' }, 'removed is not a boolean'],
    ['log', { data: 5 }, 'data is not DATA'],
  ] as const)('a %s with %j', (kind, object, rule) => {
    expect(wrongField(object, kind)).toBe(rule);
  });
});

test('checks megabytes of DATA without a stack overflow', () => {
  expect(isDataField(`0x${'ab'.repeat(5_000_000)}`)).toBe(true);
  expect(isDataField(`0x${'ab'.repeat(5_000_000)}g0`)).toBe(false);
});

test('accepts leading zeros and refuses more than 256 bits', () => {
  expect([isQuantity('0x00'), isQuantity(`0x00${'f'.repeat(64)}`)]).toEqual([true, true]);
  expect([isQuantity(`0x1${'0'.repeat(64)}`), isQuantity('0x'), isQuantity(1)]).toEqual([
    false,
    false,
    false,
  ]);
});
