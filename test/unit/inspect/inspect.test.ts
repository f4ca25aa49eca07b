import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { WalletEvent } from '../../../src/index.js';
import { type Inspection, inspect } from '../../../src/inspect/index.js';
import { openPage } from '../../support/page.js';

let service: LocalService;
beforeAll(async () => {
  service = await createLocalService({ chainId: 31, mining: 'manual' });
});
afterAll(() => service.close());
beforeEach(() => service.requests.clear());

const account = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';

function open(limits: object = {}, options?: inspect.Options) {
  const page = openPage({ networks: [{ chainId: 31, url: service.url, ...limits }] });
  const inspection = inspect(page.wallet, options);
  onTestFinished(() => {
    inspection.stop();
    page.close();
  });
  return { ...page, inspection };
}

/** How often each method was sent, by the service's own record. */
const received = () =>
  Object.fromEntries(service.requests.map(({ method }) => [method, service.requests.count(method)]));

describe('a snapshot', () => {
  test('has the counts that the service has', async () => {
    const page = open({ batch: 5, requestsPerDay: 1_000 });
    await page.request('eth_subscribe', ['newHeads']);
    await Promise.all([
      page.request('eth_getBalance', [account, 'latest']),
      page.request('eth_getBalance', [account, 'latest']),
      page.request('eth_getCode', [account, 'latest']),
      page.refusal('eth_call', [{ to: 'nobody' }, 'latest']),
    ]);
    await service.controls.mine(3);
    await expect.poll(() => page.payloads('message').length).toBe(3);
    page.wallet.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));

    const { methods, http, requests, chains, subscriptions } = page.inspection.snapshot();
    expect(http).toMatchObject({
      requests: service.requests.http,
      calls: service.requests.count(),
    });
    // The wallet that was destroyed may have cut a poll off.
    expect(http.failed).toBeLessThanOrEqual(1);
    expect(http.cost).toBe(service.requests.count());
    expect(
      Object.fromEntries(methods.filter((each) => each.sent > 0).map((each) => [each.method, each.sent])),
    ).toEqual(received());
    const of = (name: string) => methods.find(({ method }) => method === name);
    expect(of('eth_getBalance')).toMatchObject({ asked: 2, answered: 2, failed: 0 });
    expect(of('eth_getBalance')?.from).toMatchObject({ shared: 1, service: 1 });
    expect(of('eth_call')).toMatchObject({ asked: 1, answered: 0, failed: 1, sent: 0, cost: 0 });
    expect(requests.map(({ method, code }) => [method, code])).toContainEqual(['eth_call', -32602]);
    expect(chains).toMatchObject([
      { chainId: 31, cost: http.cost, quota: { used: service.requests.count(), perDay: 1_000 } },
    ]);
    // The wallet has ended its subscriptions.
    expect(subscriptions).toEqual([]);
  });

  test('has the cost of each network by itself, beside the quota of that network', async () => {
    await using local = await createLocalService({ chainId: 33, mining: 'manual' });
    const page = openPage({
      networks: [
        { chainId: 31, url: service.url, requestsPerDay: 1_000 },
        { chainId: 33, url: local.url, requestsPerDay: 2_000 },
      ],
    });
    onTestFinished(page.close);
    using inspection = inspect(page.wallet);
    await page.request('eth_getBalance', [account, 'latest']);
    page.wallet.switchChain(33);
    for (const method of ['eth_gasPrice', 'eth_getBlockByNumber'] as const)
      await page.request(method, method === 'eth_gasPrice' ? [] : ['0x0', false]);
    const costs = [service.requests.count(), local.requests.count()];
    expect(costs[0]).not.toBe(costs[1]);
    expect(inspection.snapshot().chains).toMatchObject([
      { chainId: 31, cost: costs[0], quota: { used: costs[0], perDay: 1_000 } },
      { chainId: 33, cost: costs[1], quota: { used: costs[1], perDay: 2_000 } },
    ]);
    inspection.clear();
    expect(inspection.snapshot().chains.map(({ cost }) => cost)).toEqual([0, 0]);
  });

  test('shows what a subscription holds, and stays as it was taken', async () => {
    const page = open();
    const id = await page.request('eth_subscribe', ['newHeads']);
    const before = page.inspection.snapshot();
    await service.controls.mine(2);
    await expect.poll(() => page.payloads('message').length).toBe(2);
    const height = Number(await page.request('eth_blockNumber'));
    const row = { id, chainId: 31, of: 'newHeads', durable: false };
    expect(page.inspection.snapshot().subscriptions).toEqual([{ ...row, delivered: 2, block: height }]);
    expect(before.subscriptions).toEqual([{ ...row, delivered: 0 }]);
    expect(page.inspection.snapshot().chains[0]?.head?.number).toBe(height);
  });

  test('keeps the newest requests, as many as it may', async () => {
    const page = open({}, { capacity: 3 });
    await page.request('eth_gasPrice');
    for (let index = 0; index < 5; index++) await page.request('eth_chainId');
    expect(page.inspection.snapshot().requests.map(({ id }) => id)).toEqual([6, 5, 4]);
    page.inspection.clear();
    expect(page.inspection.snapshot()).toMatchObject({
      methods: [],
      requests: [],
      http: { requests: 0, bytes: 0 },
    });
  });
});

