import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ProviderRpcError } from '../../../src/rpc/errors.js';
import { createOutages, type OutageForm, outageForms, timeOf } from '../../support/outages.js';
import { clientOf } from './support.js';

/** An outage or a limit is one event of an endpoint, however many requests meet it. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const forms = (Object.keys(outageForms) as OutageForm[]).filter((form) => form !== 'hang');

function rig(given: Parameters<typeof createOutages>[0], options: Parameters<typeof clientOf>[1] = {}) {
  const world = createOutages(given);
  const service = clientOf(world.urls, {
    fetch: world.fetch,
    backoff: 100,
    deadline: 10_000,
    random: () => 1,
    ...options,
  });
  const told: boolean[] = [];
  service.watch((reachable) => told.push(reachable));
  const read = (at: number) => service.request('eth_getBlockByNumber', [`0x${at.toString(16)}`, false]);
  const reads = (count: number, from = 1) =>
    Promise.all(Array.from({ length: count }, (_, at) => read(from + at)));
  const send = (raw = '0xabcdef') => service.request('eth_sendRawTransaction', [raw]);
  const sends = () => world.requests.filter(({ method }) => method === 'eth_sendRawTransaction');
  return { ...world, service, told, read, reads, send, sends };
}

describe.each(forms)('an outage of 0.3 s: %s', (form) => {
  test('12 reads in flight cost a second at most, no failure and no disconnect', async () => {
    const { reads, send, sends, told, requests } = rig({ outages: [[{ form, from: 0, to: 300 }]] });
    const all = reads(12);
    expect(await timeOf(all)).toBeLessThanOrEqual(1_000);
    expect(await all).toHaveLength(12);
    expect(told).toEqual([]);
    // The 12, half as many, one test of the endpoint, and the other 11.
    expect(requests.length).toBeLessThanOrEqual(30);

    const payment = send();
    await timeOf(payment);
    expect(await payment).toBe('0xabcdef');
    expect(sends()).toHaveLength(1);
  });

  test('a payment that begins during it is sent once, after a read has found the endpoint', async () => {
    const { reads, send, sends, told } = rig({ outages: [[{ form, from: 0, to: 300 }]] });
    const all = reads(12);
    await vi.advanceTimersByTimeAsync(50);
    const payment = send();
    expect(await timeOf(Promise.all([all, payment]))).toBeLessThanOrEqual(1_000);
    expect(await payment).toBe('0xabcdef');
    expect(sends()).toMatchObject([{ ok: true }]);
    expect(told).toEqual([]);
  });

  test('requests that begin during it wait for the same test of the endpoint', async () => {
    const { reads, requests } = rig({ outages: [[{ form, from: 0, to: 300 }]] });
    const first = reads(1);
    await vi.advanceTimersByTimeAsync(60);
    const others = reads(40, 100);
    expect(await timeOf(Promise.all([first, others]))).toBeLessThanOrEqual(1_000);
    expect(requests.filter(({ ok }) => !ok).length).toBeLessThanOrEqual(3);
  });

  test('the other endpoint answers at once', async () => {
    const { reads, requests } = rig({ outages: [[{ form, from: 0, to: 300 }], []] });
    expect(await timeOf(reads(12))).toBeLessThanOrEqual(100);
    expect(requests.filter(({ ok }) => !ok)).toHaveLength(12);
    await timeOf(reads(12, 100));
    expect(requests.filter(({ ok }) => !ok)).toHaveLength(12);
  });
});

test('a send alone waits for a read that tests the endpoint', async () => {
  const { read, send, requests } = rig({ outages: [[{ form: 'HTTP 503', from: 0, to: 300 }]] });
  const lost = read(1);
  await vi.advanceTimersByTimeAsync(50);
  const payment = send();
  await timeOf(Promise.all([lost, payment]));
  expect(requests.filter(({ method, ok }) => method === 'eth_sendRawTransaction' && !ok)).toEqual([]);
  expect(await payment).toBe('0xabcdef');
});

test('a send whose test fails for as long as it has time was not sent, and says so', async () => {
  const { read, send, sends } = rig({ outages: [[{ form: 'HTTP 503', from: 0, to: 60_000 }]] });
  const lost = read(1).catch((error: ProviderRpcError) => error);
  await vi.advanceTimersByTimeAsync(50);
  const payment = send().catch((error: ProviderRpcError) => error);
  await timeOf(Promise.all([lost, payment]));
  expect(sends()).toEqual([]);
  expect((await payment) as ProviderRpcError).not.toHaveProperty('data.outcomeUnknown');
});

test('a failed send alone is no disconnect', async () => {
  const { read, send, told } = rig({ outages: [[{ form: 'HTTP 503', from: 100, to: 300 }]] });
  await timeOf(read(1));
  await vi.advanceTimersByTimeAsync(100);
  const payment = send().catch((error: ProviderRpcError) => error);
  await timeOf(payment);
  expect(await payment).toMatchObject({ data: { outcomeUnknown: true } });
  expect(told).toEqual([]);
});

test('an endpoint that fails for longer than a request waits refuses at once between its tests', async () => {
  const { read, reads, told, requests, now } = rig({
    outages: [[{ form: 'HTTP 503', from: 0, to: 30_000 }]],
  });
  const first = reads(5).catch((error: ProviderRpcError) => error);
  await timeOf(first);
  expect(await first).toMatchObject({ code: -32002 });
  expect(told).toEqual([false]);
  await vi.advanceTimersByTimeAsync(2_100);
  const before = requests.length;
  const outcomes = Promise.allSettled([read(50), read(51), read(52)]);
  expect(await timeOf(outcomes)).toBeLessThan(100);
  const codes = (await outcomes).map((each) => each.status === 'rejected' && each.reason.code);
  expect(codes).toEqual([-32002, 4901, 4901]);
  expect(requests.length - before).toBe(1);
  while (now() < 31_000 || !told.at(-1)) {
    await Promise.all([read(60).catch(() => {}), vi.advanceTimersByTimeAsync(500)]);
    if (now() > 70_000) break;
  }
  expect(told).toEqual([false, true]);
  expect(requests.length - before).toBeLessThan(12);
});

test('a read that always fails keeps no other from its answer, and is asked for a few times only', async () => {
  const { fetch: answer, ...world } = createOutages({ outages: [[]] });
  let asked = 0;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (!`${init?.body}`.includes('0xdead')) return answer(url, init);
    asked++;
    return new Response('', { status: 503 });
  };
  const service = clientOf(world.urls, { fetch, backoff: 100, deadline: 10_000, random: () => 1 });
  const told: boolean[] = [];
  service.watch((reachable) => told.push(reachable));
  const poisoned = service.request('eth_call', ['0xdead']).catch((error: ProviderRpcError) => error);
  const waits: number[] = [];
  for (let at = 1; at <= 20; at++) waits.push(await timeOf(service.request('eth_call', [`0x${at}`])));
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_100);
  await timeOf(poisoned);
  expect(await poisoned).toMatchObject({ code: -32002 });
  expect(asked).toBeLessThanOrEqual(13);
  expect(told).toEqual([]);
});

describe('limits', () => {
  const isDuring = (from: number, to: number) => (each: { at: number }) => each.at > from && each.at < to;

  test('no request during a Retry-After, and no burst behind it', async () => {
    const { reads, requests } = rig({ outages: [[]], perSecond: 10, retryAfter: 1 });
    const all = reads(30);
    expect(await timeOf(all)).toBeLessThanOrEqual(5_000);
    expect(await all).toHaveLength(30);
    expect(requests.filter(isDuring(20, 1_020))).toEqual([]);
    // The 30, and then no more at once than twice what was answered.
    expect(requests.length).toBeLessThanOrEqual(30 + 20 + 12);
  });

  test.each([
    ['HTTP 429', undefined],
    [
      'an error at HTTP 200',
      (id: number) =>
        Response.json({ jsonrpc: '2.0', id, error: { code: -32005, message: 'too many requests' } }),
    ],
  ])('a limit without a time is one limit for all it refuses: %s', async (_name, limited) => {
    const { reads, requests } = rig({ outages: [[]], perSecond: 15, ...(limited && { limited }) });
    const all = reads(20);
    // The limit holds for the first second, so the first pause suffices.
    expect(await timeOf(all)).toBeLessThanOrEqual(1_300);
    expect(requests.filter(isDuring(20, 1_020))).toEqual([]);
  });

  test('a late answer does not shorten the wait, nor does a shorter one', async () => {
    const outages = createOutages({ outages: [[]] });
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const { params } = JSON.parse(init?.body as string);
      sent.push(params[0]);
      const [delay, seconds] = { '0x1': [100, 2], '0x2': [200, 0], '0x3': [300, 1] }[params[0] as string] ?? [
        0, 0,
      ];
      await new Promise((resolve) => setTimeout(resolve, delay));
      if (sent.filter((each) => each === params[0]).length > 1 || !seconds) return outages.fetch(url, init);
      return new Response('', { status: 429, headers: { 'retry-after': `${seconds}` } });
    };
    const service = clientOf(outages.urls, { fetch, backoff: 100, deadline: 10_000 });
    const all = Promise.all(['0x1', '0x2', '0x3'].map((each) => service.request('eth_call', [each])));
    await vi.advanceTimersByTimeAsync(2_090);
    expect(sent).toEqual(['0x1', '0x2', '0x3']);
    await timeOf(all);
    expect(sent).toHaveLength(5);
  });

  test('a payment waits with the reads, and is sent before them', async () => {
    const { reads, send, requests } = rig({ outages: [[]], perSecond: 10, retryAfter: 1 });
    const all = reads(30);
    await vi.advanceTimersByTimeAsync(500);
    const payment = send();
    await timeOf(Promise.all([all, payment]));
    expect(await payment).toBe('0xabcdef');
    const later = requests.filter(({ at }) => at > 500);
    expect(later[0]).toMatchObject({ method: 'eth_sendRawTransaction', ok: true });
  });

  test('an endpoint that limits is left alone while another answers', async () => {
    const { reads, requests } = rig({ outages: [[], []], perSecond: 10, retryAfter: 30 });
    await timeOf(reads(12));
    const limited = requests.filter(({ endpoint }) => endpoint === 0).length;
    await vi.advanceTimersByTimeAsync(5_000);
    await timeOf(reads(8, 100));
    expect(requests.filter(({ endpoint }) => endpoint === 0)).toHaveLength(limited);
  });
});
