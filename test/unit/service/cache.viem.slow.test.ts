import { createPublicClient, custom, type Hex, http, type PublicClient } from 'viem';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import { createHeadTracker } from '../../../src/chain/head-tracker.js';
import { createCache } from '../../../src/service/cache/cache.js';
import type { Service } from '../../../src/service/service.js';
import { observed } from '../../support/observed.js';
import { openWallet } from '../../support/open-wallet.js';
import { createRandom } from '../../support/random.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';
import { waitFor } from '../../support/wait-for.js';
import { answerOf, transaction, type View } from './ledger.js';

/** A dapp on viem as it comes, which polls; the same session without the cache and with it. */

type Request = (asked: { method: string; params?: unknown }) => Promise<unknown>;
const addresses = Array.from({ length: 5 }, (_, index) => `0x${String(index + 1).repeat(40)}` as Hex);

afterEach(() => {
  vi.useRealTimers();
});

interface Widgets {
  /** Told of each block number; waits for a receipt; and reads all balances at each block. */
  readonly page: boolean;
  /** Shows one balance and one contract value, each read anew at viem's interval. */
  readonly poller: boolean;
}

/** Twenty minutes in which blocks come at random, 25 s apart on average. */
async function session(interval: number | null, { page, poller }: Widgets) {
  vi.useFakeTimers();
  const random = createRandom(11);
  const chain = createSimulatedChain({ random, urls: ['https://service.example'] });
  for (let block = 0; block < 30; block++) chain.mine();
  let requests = 0;
  const mineLater = () =>
    void setTimeout(
      () => {
        chain.mine();
        mineLater();
      },
      -25_000 * Math.log(1 - random()),
    );
  mineLater();

  const node: Service = {
    ...chain.service,
    async request(method, params, { check } = {}) {
      requests += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
      const result = method === 'eth_chainId' ? '0x21' : answerOf(chain.canonical() as View, method, params);
      check?.(result);
      return structuredClone(result);
    },
  };
  const head = createHeadTracker({ service: () => service, interval: interval ?? 4_000 });
  const service = observed(node, head);
  const cache = createCache({ service, head });
  const request: Request = ({ method, params = [] }) => {
    const read = [...(params as unknown[])];
    // As the wallet's readers complete the params.
    if (method === 'eth_getBlockByNumber') read[1] ??= false;
    return (interval === null ? node : cache).request(method, read);
  };
  const client: PublicClient = createPublicClient({ transport: custom({ request }), pollingInterval: 4_000 });

  const blocks: bigint[] = [];
  const delays: number[] = [];
  const minedAt = new Map<bigint, number>();
  const { mine } = chain;
  chain.mine = (...emitted) => {
    const block = mine(...emitted);
    minedAt.set(BigInt(block.number), Date.now());
    return block;
  };
  const ends: (() => void)[] = [];
  if (page) {
    ends.push(
      client.watchBlockNumber({
        emitMissed: true,
        onBlockNumber(number) {
          blocks.push(number);
          delays.push(Date.now() - (minedAt.get(number) ?? Date.now()));
          for (const address of addresses) client.getBalance({ address }).catch(() => {});
        },
      }),
    );
    client.waitForTransactionReceipt({ hash: transaction(45), timeout: 0 }).catch(() => {});
  }
  if (poller) {
    const timer = setInterval(() => {
      client.getBalance({ address: addresses[0] as Hex }).catch(() => {});
      client.call({ to: addresses[1] as Hex, data: '0x18160ddd' }).catch(() => {});
      client.getGasPrice().catch(() => {});
    }, 4_000);
    ends.push(() => clearInterval(timer));
  }
  await vi.advanceTimersByTimeAsync(1_200_000);
  for (const end of ends) end();
  const delay = delays.reduce((sum, each) => sum + each, 0) / (delays.length || 1);
  vi.useRealTimers();
  return { requests, blocks, delay };
}

const widgets = [
  { what: 'a page that follows the blocks', page: true, poller: false, share: { same: 0.9, slow: 0.65 } },
  { what: 'widgets that poll what they show', page: false, poller: true, share: { same: 0.92, slow: 0.42 } },
  { what: 'both', page: true, poller: true, share: { same: 0.75, slow: 0.43 } },
];

test.each(widgets)('$what, for what share of the requests', async ({ share, ...of }) => {
  const alone = await session(null, of);
  const same = await session(4_000, of);
  const slow = await session(12_000, of);
  expect(same.requests / alone.requests).toBeLessThanOrEqual(share.same);
  expect(slow.requests / alone.requests).toBeLessThanOrEqual(share.slow);
  // It hears of the same blocks, each once and in order, if later.
  for (const { blocks } of [same, slow]) {
    expect(blocks).toEqual(alone.blocks.slice(0, blocks.length));
    expect(alone.blocks.length - blocks.length).toBeLessThanOrEqual(1);
  }
});

test('the same over the real service', async () => {
  const count = async (withWallet: boolean): Promise<number> => {
    const service = await createLocalService({ chainId: 31, mining: 'manual' });
    onTestFinished(() => service.close());
    const wallet = openWallet({
      networks: [{ chainId: 31, url: service.url }],
      pollingInterval: 1_000,
    });
    onTestFinished(() => wallet.destroy());
    const transport = withWallet ? custom(wallet.provider) : http(service.url);
    const client = createPublicClient({ transport, pollingInterval: 300 });
    await service.controls.mine();
    service.requests.clear();
    const seen: bigint[] = [];
    const end = client.watchBlockNumber({ onBlockNumber: (number) => void seen.push(number) });
    const timer = setInterval(() => {
      for (const address of addresses) client.getBalance({ address }).catch(() => {});
    }, 300);
    await waitFor(() => expect(seen).toEqual([1n]), { timeout: 30_000 });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await service.controls.mine();
    await new Promise((resolve) => setTimeout(resolve, 2_400));
    expect(seen).toEqual([1n, 2n]);
    end();
    clearInterval(timer);
    if (withWallet) {
      const usage = () => wallet.usage().get(31);
      const sent = () => Object.values(usage()?.sent ?? {}).reduce((sum, each) => sum + each, 0);
      // One that was sent last may not have arrived, and the wallet may send more.
      await waitFor(() => expect(service.requests.http).toBe(sent()));
      expect(usage()?.cached.eth_getBalance).toBeGreaterThan(0);
      expect(usage()?.cached.eth_blockNumber).toBeGreaterThan(0);
    }
    return service.requests.http;
  };
  const [alone, cached] = await Promise.all([count(false), count(true)]);
  expect(cached).toBeLessThan(alone * 0.8);
});
