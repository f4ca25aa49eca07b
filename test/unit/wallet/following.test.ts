import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHeadTracker } from '../../../src/chain/head-tracker.js';
import type { Following } from '../../../src/methods/context.js';
import type { Hash, Hex } from '../../../src/rpc/schema.js';
import { createCache } from '../../../src/service/cache/cache.js';
import { createLogRanges } from '../../../src/service/logs/ranges.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createFollowing } from '../../../src/wallet/following.js';
import { observed } from '../../support/observed.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const period = 4_000;

/** A page whose reads and whose filters are of one chain. */
function setup() {
  const chain = createSimulatedChain({ urls: ['https://service.example'] });
  const told: unknown[] = [];
  const head = createHeadTracker({ service: () => following.service, interval: period });
  const service = observed(chain.service, head);
  const cache = createCache({ service, head });
  const following: Following = createFollowing({
    ...{ service, head, name: 'test', origin: 'https://dapp.example' },
    logRanges: async () => createLogRanges(service),
    storage: createMemoryStorage(),
    notify: (_id, event) => told.push(event),
  });
  const looks = () => chain.asked.filter(({ params }) => params[0] === 'latest').length;
  const blockNumber = async () => {
    const block = await cache.request('eth_getBlockByNumber', ['latest', false]);
    return Number((block as { number: Hex }).number);
  };
  return { chain, following, looks, blockNumber, told };
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

/** As libraries do: again a while after the last answer. */
function poll(read: () => Promise<void>, wait: number): () => void {
  let stopped = false;
  const again = async (): Promise<void> => {
    if (stopped) return;
    await read();
    setTimeout(again, wait);
  };
  void again();
  return () => {
    stopped = true;
  };
}

test('filters and reads that a page polls at our interval share one poll of the head each time', async () => {
  const { chain, following, looks, blockNumber } = setup();
  const ids = await Promise.all([
    following.filters.newBlockFilter(),
    following.filters.newBlockFilter(),
    following.filters.newFilter({}),
  ]);
  const heard: (readonly unknown[])[] = ids.map(() => []);
  const heights = new Set<number>();
  const before = looks();
  const stops = [
    poll(async () => void heights.add(await blockNumber()), period + 5),
    ...ids.map((id: Hex, at) =>
      poll(
        async () => {
          heard[at] = [...(heard[at] as Hash[]), ...(await following.filters.changes(id))];
        },
        period + 9 * at,
      ),
    ),
  ];
  const mined: Hash[] = [];
  for (let block = 0; block < 10; block++) {
    await seconds(25);
    mined.push(chain.mine().hash);
  }
  await seconds(10);
  for (const stop of stops) stop();
  expect(heights.size).toBe(11);
  expect(heard[0]).toEqual(mined);
  expect(heard[1]).toEqual(mined);
  // 260 s and no more than one between two that are due, now and then.
  expect(looks() - before).toBeLessThanOrEqual(260 / 4 + 5);
});

test('a page that polls at our interval gets the newest block each time', async () => {
  const { chain, blockNumber } = setup();
  await blockNumber();
  for (let block = 1; block <= 20; block++) {
    await vi.advanceTimersByTimeAsync(period - 300);
    chain.mine();
    expect(await blockNumber()).toBe(block);
  }
});

test('subscribers get a block as soon as a read of the page has shown it', async () => {
  const { chain, following, blockNumber, looks, told } = setup();
  await blockNumber();
  await following.subscriptions.subscribe({ kind: 'newHeads' });
  await seconds(3.7);
  chain.mine();
  const before = looks();
  await blockNumber();
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toMatchObject([{ number: '0x1' }]);
  expect(looks() - before).toBe(1);
  following.close();
});
