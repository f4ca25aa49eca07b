import { describe, expect, onTestFinished, test } from 'vitest';
import { errorCode, ProviderRpcError } from '../../../src/rpc/errors.js';
import type { Service } from '../../../src/service/service.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createChainRuntime } from '../../../src/wallet/chain-runtime.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';

const address = `0x${'a1'.repeat(20)}`;

function setup(options: { interval?: number; client?: (service: Service) => Service } = {}) {
  const chain = createSimulatedChain({ urls: ['https://service.example'] });
  chain.intercept((method) => (method === 'eth_getBalance' ? '0x1' : undefined));
  let closed = false;
  const runtime = createChainRuntime({
    network: chain.service.network,
    limits: undefined,
    pollingInterval: options.interval ?? 4_000,
    requireOpen() {
      if (closed) throw new ProviderRpcError(errorCode.disconnected, 'closed');
    },
    onReachable() {},
    changed() {},
    name: 'test',
    storage: createMemoryStorage(),
    origin: 'https://dapp.example',
    notify() {},
    createClient: () => options.client?.(chain.service) ?? chain.service,
  });
  const close = () => {
    closed = true;
    runtime.close();
  };
  onTestFinished(close);
  const balance = () => runtime.reads.cached.request('eth_getBalance', [address, 'latest']);
  const pollOnce = async () => void (await (await runtime.head()).latest());
  return { chain, runtime, balance, close, pollOnce };
}

describe('reads.cached', () => {
  test('answers from the cache once a read has been repeated', async () => {
    const { chain, runtime, balance } = setup();
    expect(runtime.usage()).toMatchObject({ cached: {} });
    await balance();
    await balance();
    // The cache is loading; it begins empty.
    await runtime.head();
    for (let again = 0; again < 10; again++) expect(await balance()).toBe('0x1');
    expect(chain.sent).toEqual({ eth_getBalance: 5, eth_getBlockByNumber: 1 });
    expect(runtime.usage().cached).toEqual({ eth_getBalance: 7 });
  });

  test('does not load the cache for reads that are made once', async () => {
    const { chain, runtime } = setup();
    for (let height = 0; height < 20; height++)
      await runtime.reads.cached.request('eth_getBlockByNumber', [`0x${height}`, false]);
    expect(chain.requests()).toBe(20);
    // A tracker that was there would have noted blocks.
    expect((await runtime.head()).state().height).toBe(-1);
  });

  test('rejects as the service does, before and after the cache has loaded', async () => {
    const { chain, balance } = setup();
    chain.intercept(() => Promise.reject(new Error('out of reach')));
    for (let again = 0; again < 5; again++) await expect(balance()).rejects.toThrow('out of reach');
  });
});

describe('reads.fresh', () => {
  test('sends every request, and the head tracker notes the answers', async () => {
    const { chain, runtime } = setup();
    const head = await runtime.head();
    for (let again = 0; again < 3; again++)
      await runtime.reads.fresh.request('eth_getBlockByNumber', ['latest', false]);
    expect(chain.requests()).toBe(3);
    expect(head.state().number).toBe(chain.head().number);
  });
});

describe('polls of the head', () => {
  test('are shared with other tabs from the second for a read on', async () => {
    const { runtime, pollOnce } = setup();
    await pollOnce();
    expect(runtime.following.peek()).toBe(undefined);
    await pollOnce();
    // The poll has begun to load it; this waits for the same.
    await runtime.following();
    const shared = runtime.following.peek()?.service;
    if (!shared) throw new Error('not loaded');
    const requests: string[] = [];
    const { request } = shared;
    Object.assign(shared, {
      request(...call: Parameters<typeof request>) {
        requests.push(call[0]);
        return request(...call);
      },
    });
    await pollOnce();
    expect(requests).toEqual(['eth_getBlockByNumber']);
    expect((await runtime.head()).state().height).toBe(0);
  });

  test('serve a page that polls the latest block too', async () => {
    const { chain, runtime } = setup({ interval: 1_000 });
    await runtime.following();
    const { service } = runtime.following.peek() as NonNullable<ReturnType<typeof runtime.following.peek>>;
    let shared = 0;
    const { request } = service;
    Object.assign(service, {
      request(...call: Parameters<typeof request>) {
        shared += 1;
        return request(...call);
      },
    });
    const poll = () => runtime.reads.cached.request('eth_getBlockByNumber', ['latest', false]);
    await poll();
    await new Promise((resolve) => setTimeout(resolve, 1_010));
    await poll();
    expect(shared).toBe(1);
    expect(chain.requests()).toBe(2);
  });
});

describe('close()', () => {
  test('rejects requests, whichever service they go through', async () => {
    const { chain, runtime, close } = setup();
    const { fresh, cached } = runtime.reads;
    const { sends, background } = runtime;
    close();
    for (const service of [fresh, cached, sends, background])
      await expect(service.request('eth_getBalance', [])).rejects.toMatchObject({ code: 4900 });
    expect(chain.requests()).toBe(0);
  });

  test('ends what was still loading', async () => {
    const { runtime, close } = setup();
    const loading = runtime.following();
    close();
    const { subscriptions } = await loading;
    await expect(subscriptions.subscribe({ kind: 'newHeads' })).resolves.toBeTypeOf('string');
    expect((await loading).follower.head()).toBe(null);
  });
});
