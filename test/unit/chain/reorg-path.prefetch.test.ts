import { expect, test } from 'vitest';
import { type BlockLink, createBlocks, type MinedBlock } from '../../../src/chain/blocks.js';
import { prefetchHeaders } from '../../../src/chain/reorg-path.js';
import type { Hash } from '../../../src/rpc/schema.js';
import { settled } from '../../support/fake-clock.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';

function setup(count: number) {
  const chain = createSimulatedChain();
  const head = chain.head();
  for (let i = 0; i < count; i++) chain.mine();
  const headers = new Map<Hash, MinedBlock>();
  const ended = new AbortController();
  const prefetch = (walked = 1_000, tip: BlockLink = chain.head()) =>
    prefetchHeaders(tip, head, {
      walked,
      blocks: createBlocks(chain.service),
      headers,
      signal: ended.signal,
    });
  return { chain, headers, prefetch, ended };
}

test('reads each block between head and tip once', async () => {
  const { chain, headers, prefetch } = setup(60);
  await prefetch();
  const between = chain.canonical().slice(1, -1);
  expect(new Set(headers.keys())).toEqual(new Set(between.map(({ hash }) => hash)));
  expect(chain.requests()).toBe(between.length);
});

test('sends six requests at once', async () => {
  const { chain, prefetch } = setup(60);
  chain.intercept(() => new Promise(() => {}));
  void prefetch();
  await settled();
  expect(chain.requests()).toBe(6);
});

test('`walked` limits it to the newest blocks', async () => {
  const { headers, prefetch } = setup(60);
  await prefetch(40);
  const heights = [...headers.values()].map(({ number }) => Number(number)).sort((a, b) => a - b);
  expect(heights).toEqual(Array.from({ length: 39 }, (_, index) => 21 + index));
});

test('does not headers known heights again, nor fewer than 32', async () => {
  const { chain, prefetch } = setup(60);
  await prefetch();
  const before = chain.requests();
  await prefetch();
  expect(chain.requests()).toBe(before);
  const few = setup(32);
  await few.prefetch();
  expect(few.chain.requests()).toBe(0);
});

test('sends no further request after the signal has aborted', async () => {
  const { chain, prefetch, ended } = setup(60);
  chain.intercept(() => {
    ended.abort();
    return undefined;
  });
  await prefetch();
  expect(chain.requests()).toBeLessThanOrEqual(6);
});

test('leaves out blocks that fail or are missing', async () => {
  const { chain, headers, prefetch } = setup(60);
  chain.faults.errors = 1;
  await prefetch();
  expect(headers.size).toBe(0);
  chain.faults.errors = 0;
  chain.intercept((_method, [height]) => (height === '0x5' ? null : undefined));
  await prefetch();
  expect(headers.size).toBe(58);
});
