import { expect, test } from 'vitest';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { createChainCursor } from '../../../src/subscriptions/chain-cursor.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';

function setUp(ringSize = 512) {
  const chain = createSimulatedChain();
  for (let i = 0; i < 20; i++) chain.mine();
  const { signal } = new AbortController();
  const open = () =>
    createChainCursor({ service: chain.service, walked: 12, ringSize, signal, delivered: () => [] });
  const cursor = open();
  const { number, hash, parentHash, timestamp } = chain.head();
  cursor.start({ links: [{ number, hash, parentHash, timestamp }] });
  const to = (block: MinedBlock = chain.head(), added: readonly MinedBlock[] = [block]) =>
    cursor.pathTo({ removed: [], added });
  return { chain, open, cursor, to };
}

const hashes = (blocks: readonly { hash: unknown }[] = []) => blocks.map(({ hash }) => hash);

test('the way to a block by its parents, of which those of the step are not asked for', async () => {
  const { chain, to } = setUp();
  const blocks = Array.from({ length: 5 }, () => chain.mine());
  expect(hashes((await to())?.added)).toEqual(hashes(blocks));
  expect(chain.requests()).toBe(4);
  const other = setUp();
  const step = Array.from({ length: 40 }, () => other.chain.mine());
  expect(await other.to(step.at(-1), step)).toEqual({ removed: [], added: step });
  expect(other.chain.requests()).toBe(0);
});

test('beyond what is walked, heights; then on from what was reached', async () => {
  const { chain, cursor, to } = setUp();
  for (let i = 0; i < 100; i++) chain.mine();
  expect(await to()).toMatchObject({ missed: { from: 21, to: 108 }, removed: [] });
  cursor.reach(chain.canonical()[60] as MinedBlock);
  expect(await to()).toMatchObject({ missed: { from: 61, to: 108 } });
  expect(cursor.links()).toMatchObject({ reached: { number: '0x3c' }, links: [{ number: '0x14' }] });
});

test('where it is already there is no way to go', async () => {
  const { chain, cursor, to } = setUp();
  const [below, first, second] = [chain.canonical()[19], chain.mine(), chain.mine()] as MinedBlock[];
  cursor.advance(first as MinedBlock);
  cursor.advance(second as MinedBlock);
  expect(await to(first)).toBe(null);
  expect(await to(second)).toBe(null);
  expect(chain.requests()).toBe(0);
  expect(await to(below)).toBe(null);
});

test('a node that is far behind is not followed, a chain that restarted is, after a while', async () => {
  const { chain, to } = setUp();
  chain.intercept((_method, [height]) => (height === '0x14' ? null : undefined));
  const behind = chain.canonical()[3] as MinedBlock;
  for (let i = 0; i < 10; i++) expect(await to(behind)).toBe(null);
  const anew = { ...behind, hash: `0x${'ab'.repeat(32)}`, timestamp: '0x7fffffff' } as MinedBlock;
  for (let i = 0; i < 2; i++) await expect(to(anew)).rejects.toMatchObject({ code: -32603 });
  expect((await to(anew))?.added.at(-1)).toEqual(anew);
});

test('when all that is known has left, it goes on from below it, also in the next page', async () => {
  for (const length of [3, 90]) {
    const { chain, open, cursor, to } = setUp();
    chain.reorg(1, ...Array.from({ length }, () => []));
    const path = await to();
    expect(hashes(path?.removed)).toHaveLength(1);
    cursor.rewind(path as NonNullable<typeof path>);
    expect(hashes((await to())?.added)).toEqual(hashes(path?.added));
    const next = open();
    next.start(structuredClone(cursor.links()));
    const again = await next.pathTo({ removed: [], added: [chain.head()] });
    expect(hashes(again?.added)).toEqual(hashes(path?.added));
    expect(again?.missed?.to).toBe(path?.missed?.to);
    expect(again?.missed?.from ?? 0).toBeLessThanOrEqual(path?.missed?.from ?? 0);
  }
});

test('blocks between which some are not known are not taken for neighbours', async () => {
  const { chain, cursor, to } = setUp();
  for (let i = 0; i < 60; i++) chain.mine();
  const path = await to();
  cursor.rewind(path as NonNullable<typeof path>);
  for (const block of path?.added ?? []) cursor.advance(block);
  expect(cursor.links().links.map(({ number }) => Number(number))).toEqual(
    Array.from({ length: 12 }, (_, i) => 69 + i),
  );
  chain.reorg(20, ...Array.from({ length: 21 }, () => []));
  const forked = await to();
  expect(hashes(forked?.added)).toEqual(hashes(chain.canonical().slice(-21)));
  expect(forked?.missed).toBe(undefined);
});

test('a fork between blocks of which not every one is kept is found all the same', async () => {
  for (const forgotten of [false, true]) {
    const { chain, open, cursor, to } = setUp();
    for (let i = 0; i < 200; i++) cursor.advance(chain.mine());
    const next = open();
    next.start(structuredClone(cursor.links()));
    const gone = hashes(chain.canonical().slice(-50));
    chain.reorg(50, ...Array.from({ length: 51 }, () => []));
    if (forgotten) chain.intercept((_method, [selector]) => (gone.includes(selector) ? null : undefined));
    const path = await next.pathTo({ removed: [], added: [chain.head()] });
    const length = path?.added.length ?? 0;
    expect(hashes(path?.added)).toEqual(hashes(chain.canonical().slice(-length)));
    // Block 170 is where the fork is, 160 the next below it that is kept.
    expect(length).toBe(forgotten ? 61 : 51);
    next.rewind(path as NonNullable<typeof path>);
    expect(next.head()).toMatchObject({ number: forgotten ? '0xa0' : '0xaa' });
    expect(await to()).toMatchObject({ removed: { length: 50 }, added: { length: 51 } });
  }
});

test('when all that is known has left in a long absence, it goes on from where it was known to stand', async () => {
  const { chain, open, cursor, to } = setUp();
  chain.reorg(3, ...Array.from({ length: 90 }, () => []));
  const path = await to();
  expect(path).toMatchObject({ removed: { length: 3 }, missed: { from: 18, to: 95 } });
  cursor.rewind(path as NonNullable<typeof path>);
  expect(cursor.head()).toEqual({ number: '0x11', hash: chain.canonical()[17]?.hash });
  const next = open();
  next.start(cursor.links());
  expect(await next.pathTo({ removed: [], added: [chain.head()] })).toMatchObject({
    removed: [],
    missed: { from: 18, to: 95 },
  });
});
