import { expect, test } from 'vitest';
import type { MinedBlock } from '../../../src/chain/blocks.js';
import { createMatcher } from '../../../src/rpc/matcher.js';
import type { Log } from '../../../src/rpc/schema.js';
import { createChainCursor } from '../../../src/subscriptions/chain-cursor.js';
import { createDeliveredBlocks } from '../../../src/subscriptions/delivered-blocks.js';
import { createLogDelivery } from '../../../src/subscriptions/log-delivery.js';
import { createLogsOf } from '../../../src/subscriptions/logs-of-block.js';
import { address, createSimulatedChain } from '../../support/simulated-chain.js';

function setUp(size: number, ringSize = 512) {
  const chain = createSimulatedChain();
  const { service } = chain;
  const { signal } = new AbortController();
  const cursor = createChainCursor({ service, walked: 12, ringSize, signal, delivered: () => [] });
  const { number, hash, parentHash, timestamp } = chain.head();
  cursor.start({ links: [{ number, hash, parentHash, timestamp }] });
  const stored: (readonly Log[])[] = [];
  const received: Log[] = [];
  let active = true;
  const data = `0x${'00'.repeat(size)}` as const;
  const delivered = createDeliveredBlocks({ maxBlocks: ringSize, heights: ringSize, size: 2 ** 20 });
  const tell = createLogDelivery({
    ...{ cursor, delivered, matcher: createMatcher({}), active: () => active },
    logsOf: async (block) => (await createLogsOf(service)(block)).map((log) => ({ ...log, data })),
    backfill: async (from, to) =>
      chain
        .canonical()
        .slice(from, to + 1)
        .flatMap(chain.logsOf)
        .map((log) => ({ ...log, data })),
    beforeEmit: async (logs) => void stored.push(logs),
    emit: (log) => void received.push(log),
  });
  const follow = async (block: MinedBlock = chain.head(), leaves: MinedBlock[] = []) => {
    const path = await cursor.pathTo({ removed: [], added: [block] });
    if (path) await tell(path, ({ hash }) => leaves.some((each) => each.hash === hash));
  };
  return { chain, cursor, delivered, stored, received, follow, stop: () => (active = false) };
}

const emitted = { address: address(1) };
const bytes = (value: unknown) => JSON.stringify(value).length;

test('logs are stored before they are emitted, by whole blocks and not all at once', async () => {
  const { chain, stored, received, follow, cursor } = setUp(1_000);
  for (let i = 0; i < 600; i++) chain.mine(emitted, emitted);
  await follow();
  expect(received).toHaveLength(1_200);
  expect(stored.flat()).toEqual(received);
  expect(stored.length).toBeGreaterThan(12);
  for (const logs of stored) {
    expect(bytes(logs)).toBeLessThan(2 ** 19);
    expect(logs.length % 2).toBe(0);
  }
  expect(cursor.head()?.hash).toBe(chain.head().hash);
});

test('blocks that are kept to be taken back have an end in blocks and in size, but the newest block', async () => {
  const few = setUp(10, 100);
  for (let i = 0; i < 300; i++) few.chain.mine(emitted);
  await few.follow();
  expect(few.delivered.blocks().map(({ number }) => Number(number))).toEqual(
    Array.from({ length: 100 }, (_, i) => 201 + i),
  );

  const large = setUp(20_000);
  for (let i = 0; i < 300; i++) large.chain.mine(emitted);
  await large.follow();
  expect(bytes(large.delivered.blocks())).toBeLessThanOrEqual(2 ** 20);
  expect(bytes(large.delivered.blocks())).toBeGreaterThan(2 ** 19);
  expect(large.delivered.blocks().at(-1)?.hash).toBe(large.chain.head().hash);

  const huge = setUp(1_000_000);
  huge.chain.mine(emitted);
  await huge.follow();
  huge.chain.mine(emitted);
  await huge.follow();
  expect(huge.delivered.blocks().map(({ hash }) => hash)).toEqual([huge.chain.head().hash]);
});

test('enough delivered blocks are kept to find a fork a long way down', async () => {
  const { chain, follow, cursor } = setUp(0);
  for (let i = 0; i < 600; i++) {
    chain.mine();
    await follow();
  }
  const heights = cursor.links().links.map(({ number }) => Number(number));
  expect(heights.slice(-32)).toEqual(Array.from({ length: 32 }, (_, i) => 569 + i));
  expect(heights.length).toBeLessThan(52);
  expect(Math.max(...heights.slice(1).map((height, i) => height - (heights[i] as number)))).toBe(32);
  expect(heights[0]).toBe(89);
});

test('a block that is gone already is left to the step that takes it', async () => {
  const { chain, follow, received, cursor } = setUp(0);
  const [first, second] = [chain.mine(emitted), chain.mine(emitted)];
  await follow(second, [second]);
  expect(received).toEqual(chain.logsOf(first).map((log) => ({ ...log, removed: false })));
  expect(cursor.head()?.hash).toBe(first.hash);
});

test('after the end nothing is emitted or stored', async () => {
  const { chain, follow, received, stored, stop } = setUp(0);
  chain.mine(emitted);
  stop();
  await follow();
  expect([received, stored]).toEqual([[], []]);
});
