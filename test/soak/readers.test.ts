import { expect, test } from 'vitest';
import type { Log } from '../../src/rpc/schema.js';
import { word } from '../support/simulated-chain.js';
import { compare, createHeadReader, createLogReader, faultless, type Held, keyOf } from './readers.js';

/** The comparison of the soak test must find every kind of fault. */

const log = (block: number, index = 0, removed = false, branch = 0): Log => ({
  address: '0x70',
  topics: [],
  data: '0x',
  blockNumber: `0x${block.toString(16)}`,
  blockHash: word(block * 10 + branch),
  transactionHash: word(block),
  transactionIndex: '0x0',
  logIndex: `0x${index}`,
  removed,
});
const held = (each: Log): Held => ({
  key: keyOf(each),
  at: Number(each.blockNumber),
  block: each.blockHash as Held['block'],
});
const link = (number: number, branch = 0, parent = branch) => ({
  number: `0x${number.toString(16)}` as const,
  hash: word(number * 10 + branch),
  parentHash: word((number - 1) * 10 + parent),
});

function heardLogs(...logs: readonly Log[]) {
  const reader = createLogReader();
  for (const each of logs) reader.hear(each);
  return reader;
}

function heardHeads(...links: readonly ReturnType<typeof link>[]) {
  const reader = createHeadReader();
  for (const each of links) reader.hear(each);
  return reader;
}

test('logs delivered, removed and delivered of another block leave the current ones', () => {
  const reader = heardLogs(log(1), log(2), log(2, 1), log(2, 1, true), log(2, 0, true), log(2, 0, false, 1));
  expect(reader.faults).toEqual(faultless());
  expect(reader.held().map(({ block }) => block)).toEqual([word(10), word(21)]);
  compare(reader, [log(1), log(2, 0, false, 1)].map(held), 1);
  expect(reader.faults).toEqual(faultless());
});

test.each([
  ['doubled', [log(1), log(2), log(2)]],
  ['doubled', [log(1), log(2, 0, true)]],
  ['disordered', [log(2), log(1)]],
  ['disordered', [log(1, 1), log(1)]],
  ['disordered', [log(1), log(2), log(1, 0, true)]],
  ['disordered', [{ ...log(1), removed: undefined } as unknown as Log]],
])('%s logs are found', (fault, logs) => {
  expect(heardLogs(...logs).faults).toMatchObject({ [fault]: 1 });
});

test('logs that are lost, and removed ones that are kept, are found', () => {
  const reader = heardLogs(log(1), log(3, 0, false, 1));
  compare(reader, [log(1), log(2), log(3)].map(held), 1);
  expect(reader.faults).toEqual({ ...faultless(), lost: 2, kept: 1 });
});

test('logs below the given height are expected only after the first one that was delivered', () => {
  const chain = [log(1), log(2), log(3)].map(held);
  const late = heardLogs(log(3));
  compare(late, chain, 3);
  expect(late.faults).toEqual(faultless());
  const lower = heardLogs(log(1), log(3));
  compare(lower, chain, 3);
  expect(lower.faults).toEqual({ ...faultless(), lost: 1 });
});

test('heads form a chain, and a fork begins at a known parent or below the first head', () => {
  expect(heardHeads(link(1), link(2), link(3), link(2, 1, 0), link(3, 1)).faults).toEqual(faultless());
  expect(heardHeads(link(5), link(6), link(4, 1), link(5, 1)).faults).toEqual(faultless());
});

test.each([
  ['doubled', [link(1), link(2), link(2)]],
  ['disordered', [link(1), link(3)]],
])('%s heads are found', (fault, links) => {
  expect(heardHeads(...links).faults).toMatchObject({ [fault]: 1 });
});
