import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import type { createService } from '../../../../src/service/client.js';
import { createLimiter } from '../../../../src/service/rate-limit/limiter.js';
import type { RateLimits } from '../../../../src/service/rate-limit/limits.js';
import type { Service } from '../../../../src/service/service.js';
import { later, respond, result } from '../../../support/scripted-service.js';
import { clientOf, play, rejection } from '../support.js';

const noon = Date.UTC(2026, 10, 23, 12);

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: noon }));
afterEach(() => void vi.useRealTimers());

/** Stores by name, as one origin has them. */
function storesOf() {
  const stores = new Map<string, string>();
  const memory = (name: string) => ({
    read: () => stores.get(name) ?? null,
    write: (text: string) => void stores.set(name, text),
  });
  return { stores, memory };
}

function limited(
  url: string | readonly string[],
  limits: RateLimits | undefined,
  options: Partial<createService.Options> = {},
  { memory } = storesOf(),
) {
  const urls = typeof url === 'string' ? [url] : url;
  const changes: unknown[] = [];
  const limiter = createLimiter({
    network: { chainId: 31, urls },
    limits,
    memory,
    onChange: () => changes.push(limiter.usage().state),
  });
  onTestFinished(() => limiter.close());
  const service = clientOf(urls, { limiter: async () => limiter, ...options });
  return { service, limiter, changes };
}

const read = (service: Service, number: number, priority?: Service.Priority) =>
  service.request('eth_getBlockByNumber', [number, false], priority && { priority });

