import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTokenBucket } from '../../../../src/service/rate-limit/token-bucket.js';
import { fc } from '../../../support/property.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const now = () => performance.now();
const [person, read, background] = [0, 1, 2];

/** A bucket, and who got a token when: milliseconds since the beginning. */
function bucketOf(rate: number, burst: number) {
  const bucket = createTokenBucket({ rate, burst, now });
  const began = now();
  const got: { name: string; at: number }[] = [];
  const refused: { name: string; wait: number; at: number }[] = [];
  const at = () => now() - began;
  return {
    bucket,
    got,
    refused,
    names: () => got.map(({ name }) => name),
    take(
      name: string,
      urgency: number,
      {
        patience = 60_000,
        signal,
        dapp,
      }: { patience?: number; signal?: AbortSignal; dapp?: string | null } = {},
    ) {
      const turn = { urgency, ...(dapp !== undefined && { payer: { dapp } }) };
      const waiting = bucket.take(turn, now() + patience, signal);
      if (!waiting) got.push({ name, at: at() });
      void waiting?.then((wait) => {
        if (wait > 0) refused.push({ name, wait, at: at() });
        else if (!signal?.aborted) got.push({ name, at: at() });
      });
      return turn;
    },
  };
}

describe('take', () => {
  test('gives a burst at once, then tokens at the rate', async () => {
    const { take, got } = bucketOf(10, 3);
    for (let i = 0; i < 6; i++) take(`${i}`, read);
    expect(got.map(({ at }) => at)).toEqual([0, 0, 0]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(got.map(({ at }) => Math.round(at))).toEqual([0, 0, 0, 100, 200, 300]);
  });

  test('allows a full burst again after a pause, and no more', async () => {
    const { take, got } = bucketOf(10, 3);
    for (let i = 0; i < 3; i++) take(`${i}`, read);
    await vi.advanceTimersByTimeAsync(60_000);
    for (let i = 0; i < 5; i++) take(`${i}`, read);
    expect(got.filter(({ at }) => at === 60_000).length).toBe(3);
  });

  test('a person comes before a page, and a page before background work', async () => {
    const { take, names } = bucketOf(1, 1);
    take('first', read);
    take('background', background);
    take('read', read);
    take('person', person);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(names()).toEqual(['first', 'person', 'read', 'background']);
  });

  test('the first of equally urgent requests comes first', async () => {
    const { take, names } = bucketOf(10, 1);
    for (const name of ['a', 'b', 'c', 'd']) take(name, background);
    await vi.advanceTimersByTimeAsync(300);
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a request that becomes more urgent moves forward', async () => {
    const { take, names } = bucketOf(1, 1);
    take('first', read);
    take('read', read);
    const joined = take('background', background);
    joined.urgency = person;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(names()).toEqual(['first', 'background']);
  });

  test('the oldest request gets every fifth token however many urgent ones wait', async () => {
    const { take, names } = bucketOf(1, 1);
    take('first', person);
    take('background', background);
    for (let second = 0; second < 20; second++) {
      take('person', person);
      take('person', person);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(names().indexOf('background')).toBe(5);
  });

  test('a request that would be too late resolves at once with the time to wait', async () => {
    const { take, refused, got } = bucketOf(2, 1);
    for (const name of ['a', 'b', 'c', 'd']) take(name, read, { patience: 1_000 });
    await vi.advanceTimersByTimeAsync(0);
    expect(refused).toEqual([{ name: 'd', wait: 1_500, at: 0 }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(got.length).toBe(3);
  });

  test('a request that others overtake resolves in time with the time to wait', async () => {
    const { take, refused } = bucketOf(1, 1);
    take('first', read);
    take('background', background, { patience: 1_500 });
    take('person', person);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(refused.map(({ name, at }) => [name, at])).toEqual([['background', 1_500]]);
  });

  test('an aborted request takes no token', async () => {
    const { take, names } = bucketOf(1, 1);
    const leaving = new AbortController();
    take('first', read);
    take('left', read, { signal: leaving.signal });
    take('stays', read);
    leaving.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(names()).toEqual(['first', 'stays']);
  });
});

describe('dapps', () => {
  test("a flood of one dapp delays another's request by one token, whatever the urgency of either", async () => {
    for (const urgency of [person, read, background]) {
      const { take, names } = bucketOf(1, 1);
      take('first', read);
      for (let i = 0; i < 100; i++) take('flood', person, { dapp: 'a', patience: 200_000 });
      take('other', urgency, { dapp: 'b' });
      await vi.advanceTimersByTimeAsync(3_000);
      expect(names().indexOf('other')).toBeLessThanOrEqual(2);
    }
  });

  test('a dapp that always has just one request waiting gets no more than its turn', async () => {
    const { take, names } = bucketOf(1, 1);
    take('first', read);
    for (let i = 0; i < 10; i++) take('other', read, { dapp: 'b' });
    for (let second = 0; second < 10; second++) {
      take('single', person, { dapp: 'a' });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(names().filter((each) => each === 'other').length).toBe(5);
  });

  test('the person comes before all dapps', async () => {
    const { take, names } = bucketOf(1, 1);
    take('first', read);
    for (let i = 0; i < 20; i++) take('flood', person, { dapp: `${i}` });
    take('person', person, { dapp: null });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(names()).toEqual(['first', 'person']);
  });

  test('a request moves to the common queue when its payer changes', async () => {
    const { take, names, bucket } = bucketOf(1, 1);
    take('first', read);
    const payer = { dapp: 'a' as string | null };
    for (let i = 0; i < 20; i++) take('flood', person, { dapp: 'a' });
    void bucket.take({ urgency: background, payer }, now() + 60_000)?.then(() => take('done', person));
    payer.dapp = null;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(names()).toContain('flood');
    expect(names().length).toBeLessThan(4);
  });

  test('no request waits for more tokens than one for each dapp and each request before it in its own queue', async () => {
    const arrival = fc.record({
      dapp: fc.nat(3),
      urgency: fc.constantFrom(person, read, background),
      pause: fc.nat(1_500),
      times: fc.integer({ min: 1, max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 25 }), async (arrivals) => {
        const { take, got } = bucketOf(1, 1);
        take('0 first', read, { dapp: '0', patience: 1e9 });
        const before = new Map<string, { tokens: number; queue: number }>();
        let number = 0;
        for (const { dapp, urgency, pause, times } of arrivals) {
          // The dapp 0 floods; the others ask one by one.
          for (let i = 0; i < (dapp === 0 ? times : 1); i++) {
            const name = `${dapp} ${number++}`;
            const isWaiting = (each: string) => !got.some((done) => done.name === each);
            const queue = [...before.keys()].filter((each) => each.startsWith(`${dapp} `) && isWaiting(each));
            before.set(name, { tokens: got.length, queue: queue.length });
            take(name, urgency, { dapp: `${dapp}`, patience: 1e9 });
          }
          await vi.advanceTimersByTimeAsync(pause);
        }
        await vi.advanceTimersByTimeAsync(1_000_000);
        for (const [at, { name }] of got.entries()) {
          const start = before.get(name);
          if (!start || name.startsWith('0 ')) continue;
          const later = [...before.keys()].filter(
            (each) => each.startsWith(name.slice(0, 2)) && Number(each.slice(2)) > Number(name.slice(2)),
          ).length;
          expect(at - start.tokens).toBeLessThanOrEqual(4 * (start.queue + later + 1));
        }
        expect(got.length).toBe(number + 1);
      }),
      { seed: 5, numRuns: 60 },
    );
  });
});

describe('slowDown', () => {
  test('gives no tokens during the pause, then half the rate', async () => {
    const { bucket, take, got } = bucketOf(10, 5);
    bucket.slowDown(2_000);
    for (let i = 0; i < 3; i++) take(`${i}`, read);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(got.map(({ at }) => Math.round(at / 50) * 50)).toEqual([2_200, 2_400, 2_600]);
  });

  test('several rate limits of one burst count once', async () => {
    const { bucket, take, got } = bucketOf(16, 5);
    for (let i = 0; i < 20; i++) bucket.slowDown(0);
    take('a', read);
    await vi.advanceTimersByTimeAsync(130);
    expect(got.length).toBe(1);
  });

  test('the rate is never below a sixteenth and recovers within a minute', async () => {
    const { bucket, take, got } = bucketOf(16, 1);
    for (let i = 0; i < 20; i++) {
      bucket.slowDown(0);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    bucket.slowDown(0);
    const began = got.length;
    take('a', read);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(got.length).toBe(began + 1);
    await vi.advanceTimersByTimeAsync(60_000);
    for (let i = 0; i < 20; i++) take(`${i}`, read);
    await vi.advanceTimersByTimeAsync(1_010);
    expect(got.length).toBe(began + 1 + 17);
  });
});

test('never gives more tokens than burst and rate allow, and serves every request', async () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        take: fc.constantFrom(person, read, background),
        for: fc.integer({ min: 0, max: 3_000 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ pass: fc.integer({ min: 0, max: 2_000 }) }) },
    { weight: 1, arbitrary: fc.record({ slow: fc.integer({ min: 0, max: 3_000 }) }) },
  );
  const rates = fc.record({ rate: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 20 }) });
  await fc.assert(
    fc.asyncProperty(rates, fc.array(step, { maxLength: 120 }), async ({ rate, burst }, steps) => {
      const { bucket, take, got, refused } = bucketOf(rate, burst);
      let asked = 0;
      for (const each of steps) {
        if ('take' in each) take(`${asked++}`, each.take, { patience: each.for });
        else if ('pass' in each) await vi.advanceTimersByTimeAsync(each.pass);
        else bucket.slowDown(each.slow);
      }
      await vi.advanceTimersByTimeAsync(10_000);
      expect(got.length + refused.length).toBe(asked);
      for (const [first, { at: from }] of got.entries())
        for (const [last, { at: to }] of got.entries())
          if (last >= first)
            expect(last - first + 1).toBeLessThanOrEqual(burst + ((to - from) * rate) / 1000 + 1e-6);
    }),
    { numRuns: 60 },
  );
});
