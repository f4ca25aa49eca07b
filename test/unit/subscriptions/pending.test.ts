import { expect, test } from 'vitest';
import type { Hash } from '../../../src/rpc/schema.js';
import { createPendingTransactions } from '../../../src/subscriptions/pending.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { createSimulatedChain, word } from '../../support/simulated-chain.js';

function setUp() {
  const chain = createSimulatedChain();
  const time = createFakeClock();
  const pending = createPendingTransactions({ service: chain.service, clock: time.clock });
  const heard: Hash[] = [];
  return {
    chain,
    time,
    pending,
    heard,
    listen: (passive = false) => pending.watch((news) => void heard.push(...news), passive),
  };
}

test('transactions as they enter the pool, through one filter for all, removed with the last', async () => {
  const { chain, time, heard, listen } = setUp();
  chain.submit(word(1));
  const ends = [listen(), listen()];
  await settled();
  chain.submit(word(2), word(3));
  await time.advance(5_000);
  expect(heard).toEqual([word(2), word(3), word(2), word(3)]);
  expect([chain.sent.eth_newPendingTransactionFilter, chain.filterCount()]).toEqual([1, 1]);
  for (const end of ends) end();
  await settled();
  expect(chain.filterCount()).toBe(0);
  const before = chain.requests();
  await time.advance(60_000);
  expect(chain.requests()).toBe(before);
});

test('a filter that the service forgot is created again, and no hash comes twice', async () => {
  const { chain, time, heard, listen } = setUp();
  const end = listen();
  await settled();
  chain.submit(word(1));
  await time.advance(5_000);
  chain.restart();
  await time.advance(5_000);
  chain.submit(word(1), word(2));
  await time.advance(5_000);
  expect(heard).toEqual([word(1), word(2)]);
  end();
});

test('where the service has no filters, the pending block is read, without its reward transaction', async () => {
  const { chain, time, heard, listen } = setUp();
  chain.withoutFilters();
  chain.submit(word(1));
  const end = listen();
  await settled();
  chain.submit(word(2));
  const remasc = { hash: word(9), nonce: '0x0', to: '0x0000000000000000000000000000000001000008' };
  chain.intercept((method) =>
    method === 'eth_getBlockByNumber'
      ? {
          ...chain.head(),
          number: null,
          hash: null,
          transactions: [{ hash: word(1), nonce: '0x0' }, { hash: word(2), nonce: '0x0' }, remasc],
        }
      : undefined,
  );
  await time.advance(10_000);
  expect(heard).toEqual([word(2)]);
  expect(chain.sent.eth_newPendingTransactionFilter).toBe(1);
  end();
});

test('passive watchers hear what poll() brings, and cost nothing in between', async () => {
  const { chain, time, pending, heard, listen } = setUp();
  const end = listen(true);
  await pending.poll();
  chain.submit(word(1));
  const before = chain.requests();
  await time.advance(60_000);
  expect(chain.requests()).toBe(before);
  await pending.poll();
  expect(heard).toEqual([word(1)]);
  const active = listen();
  await settled();
  active();
  expect(time.next()).toBe(undefined);
  end();
});

test('failures and nonsense are waited out', async () => {
  const { chain, time, heard, listen } = setUp();
  const end = listen();
  await settled();
  chain.intercept((method) => (method === 'eth_getFilterChanges' ? [{}] : undefined));
  await time.advance(10_000);
  chain.faults.errors = 1;
  chain.intercept();
  await time.advance(60_000);
  chain.faults.errors = 0;
  chain.submit(word(1));
  await time.advance(30_000);
  expect(heard).toEqual([word(1)]);
  end();
});

test('a service that forgets each filter at once', async () => {
  const { chain, pending, listen } = setUp();
  const end = listen(true);
  chain.intercept((method) => {
    if (method === 'eth_getFilterChanges') chain.restart();
    return undefined;
  });
  await expect(pending.poll()).rejects.toMatchObject({ code: -32000 });
  expect(chain.requests()).toBe(4);
  end();
});

test('hashes delivered long ago are forgotten, so that memory is bounded', async () => {
  const { chain, pending, heard, listen } = setUp();
  const end = listen(true);
  await pending.poll();
  chain.submit(...Array.from({ length: 5_000 }, (_, i) => word(i)));
  await pending.poll();
  chain.submit(word(0), word(4_999));
  await pending.poll();
  expect(heard.slice(5_000)).toEqual([word(0)]);
  end();
});

test('a hash that one answer has twice is delivered once', async () => {
  const { chain, heard, listen, time } = setUp();
  const end = listen();
  await settled();
  chain.submit(word(2), word(2));
  await time.advance(5_000);
  expect(heard).toEqual([word(2)]);
  end();
});

test.each([[{}], [7], [''], [['0x1']], [null]])(
  '%j is no filter id: it is never polled, and a later poll requests a new filter',
  async (id) => {
    const { chain, heard, listen, time } = setUp();
    chain.intercept((method) => (method === 'eth_newPendingTransactionFilter' ? (id ?? 'null') : undefined));
    const end = listen();
    await settled();
    await time.advance(5_000);
    expect(chain.sent.eth_getFilterChanges).toBeUndefined();
    chain.intercept();
    await time.advance(60_000);
    chain.submit(word(3));
    await time.advance(60_000);
    expect(heard).toEqual([word(3)]);
    end();
  },
);