describe('rate', () => {
  test('a burst is sent at once, the rest at the rate', async () => {
    const scripted = await play(result({}));
    const { service } = limited(scripted.url, { requestsPerSecond: 50, burst: 10 });
    const began = performance.now();
    await Promise.all(Array.from({ length: 30 }, (_, at) => read(service, at)));
    const at = scripted.requests.map((each) => each.at - began);
    expect(at.length).toBe(30);
    for (const [index, each] of at.entries()) expect(each).toBeGreaterThan((index - 9) * 20 - 5);
  });

  test('without tokens a person comes first, then the page, then background work', async () => {
    const scripted = await play(result({}));
    const { service } = limited(scripted.url, { requestsPerSecond: 20, burst: 1 });
    // The check of the chain is a module that loads when it is first needed.
    await import('../../../../src/service/chain-check.js');
    await Promise.all([
      service.request('net_version', []),
      read(service, 1, 'background'),
      read(service, 2),
      read(service, 3, 'person'),
      service.request('eth_sendRawTransaction', ['0x00'], { priority: 'background' }),
      service.verifyChain().catch(() => {}),
    ]);
    const asked = scripted.requests.map(({ method, params }) => params[0] ?? method);
    expect(asked).toEqual(['net_version', 3, '0x00', 'eth_chainId', 2, 1]);
  });

  test('a person who joins a waiting request raises its priority', async () => {
    const scripted = await play(result({}));
    const { service } = limited(scripted.url, { requestsPerSecond: 20, burst: 1 });
    await Promise.all([
      service.request('net_version', []),
      read(service, 1),
      read(service, 2, 'background'),
      read(service, 2, 'person'),
    ]);
    expect(scripted.requests.map(({ params }) => params[0])).toEqual([undefined, 2, 1]);
    expect(service.usage().shared).toBe(1);
  });

  test('a request that would miss its deadline is refused with -32005 at once and not sent', async () => {
    const scripted = await play(result({}));
    const { service } = limited(scripted.url, { requestsPerSecond: 2, burst: 1 }, { deadline: 1_000 });
    await read(service, 0);
    const began = performance.now();
    const [second, third] = await Promise.all([read(service, 1), rejection(read(service, 2))]);
    expect(second).toEqual({});
    expect(third).toMatchObject({ code: -32005, data: { reason: 'rate', retryAfter: 1 } });
    expect(performance.now() - began).toBeLessThan(900);
    expect(scripted.requests.length).toBe(2);
  });

  test('an aborted waiting request is not sent', async () => {
    const scripted = await play(result({}));
    const { service } = limited(scripted.url, { requestsPerSecond: 10, burst: 1 });
    await read(service, 0);
    const leaving = new AbortController();
    const left = rejection(service.request('eth_gasPrice', [], { signal: leaving.signal }));
    leaving.abort();
    expect((await left).message).toBe('The request was aborted');
    expect(await read(service, 1)).toEqual({});
    expect(scripted.requests.map(({ method }) => method)).toEqual([
      'eth_getBlockByNumber',
      'eth_getBlockByNumber',
    ]);
    expect(service.usage().quota?.today).toBe(2);
  });

  test('after a 429 nothing is sent during Retry-After, and then requests are slow', async () => {
    const scripted = await play(respond('', 429, { 'retry-after': '1' }), result({}));
    const { service } = limited(scripted.url, { requestsPerSecond: 20, burst: 20 }, { deadline: 5_000 });
    const first = read(service, 0);
    await expect.poll(() => scripted.requests.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all([first, ...[1, 2, 3, 4].map((at) => read(service, at))]);
    const at = scripted.requests.map((each) => each.at - scripted.requests[0]!.at);
    expect(at[1]).toBeGreaterThan(990);
    // Five at ten a second, not at once.
    expect((at[5] as number) - (at[1] as number)).toBeGreaterThan(350);
  });
});

describe('quota', () => {
  test('as it runs out reads are refused, requests of a person go on, and sends are never refused', async () => {
    const scripted = await play(result({}));
    const { service, changes } = limited(scripted.url, { requestsPerDay: 100 });
    for (let at = 0; at < 98; at++) await read(service, at);
    expect(service.usage().quota).toEqual({ today: 98, perDay: 100, state: 'reserved' });
    const refusals = [await rejection(read(service, 200)), await rejection(read(service, 200, 'background'))];
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ code: -32005, data: { reason: 'quota', retryAfter: 43_200 } });
    await read(service, 300, 'person');
    await service.verifyChain().catch(() => {});
    expect(service.usage().quota).toEqual({ today: 100, perDay: 100, state: 'spent' });
    expect((await rejection(read(service, 301, 'person'))).code).toBe(-32005);
    await service.request('eth_sendRawTransaction', ['0x00']);
    expect(scripted.requests.length).toBe(101);
    expect(changes).toEqual(['saving', 'reserved', 'spent']);
    expect(service.reachable()).toBe(true);
  });

  test('a person is not refused together with an identical read of the page', async () => {
    const scripted = await play(result('0x1'));
    const { service } = limited(scripted.url, { requestsPerDay: 100 });
    for (let at = 0; at < 98; at++) await read(service, at);
    const page = rejection(service.request('eth_gasPrice', []));
    const dialog = service.request('eth_gasPrice', [], { priority: 'person' });
    expect([(await page).code, await dialog]).toEqual([-32005, '0x1']);
  });

  test('retries count too', async () => {
    const scripted = await play(respond('', 503), respond('', 503), result({}));
    const { service } = limited(scripted.url, { requestsPerDay: 100 });
    await read(service, 1);
    expect(service.usage().quota?.today).toBe(3);
  });

  test('when the quota of one endpoint is spent, the next one is used', async () => {
    const [first, second] = [await play(result({})), await play(result({}))];
    const { service } = limited([first.url, second.url], { requestsPerDay: 50 });
    for (let at = 0; at < 60; at++) await read(service, at);
    expect([first.requests.length, second.requests.length]).toEqual([49, 11]);
    expect(service.usage().quota).toEqual({ today: 60, perDay: 100, state: 'normal' });
  });

  test('two tabs share one count, and the name of the store does not contain the key', async () => {
    const scripted = await play(result({}));
    const stores = storesOf();
    const [one, two] = [1, 2].map(() => limited(scripted.url, { requestsPerDay: 1_000 }, {}, stores));
    for (let at = 0; at < 40; at++) await Promise.all([read(one!.service, at), read(two!.service, at)]);
    vi.setSystemTime(noon + 2_000);
    expect([one!.limiter.usage().today, two!.limiter.usage().today]).toEqual([80, 80]);
    const kept = JSON.stringify([...stores.stores]);
    expect([...stores.stores.keys()]).toEqual([expect.stringMatching(/^graft:budget:31:[0-9a-f]{16}$/)]);
    expect(kept).not.toContain(scripted.key);
  });

  test('other keys and other chains have separate counts', () => {
    const { stores, memory } = storesOf();
    for (const chainId of [30, 31])
      for (const url of ['https://a.example/1', 'https://a.example/2']) {
        const limiter = createLimiter({ network: { chainId, urls: [url] }, memory, onChange: () => {} });
        limiter.endpoints[0]?.count();
        limiter.close();
      }
    expect(stores.size).toBe(4);
  });
});

