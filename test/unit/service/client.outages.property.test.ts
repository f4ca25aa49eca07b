import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProviderRpcError } from '../../../src/rpc/errors.js';
import { createOutages, type Outage, type OutageForm, outageForms, timeOf } from '../../support/outages.js';
import { createRandom } from '../../support/random.js';
import { clientOf } from './support.js';

/**
 * Outages of 0.1 to 5 s of any form under 1 to 200 reads and sends, with one or three endpoints. `SOAK_OUTAGES` sets the
 * number of runs, `SOAK_SEED` the first seed.
 */
const runs = Number(process.env.SOAK_OUTAGES ?? 5);
const firstSeed = Number(process.env.SOAK_SEED ?? 1);
/** Milliseconds. */
const slowest = 60;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function runOutages(seed: number) {
  const random = createRandom(seed);
  const between = (least: number, most: number) => Math.floor(least + random() * (most - least + 1));
  const endpoints = random() < 0.5 ? 1 : 3;
  const forms = Object.keys(outageForms) as OutageForm[];
  const outages: readonly (readonly Outage[])[] = Array.from({ length: endpoints }, () => {
    const from = between(0, 1_000);
    const form = forms[between(0, forms.length - 1)] as OutageForm;
    return [{ form, from, to: from + between(100, 5_000) }];
  });
  const world = createOutages({ outages, latency: () => between(5, slowest) });
  const service = clientOf(world.urls, { fetch: world.fetch, backoff: 100, deadline: 10_000, random });
  const told: boolean[] = [];
  service.watch((reachable) => told.push(reachable));

  const count = between(1, 200);
  const asked = Array.from({ length: count }, (_, at) => {
    // Half of them come at once.
    const delay = random() < 0.5 ? 0 : between(0, 6_000);
    const isSend = random() < 0.2;
    const param = `0x${(1_000 + at).toString(16)}`;
    const outcome = new Promise((resolve) => setTimeout(resolve, delay)).then(() =>
      service.request(isSend ? 'eth_sendRawTransaction' : 'eth_getBalance', [param]).then(
        (result) => ({ result }),
        (error: ProviderRpcError) => ({ error }),
      ),
    );
    return { isSend, param, outcome };
  });
  await timeOf(Promise.all(asked.map(({ outcome }) => outcome)));
  return { world, outages, told, asked };
}

test.each(Array.from({ length: runs }, (_, at) => firstSeed + at))('seed %d', async (seed) => {
  const { world, outages, told, asked } = await runOutages(seed);
  const posts = new Map<unknown, boolean[]>();
  for (const { method, params, ok } of world.requests)
    if (method === 'eth_sendRawTransaction') posts.set(params[0], [...(posts.get(params[0]) ?? []), ok]);

  for (const { isSend, param, outcome } of asked) {
    const settled = await outcome;
    if (!isSend) {
      expect(settled).toEqual({ result: param });
      continue;
    }
    // A send that the outage met is the caller's to look up; every other one has succeeded.
    const sent = posts.get(param) ?? [];
    expect(sent).toHaveLength(1);
    if (sent[0]) expect(settled).toEqual({ result: param });
    else expect(settled).toMatchObject({ error: { data: { outcomeUnknown: true } } });
  }
  expect(told).toEqual([]);

  for (const [endpoint, [outage]] of outages.entries()) {
    const failed = world.requests
      .filter((each) => each.endpoint === endpoint && !each.ok)
      .map(({ at }) => at);
    const [first = 0] = failed;
    const seconds = (outage as Outage).to / 1_000;
    const burst = failed.filter((at) => at <= first + 4 * slowest).length;
    // What is hanging is not known to be lost.
    if (outage?.form === 'hang') continue;
    expect(failed.length).toBeLessThanOrEqual(1.5 * burst + 8 + 4 * seconds);
    for (let second = first + 1_000; second < (outage as Outage).to; second += 1_000)
      expect(failed.filter((at) => at >= second && at < second + 1_000).length).toBeLessThanOrEqual(4);
  }
});

test.each(Array.from({ length: runs }, (_, at) => firstSeed + at))('a limit, seed %d', async (seed) => {
  const random = createRandom(seed);
  const perSecond = 10 + Math.floor(random() * 90);
  const retryAfter = random() < 0.5 ? 1 : undefined;
  const world = createOutages({
    outages: [[]],
    perSecond,
    ...(retryAfter && { retryAfter }),
    latency: () => 5 + random() * 55,
  });
  const service = clientOf(world.urls, { fetch: world.fetch, backoff: 100, deadline: 10_000, random });
  const told: boolean[] = [];
  service.watch((reachable) => told.push(reachable));
  // As many as two seconds allow.
  const count = 1 + Math.floor(random() * Math.min(200, 2 * perSecond));
  const reads = Promise.all(
    Array.from({ length: count }, (_, at) =>
      service.request('eth_getBalance', [`0x${(at + 1).toString(16)}`]),
    ),
  );
  await timeOf(reads);
  expect(await reads).toHaveLength(count);
  expect(told).toEqual([]);
  const refused = world.requests.filter(({ ok }) => !ok);
  const [first] = refused;
  if (!first) return;
  // Those in flight when the limit is met, and then few.
  const later = refused.filter(({ at }) => at > first.at + 2 * slowest);
  expect(later.length).toBeLessThanOrEqual(perSecond + 16);
});

/**
 * A clock with fractions of a millisecond: a timer, which counts whole ones, ends up to one of them before the clock has
 * reached its time.
 */
function createFractionalClock(random: () => number): () => number {
  let [millisecond, fraction] = [-1, 0];
  return () => {
    const now = performance.now();
    fraction = now === millisecond ? fraction + (1 - fraction) * random() * 0.1 : random() * 0.9;
    millisecond = now;
    return now + fraction;
  };
}

/** The requests that an outage of four seconds refuses, of clients that wait for one at most. */
async function refusedByOutage(random: () => number) {
  const world = createOutages({ outages: [[{ form: 'HTTP 503', from: 0, to: 4_000 }]], latency: () => 5 });
  const service = clientOf(world.urls, {
    ...{ fetch: world.fetch, backoff: 100, deadline: 1_000, random },
    now: createFractionalClock(random),
  });
  const asked = Array.from({ length: 6 }, async (_, at) => {
    await new Promise((resolve) => setTimeout(resolve, 1 + random() * 3_000));
    const from = world.now();
    const request = service.request('eth_getBalance', [`0x${at.toString(16)}`]);
    const error = await request.catch((error: ProviderRpcError) => error);
    return { error: error as ProviderRpcError, from, to: world.now() };
  });
  await timeOf(Promise.all(asked));
  const ended = await Promise.all(asked);
  return { sent: world.requests, refused: ended.filter(({ error }) => error.code === 4901) };
}

test.each(Array.from({ length: runs }, (_, at) => firstSeed + at))(
  'a request that has waited for the test of a lost endpoint is that test, or is refused beside it, seed %d',
  async (seed) => {
    const random = createRandom(seed);
    for (let world = 0; world < 60; world++) {
      const { sent, refused } = await refusedByOutage(random);
      const alone = refused.filter(
        ({ from, to }) => to > from && !sent.some(({ at }) => Math.abs(at - to) <= 5),
      );
      expect(alone.map(({ error, from, to }) => [from, to, error.message])).toEqual([]);
    }
  },
);
