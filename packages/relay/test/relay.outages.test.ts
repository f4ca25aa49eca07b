import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOutages, type OutageForm, outageForms } from '../../../test/support/outages.js';
import { createRelay } from '../src/index.js';

/** A short outage of the node is one event for all clients of a relay. */

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
});
afterEach(() => void vi.useRealTimers());

const origin = 'https://dapp.example';
const balanceOf = (at: number) => `0x${at.toString(16).padStart(40, '0')}`;

/** A relay before `fetch`, and reads of its clients. */
function rig(fetch: typeof globalThis.fetch) {
  const relay = createRelay({
    networks: [{ chainId: 31, url: 'https://node.example/key' }],
    origins: [origin],
    fetch,
  });
  const ask = async (at: number) => {
    const started = performance.now();
    const response = await relay.fetch(
      new Request('https://relay.example/31', {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: at,
          method: 'eth_getBalance',
          params: [balanceOf(at), 'latest'],
        }),
      }),
      { address: `203.0.113.${at}` },
    );
    const { result } = (await response.json()) as { result?: string };
    return { status: response.status, result, took: performance.now() - started };
  };
  /** Modules that load with the first request take turns of the event loop, and replies time of the mocked clock. */
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    void work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(1);
    }
    return work;
  };
  return { relay, ask, settled };
}

test.each([
  'HTTP 503',
  'a dropped connection',
  'HTML with HTTP 200',
  'please retry',
  '{}',
] as const satisfies readonly OutageForm[])(
  '0.3 s of %s cost 20 clients a second at most, and no answer',
  async (form) => {
    const world = createOutages({ outages: [[]] });
    let outage: ReturnType<typeof createOutages> | undefined;
    const answers = (params: readonly unknown[]) => (params.length > 0 ? '0x5' : '0x1f');
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      const given = { ...init, body: `${init?.body}` };
      if (outage && outage.now() < 300) return outage.fetch(outage.urls[0] as string, given);
      const { id, params } = JSON.parse(given.body);
      await world.fetch(world.urls[0] as string, given);
      return Response.json({ jsonrpc: '2.0', id, result: answers(params) });
    };
    const { relay, ask, settled } = rig(fetch);
    await settled(ask(99));

    outage = createOutages({ outages: [[{ form, from: 0, to: 300 }]] });
    const all = await settled(Promise.all(Array.from({ length: 20 }, (_, at) => ask(at + 1))));
    for (const each of all) expect(each).toMatchObject({ status: 200, result: '0x5' });
    expect(Math.max(...all.map(({ took }) => took))).toBeLessThanOrEqual(1_000);
    expect(outage.requests.length).toBeLessThanOrEqual(34);
    await relay.close();
  },
);

test('connections of the node that hang cost 20 clients one further request each, once they are answered again', async () => {
  const attempts = new Map<string, number>();
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const { id, method, params } = JSON.parse(`${init?.body}`);
    const attempt = (attempts.get(`${params}`) ?? 0) + 1;
    if (method === 'eth_getBalance') attempts.set(`${params}`, attempt);
    if (method === 'eth_getBalance' && attempt === 1) return outageForms.hang();
    return Response.json({ jsonrpc: '2.0', id, result: params.length > 0 ? '0x5' : '0x1f' });
  };
  const { relay, ask, settled } = rig(fetch);
  const all = await settled(Promise.all(Array.from({ length: 20 }, (_, at) => ask(at + 1))));
  for (const each of all) expect(each).toMatchObject({ status: 200, result: '0x5' });
  expect(Math.max(...all.map(({ took }) => took))).toBeLessThanOrEqual(3_000);
  expect([...attempts.values()]).toEqual(Array(20).fill(2));
  await relay.close();
});
