import { describe, expect, test } from 'vitest';
import { createReads } from '../../../src/chain/lazy-cache.js';
import type { Service } from '../../../src/service/service.js';
import { createSimulatedChain } from '../../support/simulated-chain.js';

const address = `0x${'a1'.repeat(20)}`;

function setup(options: { urls?: readonly string[]; interval?: number } = {}) {
  const chain = createSimulatedChain({ urls: options.urls ?? ['https://service.example'] });
  chain.intercept((method) => (method === 'eth_getBalance' ? '0x1' : undefined));
  let shared: Service | undefined;
  let repeated = 0;
  const reads = createReads({
    service: chain.service,
    shared: () => shared,
    interval: options.interval ?? 4_000,
    onRepeat: () => {
      repeated += 1;
    },
  });
  const balance = () => reads.remembered.request('eth_getBalance', [address, 'latest']);
  const share = (by: Service): void => {
    shared = by;
  };
  return { chain, reads, balance, repeated: () => repeated, share };
}

describe('remembered', () => {
  test('answers from memory once a question has come again', async () => {
    const { chain, reads, balance } = setup();
    expect(reads.usage()).toMatchObject({ cached: {} });
    await balance();
    await balance();
    // The memory is on its way; it begins with what it sees.
    await reads.caching();
    for (let again = 0; again < 10; again++) expect(await balance()).toBe('0x1');
    expect(chain.sent).toEqual({ eth_getBalance: 5, eth_getBlockByNumber: 1 });
    expect(reads.usage().cached).toEqual({ eth_getBalance: 7 });
  });

  test('what is asked once is asked, and loads nothing', async () => {
    const { chain, reads } = setup();
    const { remembered } = reads;
    for (let height = 0; height < 20; height++)
      await remembered.request('eth_getBlockByNumber', [`0x${height}`, false]);
    expect(chain.requests()).toBe(20);
    const { head } = await reads.caching();
    // Whoever had been there would have seen blocks.
    expect(head.state().height).toBe(-1);
  });

  test('an answer is the service’s own until then, and after', async () => {
    const { chain, balance } = setup();
    chain.intercept(() => Promise.reject(new Error('out of reach')));
    for (let again = 0; again < 5; again++) await expect(balance()).rejects.toThrow('out of reach');
  });
});

describe('service', () => {
  test('sends every request; what remembers sees the answers', async () => {
    const { chain, reads } = setup();
    const { head } = await reads.caching();
    for (let again = 0; again < 3; again++)
      await reads.service.request('eth_getBlockByNumber', ['latest', false]);
    expect(chain.requests()).toBe(3);
    expect(head.state().number).toBe(chain.head().number);
  });

  test('shared, is asked for the head in its place', async () => {
    const { chain, reads, share, repeated } = setup();
    const { head } = await reads.caching();
    await head.look();
    const other = createSimulatedChain();
    other.mine();
    share(head.observe(other.service));
    await head.look();
    expect([chain.requests(), other.requests(), repeated()]).toEqual([1, 1, 1]);
    expect(head.state().height).toBe(1);
  });

  test('shared, a page that polls the latest block asks it too', async () => {
    const { chain, reads, share } = setup({ interval: 1_000 });
    const { head } = await reads.caching();
    const poll = () => reads.remembered.request('eth_getBlockByNumber', ['latest', false]);
    await poll();
    share(head.observe(createSimulatedChain().service));
    await new Promise((resolve) => setTimeout(resolve, 1_010));
    await poll();
    expect(chain.requests()).toBe(1);
  });
});
