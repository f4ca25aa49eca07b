import { expect, test } from 'vitest';
import { type BlockLink, createBlocks, type MinedBlock } from '../../../src/chain/blocks.js';
import { readAhead } from '../../../src/chain/prefetch-headers.js';
import type { Hash } from '../../../src/rpc/schema.js';
import { settled } from '../../support/fake-clock.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';

function setup(count: number) {
  const chain = createSimulatedChain();
  const head = chain.head();
  for (let i = 0; i < count; i++) chain.mine();
  const read = new Map<Hash, MinedBlock>();
  const ended = new AbortController();
  const ahead = (walked = 1_000, tip: BlockLink = chain.head()) =>
    readAhead(tip, head, { walked, blocks: createBlocks(chain.service), read, signal: ended.signal });
  return { chain, read, ahead, ended };
}

test('the blocks between are found, each asked for once', async () => {
  const { chain, read, ahead } = setup(60);
  await ahead();
  const between = chain.canonical().slice(1, -1);
  expect(new Set(read.keys())).toEqual(new Set(between.map(({ hash }) => hash)));
  expect(chain.requests()).toBe(between.length);
});

test('six at once', async () => {
  const { chain, ahead } = setup(60);
  chain.intercept(() => new Promise(() => {}));
  void ahead();
  await settled();
  expect(chain.requests()).toBe(6);
});

test('walked, so many of the newest', async () => {
  const { read, ahead } = setup(60);
  await ahead(40);
  const heights = [...read.values()].map(({ number }) => Number(number)).sort((a, b) => a - b);
  expect(heights).toEqual(Array.from({ length: 39 }, (_, index) => 21 + index));
});

test('what is known is not asked for again, and a few are not worth it', async () => {
  const { chain, ahead } = setup(60);
  await ahead();
  const before = chain.requests();
  await ahead();
  expect(chain.requests()).toBe(before);
  const few = setup(32);
  await few.ahead();
  expect(few.chain.requests()).toBe(0);
});

test('given up, it asks no further', async () => {
  const { chain, ahead, ended } = setup(60);
  chain.intercept(() => {
    ended.abort();
    return undefined;
  });
  await ahead();
  expect(chain.requests()).toBeLessThanOrEqual(6);
});

test('what fails or is not there is left to whoever asks by hash', async () => {
  const { chain, read, ahead } = setup(60);
  chain.faults.errors = 1;
  await ahead();
  expect(read.size).toBe(0);
  chain.faults.errors = 0;
  chain.intercept((_method, [height]) => (height === '0x5' ? null : undefined));
  await ahead();
  expect(read.size).toBe(58);
});
