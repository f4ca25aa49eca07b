import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { timeOf } from '../../support/outages.js';
import { respond } from '../../support/scripted-service.js';
import { clientOf, play, rejection } from './support.js';

/** A connection that is accepted and never answered must cost a read no more than a second one needs. */

const never = () => new Promise<Response>(() => {});

interface Sent {
  readonly at: number;
  readonly endpoint: number;
  readonly method: string;
  readonly param: string;
  /** How often this request has been sent, this time included. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

type Answer = (sent: Sent, id: number) => Response | Promise<Response>;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const answered = (id: number, result: unknown = '0x1') => Response.json({ jsonrpc: '2.0', id, result });

/** A client of `endpoints` endpoints that are answered by `answer`. */
function rig(answer: Answer, endpoints = 1, deadline = 10_000) {
  const requests: Sent[] = [];
  const urls = Array.from({ length: endpoints }, (_, at) => `http://127.0.0.1:${at + 1}/`);
  const started = performance.now();
  const fetch = (async (to: unknown, init?: RequestInit) => {
    const { id, method, params } = JSON.parse(init?.body as string);
    const param = JSON.stringify(params);
    const attempt = requests.filter((each) => each.method === method && each.param === param).length + 1;
    const sent: Sent = {
      ...{ at: performance.now() - started, endpoint: urls.indexOf(`${to}`), method, param, attempt },
      signal: init?.signal as AbortSignal,
    };
    requests.push(sent);
    return answer(sent, id);
  }) as typeof globalThis.fetch;
  const service = clientOf(urls, { fetch, backoff: 100, deadline, random: () => 1 });
  const told: boolean[] = [];
  service.watch((reachable) => told.push(reachable));
  const read = (at: number) => service.request('eth_getBalance', [`0x${at.toString(16)}`]);
  const reads = (count: number) => Array.from({ length: count }, (_, at) => read(at + 1));
  return { service, requests, told, read, reads };
}

describe('with fake timers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    // What a request has set ends with it.
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test('a read whose first connection hangs is answered by a second one, and the first is given up', async () => {
    const { read, requests } = rig(({ attempt }, id) => (attempt === 1 ? never() : answered(id)));
    const balance = read(1);
    expect(await timeOf(balance)).toBe(2_500);
    expect(await balance).toBe('0x1');
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });

  test('a read that is answered is sent once', async () => {
    const { reads, requests } = rig(async (_, id) => {
      await wait(50);
      return answered(id);
    });
    await timeOf(Promise.all(reads(12)));
    expect(requests).toHaveLength(12);
  });

  test('12 reads that hang are sent again one by one, and twice as many after each answer', async () => {
    const { reads, requests, told } = rig(async ({ attempt }, id) => {
      if (attempt === 1) return never();
      await wait(20);
      return answered(id);
    });
    expect(await timeOf(Promise.all(reads(12)))).toBeLessThanOrEqual(2_600);
    const times = requests.slice(12).map(({ at }) => Math.round(at));
    expect(times).toHaveLength(12);
    expect([2_500, 2_520].map((time) => times.filter((at) => at === time).length)).toEqual([1, 2]);
    expect(told).toEqual([]);
  });

  test('reads that hang for ever end with their deadline, and a bounded number of requests', async () => {
    const { reads, requests, told } = rig(never);
    const all = Promise.allSettled(reads(12));
    expect(await timeOf(all)).toBeLessThanOrEqual(10_000);
    for (const each of await all)
      expect(each).toMatchObject({ reason: { code: -32002, data: { reason: 'late' } } });
    // The 12, and one in each second.
    expect(requests.length).toBeLessThanOrEqual(12 + 8);
    expect(told).toEqual([false]);
  });

  test('a service that hangs for 5 s answers every read that began meanwhile', async () => {
    const { reads, requests, told } = rig(({ at }, id) => (at < 5_000 ? never() : answered(id)));
    const all = Promise.all(reads(40));
    // The last one that hung was sent at 4.5 s.
    expect(await timeOf(all)).toBe(7_000);
    expect(await all).toHaveLength(40);
    expect(requests.length).toBeLessThanOrEqual(40 + 40 + 6);
    expect(told).toEqual([]);
  });

  test('a slow service is not asked everything twice, and its first answers count', async () => {
    const { reads, requests } = rig(async (_, id) => {
      await wait(4_000);
      return answered(id);
    });
    const all = Promise.all(reads(50));
    expect(await timeOf(all)).toBe(4_000);
    expect(requests.length).toBeLessThanOrEqual(50 + 2);
    // The service goes on with what was given up, the last of it begun when the first answers came.
    await vi.advanceTimersByTimeAsync(8_000);
  });

  test.each([
    ['eth_sendRawTransaction', ['0xabcdef']],
    ['eth_newFilter', [{}]],
    ['eth_getFilterChanges', ['0x1']],
    ['evm_mine', []],
  ])('%s is sent once, and has its whole deadline', async (method, params) => {
    const { service, requests } = rig(async (_, id) => {
      await wait(9_000);
      return answered(id);
    });
    const request = service.request(method, params);
    expect(await timeOf(request)).toBe(9_000);
    expect(requests).toHaveLength(1);
  });

  test('a send that hangs is sent once, and its outcome is unknown', async () => {
    const { service, requests } = rig(never);
    const failed = rejection(service.request('eth_sendRawTransaction', ['0xabcdef']));
    expect(await timeOf(failed)).toBe(10_000);
    expect(await failed).toMatchObject({ data: { outcomeUnknown: true } });
    expect(requests).toHaveLength(1);
  });

  test('a wide range of logs is not sent again beside itself', async () => {
    const { service, requests } = rig(({ method }, id) =>
      method === 'eth_getLogs' ? never() : answered(id, '0x1f'),
    );
    const failed = rejection(service.request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x64' }]));
    await timeOf(failed);
    expect(await failed).toMatchObject({ code: -32005, data: { reason: 'range-too-large' } });
    expect(requests.map(({ method }) => method)).toEqual(['eth_getLogs', 'eth_chainId']);
  });

  test('the other endpoint is asked where the first hangs', async () => {
    const { reads, requests } = rig(({ endpoint }, id) => (endpoint === 0 ? never() : answered(id)), 2);
    expect(await timeOf(Promise.all(reads(12)))).toBeLessThanOrEqual(2_600);
    expect([0, 1].map((at) => requests.filter(({ endpoint }) => endpoint === at).length)).toEqual([12, 12]);
  });

  test('a revert of the second connection is the answer', async () => {
    const { service, requests } = rig(({ attempt }, id) =>
      attempt === 1
        ? never()
        : Response.json({
            jsonrpc: '2.0',
            id,
            error: { code: 3, message: 'execution reverted', data: '0x' },
          }),
    );
    const failed = rejection(service.request('eth_call', [{ to: '0x1' }, 'latest']));
    expect(await timeOf(failed)).toBe(2_500);
    expect(await failed).toMatchObject({ code: 3 });
    expect(requests).toHaveLength(2);
  });

  test('the first answer counts although the second connection fails', async () => {
    const { read, requests } = rig(async ({ attempt }, id) => {
      if (attempt > 1) return new Response('', { status: 400 });
      await wait(4_000);
      return answered(id);
    });
    const balance = read(1);
    expect(await timeOf(balance)).toBe(4_000);
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  test('a first connection that breaks leaves the read to the second', async () => {
    const { read, requests } = rig(async ({ attempt }, id) => {
      await wait(attempt === 1 ? 3_000 : 2_000);
      if (attempt === 1) throw new TypeError('fetch failed');
      return answered(id);
    });
    const balance = read(1);
    expect(await timeOf(balance)).toBe(4_500);
    expect(requests).toHaveLength(2);
  });

  test('an aborted read ends both connections, and one that waits for its turn sends nothing', async () => {
    const { service, requests } = rig(never);
    const leaving = new AbortController();
    const { signal } = leaving;
    const failed = Array.from({ length: 3 }, (_, at) =>
      rejection(service.request('eth_getBalance', [`0x${at}`], { signal })),
    );
    await vi.advanceTimersByTimeAsync(2_600);
    expect(requests).toHaveLength(4);
    leaving.abort();
    for (const each of failed) expect(await each).toMatchObject({ message: 'The request was aborted' });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true, true, true]);
    expect(requests).toHaveLength(4);
  });

  test('equal reads in flight share the further try', async () => {
    const { read, requests } = rig(({ attempt }, id) => (attempt === 1 ? never() : answered(id)));
    await timeOf(Promise.all([read(1), read(1), read(1)]));
    expect(requests).toHaveLength(2);
  });

  test('a failure beside a first request that is answered later is no disconnect', async () => {
    const { read, told } = rig(async ({ attempt }, id) => {
      if (attempt > 1) return new Response('', { status: 401 });
      await wait(4_000);
      return answered(id);
    });
    await timeOf(read(1));
    expect(told).toEqual([]);
  });

  test('both refused is one disconnect', async () => {
    const { read, told, requests } = rig(async ({ attempt }) => {
      await wait(attempt === 1 ? 4_000 : 3_000);
      return new Response('', { status: 401 });
    });
    await timeOf(rejection(read(1)));
    expect(told).toEqual([false]);
    expect(requests.length).toBeLessThanOrEqual(4);
  });
});

test('over real HTTP: the second connection answers, and the first is closed', async () => {
  const scripted = await play(() => {}, respond('{"jsonrpc":"2.0","id":$ID,"result":"0x7"}'));
  const service = clientOf(scripted.url, { deadline: 5_000 });
  expect(await service.request('eth_getBalance', ['0x1'])).toBe('0x7');
  await scripted.requests[0]?.cut;
  expect(scripted.requests).toHaveLength(2);
});

test('data on Object.prototype changes no try', async () => {
  const prototype = Object.prototype as Record<string, unknown>;
  const names = ['sent', 'silent', 'isOvertaken', 'isAlone', 'answered', 'tried'];
  const called: string[] = [];
  const scripted = await play(respond('', 503), respond('{"jsonrpc":"2.0","id":$ID,"result":[]}'));
  for (const name of names) prototype[name] = () => void called.push(name);
  try {
    const service = clientOf(scripted.url, { deadline: 5_000 });
    expect(await service.request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }])).toEqual([]);
  } finally {
    for (const name of names) delete prototype[name];
  }
  expect(called).toEqual([]);
});
