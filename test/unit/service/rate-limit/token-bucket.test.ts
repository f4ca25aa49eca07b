import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTokenBucket } from '../../../../src/service/rate-limit/token-bucket.js';

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
      { patience = 60_000, signal }: { patience?: number; signal?: AbortSignal } = {},
    ) {
      const turn = { urgency };
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

  test('of equally urgent requests the first comes first', async () => {
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