describe('limits', () => {
  const usageOf = (urls: readonly string[], limits?: RateLimits) => {
    const { memory } = storesOf();
    const limiter = createLimiter({ network: { chainId: 30, urls }, limits, memory, onChange: () => {} });
    onTestFinished(() => limiter.close());
    return { counted: limiter.endpoints.map((each) => each !== undefined), usage: limiter.usage() };
  };

  test('25,000 per day for a hosted service, no limit for one on this machine', () => {
    expect(usageOf(['https://rpc.example/key'])).toEqual({
      counted: [true],
      usage: { today: 0, perDay: 25_000, state: 'normal' },
    });
    expect(usageOf(['http://127.0.0.1:4444/key'])).toEqual({
      counted: [false],
      usage: { today: 0, perDay: null, state: 'normal' },
    });
  });

  test('with requestsPerDay null requests are counted and never refused', () => {
    expect(usageOf(['https://rpc.example/key'], { requestsPerDay: null })).toEqual({
      counted: [true],
      usage: { today: 0, perDay: null, state: 'normal' },
    });
  });

  test('a network with an unlimited endpoint has no daily limit', () => {
    const { counted, usage } = usageOf(['https://rpc.example/key', 'http://localhost:1/key']);
    expect([counted, usage.perDay]).toEqual([[true, false], null]);
  });

  test('with requestsPerSecond null everything is sent at once', async () => {
    const scripted = await play(later(20, result({})));
    const { service } = limited(scripted.url, { requestsPerSecond: null, burst: 1 });
    await Promise.all(Array.from({ length: 50 }, (_, at) => read(service, at)));
    expect(scripted.requests.at(-1)!.at - scripted.requests[0]!.at).toBeLessThan(500);
  });
});

describe('loading', () => {
  test('the first requests wait for the limiter together', async () => {
    const scripted = await play(result({}));
    let loads = 0;
    const { limiter } = limited(scripted.url, { requestsPerDay: 100 });
    const service = clientOf(scripted.url, {
      async limiter() {
        loads++;
        await new Promise((resolve) => setTimeout(resolve, 30));
        return limiter;
      },
    });
    await Promise.all([read(service, 1), read(service, 2)]);
    await read(service, 3);
    expect([loads, service.usage().quota?.today]).toEqual([1, 3]);
  });

  test('if the limiter does not load, requests are sent without it, and the next one loads it again', async () => {
    const scripted = await play(result({}));
    const { limiter } = limited(scripted.url, { requestsPerDay: 100 });
    let loads = 0;
    const service = clientOf(scripted.url, {
      async limiter() {
        loads++;
        if (loads === 1) throw new TypeError('no such chunk');
        return limiter;
      },
    });
    expect([await read(service, 1), service.usage().quota]).toEqual([{}, undefined]);
    expect([await read(service, 2), service.usage().quota?.today]).toEqual([{}, 1]);
  });

  test('a limiter that never loads delays only the first request, by one second', async () => {
    const scripted = await play(result({}));
    const service = clientOf(scripted.url, { limiter: () => new Promise(() => {}) });
    const began = performance.now();
    await read(service, 1);
    await read(service, 2);
    expect(performance.now() - began).toBeLessThan(1_950);
  });
});

describe('the service on this machine', () => {
  let local: LocalService;
  beforeAll(async () => {
    local = await createLocalService({ chainId: 31 });
  });
  afterAll(() => local.close());

  test('its report of a spent quota ends the reads of the page', async () => {
    local.controls.setQuota(30);
    onTestFinished(() => local.controls.setQuota(null));
    const { service, changes } = limited(local.url, { requestsPerDay: 25_000 }, { deadline: 10_000 });
    const before = local.requests.count();
    const block = (at: number) => service.request('eth_getBlockByNumber', [`0x${at.toString(16)}`, false]);
    const settled = await Promise.allSettled(Array.from({ length: 60 }, (_, at) => block(at)));
    expect(settled.filter(({ status }) => status === 'fulfilled').length).toBe(30);
    expect(service.usage().quota?.state).toBe('spent');
    const asked = local.requests.count() - before;
    for (let at = 0; at < 100; at++)
      expect(await rejection(block(at))).toMatchObject({ code: -32005, data: { reason: 'quota' } });
    expect(local.requests.count() - before).toBe(asked);
    expect(changes).toEqual(['spent']);
  });

  test('with the same quota it refuses nothing, and the reserve is left for a person', async () => {
    local.controls.setQuota(100);
    onTestFinished(() => local.controls.setQuota(null));
    const { service } = limited(local.url, { requestsPerDay: 100 }, { deadline: 10_000 });
    let refused = 0;
    for (let at = 0; at < 300; at++)
      await service.request('eth_getBlockByNumber', ['0x0', false]).catch((error) => {
        expect(error).toMatchObject({ code: -32005, data: { reason: 'quota' } });
        refused++;
      });
    expect(refused).toBe(300 - 98);
    const head = await service.request('eth_blockNumber', [], { priority: 'person' });
    expect(head).toMatch(/^0x/);
    expect(service.usage().quota).toEqual({ today: 99, perDay: 100, state: 'reserved' });
  });
});