describe('a printed table', () => {
  /** A wallet of which only the events are known. */
  const replay = (events: readonly WalletEvent[]) => {
    const inspection = inspect({
      observe(listener) {
        events.forEach(listener);
        return () => {};
      },
    });
    onTestFinished(inspection.stop);
    return inspection.print();
  };
  const asked = { at: 1, origin: 'https://app.example', chainId: 31 };

  test('has a line for each method, and what it cost', () => {
    expect(
      replay([
        { kind: 'asked', id: 1, method: 'eth_call', ...asked },
        { kind: 'read', chainId: 31, method: 'eth_call', from: 'service', asked: 1, at: 1 },
        {
          ...{ kind: 'http', chainId: 31, host: 'node.example', methods: ['eth_call'], retries: 0 },
          ...{ status: 503, ms: 30, bytes: 0, cost: 1, at: 2 },
        } as WalletEvent,
        {
          ...{
            kind: 'http',
            chainId: 31,
            host: 'node.example',
            methods: ['eth_call', 'eth_gasPrice'],
            retries: 1,
          },
          ...{ status: 200, ms: 50, bytes: 1_200, cost: 2, at: 3 },
        } as WalletEvent,
        { kind: 'answered', id: 1, method: 'eth_call', ms: 90, from: 'service', at: 3 },
        { kind: 'read', chainId: 31, method: 'eth_getBlockByNumber', from: 'tab', at: 4 },
        {
          ...{ kind: 'quota', chainId: 31, used: 3, perDay: 25_000, left: 24_997 },
          state: 'normal',
          slowdown: 1,
          at: 4,
        },
        { kind: 'delivered', chainId: 31, id: '0x1', block: 7, removed: false, at: 4 },
        { kind: 'served', chainId: 31, method: 'eth_getBlockByNumber', at: 4 },
        { kind: 'question', id: 1, of: 'connect', origin: asked.origin, state: 'asked', ms: 0, at: 5 },
        { kind: 'question', id: 1, of: 'connect', origin: asked.origin, state: 'refused', ms: 5, at: 9 },
        ...(['granted', 'used', 'used', 'short', 'ended'] as const).map(
          (what) =>
            ({
              ...{ kind: 'permission', what, chainId: 31, origin: asked.origin },
              context: `0x${'1'.repeat(64)}`,
              at: 9,
            }) as WalletEvent,
        ),
      ]),
    ).toMatchInlineSnapshot(`
      "method                asked  answered  failed  ms  cache  shared  tab  service  sent  cost  served
      eth_call                  1         1       0  90      0       0    0        1     2     2       0
      eth_gasPrice              0         0       0   0      0       0    0        0     1     1       0
      eth_getBlockByNumber      0         0       0   0      0       0    1        0     0     0       1

      HTTP: 2 requests, 3 calls, 1 retries, 1 failed, 1200 bytes, 40 ms each, cost 3
      chain 31: block unknown, 0 reorganisations, cost 3, 1 answered for other tabs, all tabs used 3 of 25000, normal
      subscription 0x1: unknown, 1 delivered, at block 7
      question connect: 1 asked, 0 approved, 1 refused, 0 failed
      permissions of https://app.example: 1 granted, 2 used, 1 short, 1 ended
      tabs: this one doesn’t lead, 1 answered by the leader, 1 answered for others"
    `);
  });
});

test('an inspection that is disposed of counts no more', async () => {
  const page = open();
  let disposed: Inspection;
  {
    using inspection = inspect(page.wallet);
    disposed = inspection;
    await page.request('eth_gasPrice');
  }
  await page.request('eth_gasPrice');
  expect(disposed.snapshot().http.requests).toBe(1);
  expect(page.inspection.snapshot().http.requests).toBe(2);
});
