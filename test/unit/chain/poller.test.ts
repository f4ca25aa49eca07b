import { expect, test } from 'vitest';
import { createTicker } from '../../../src/chain/poller.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { createFakeVisibility } from '../../support/fake-visibility.js';

function setUp(run: (signal: AbortSignal, count: number) => Promise<void> = async () => {}) {
  const time = createFakeClock();
  const page = createFakeVisibility();
  let runs = 0;
  const ticker = createTicker({
    async run(signal, count) {
      runs += 1;
      expect(count).toBe(runs);
      await run(signal, count);
    },
    interval: () => 10_000,
    clock: time.clock,
    visibility: page.visibility,
  });
  return { ticker, time, page, runs: () => runs };
}

const failing = async () => {
  throw new Error('no answer');
};

test('runs at once, then at its interval, until stopped', async () => {
  const { ticker, time, runs } = setUp();
  ticker.start();
  expect(runs()).toBe(1);
  await settled();
  await time.advance(35_000);
  expect(runs()).toBe(4);
  ticker.stop();
  await time.advance(100_000);
  expect(runs()).toBe(4);
  expect(time.next()).toBe(undefined);
});

test('nothing runs before it is started, and a second start runs once more but not twice as often', async () => {
  const { ticker, time, runs } = setUp();
  await time.advance(30_000);
  expect(runs()).toBe(0);
  ticker.start();
  await settled();
  ticker.start();
  await settled();
  expect(runs()).toBe(2);
  await time.advance(20_000);
  expect(runs()).toBe(4);
  ticker.stop();
});

test('after failures it waits longer, at most half a minute, and recovers at once', async () => {
  let broken = true;
  const { ticker, time } = setUp(() => (broken ? failing() : Promise.resolve()));
  ticker.start();
  await settled();
  const pauses: (number | undefined)[] = [];
  for (let i = 0; i < 4; i++) {
    pauses.push(time.next());
    await time.advance(time.next() as number);
  }
  expect(pauses).toEqual([10_000, 20_000, 30_000, 30_000]);
  broken = false;
  await time.advance(30_000);
  expect(time.next()).toBe(10_000);
  ticker.stop();
});

test('now() runs in between, and the interval counts from there', async () => {
  const { ticker, time, runs } = setUp();
  ticker.start();
  await settled();
  await time.advance(6_000);
  await ticker.now();
  expect(runs()).toBe(2);
  expect(time.next()).toBe(10_000);
  ticker.stop();
});

test('calls in one turn share a run; calls during a run share the next', async () => {
  let release = () => {};
  const { ticker, runs } = setUp(
    () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  );
  const first = [ticker.now(), ticker.now()];
  expect(ticker.upcoming()).toBe(1);
  await settled();
  expect([runs(), ticker.upcoming()]).toEqual([1, 2]);
  const second = [ticker.now(), ticker.now()];
  release();
  await Promise.all(first);
  await settled();
  expect(runs()).toBe(2);
  release();
  await Promise.all(second);
  expect(runs()).toBe(2);
});

test('now() rejects with the failure of its run, and a call that waited for it gets its own', async () => {
  let broken = true;
  const { ticker } = setUp(() => (broken ? failing() : Promise.resolve()));
  const first = ticker.now();
  await Promise.resolve();
  broken = false;
  const second = ticker.now();
  await expect(first).rejects.toThrow('no answer');
  await second;
});

test('hidden, it rests; in view again, it runs if its time has come', async () => {
  const { ticker, time, page, runs } = setUp();
  ticker.start();
  await settled();
  page.set(false);
  await time.advance(3_600_000);
  expect(runs()).toBe(1);
  page.set(true);
  await time.advance(0);
  expect(runs()).toBe(2);
  page.set(false);
  page.set(true);
  await time.advance(9_999);
  expect(runs()).toBe(2);
  await time.advance(1);
  expect(runs()).toBe(3);
  ticker.stop();
  expect(page.listeners()).toBe(0);
});

test('hidden during a run, it rests after it; started hidden, it runs once', async () => {
  const { ticker, time, page, runs } = setUp();
  page.set(false);
  ticker.start();
  await settled();
  await time.advance(60_000);
  expect(runs()).toBe(1);
  page.set(true);
  await time.advance(0);
  expect(runs()).toBe(2);
  ticker.stop();
});

test('coming back online ends the wait after failures', async () => {
  const { ticker, time, page, runs } = setUp(failing);
  ticker.start();
  await settled();
  await time.advance(60_000);
  expect(runs()).toBe(4);
  await time.advance(12_000);
  page.set(true);
  await time.advance(0);
  expect(runs()).toBe(5);
  ticker.stop();
});

test('stop() aborts the run under way, pause() does not', async () => {
  const signals: AbortSignal[] = [];
  const { ticker, time } = setUp(async (signal) => {
    signals.push(signal);
  });
  ticker.start();
  ticker.pause();
  await settled();
  expect([signals[0]?.aborted, time.next()]).toEqual([false, undefined]);
  ticker.start();
  ticker.stop();
  ticker.start();
  await settled();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false]);
  ticker.stop();
});

test('never runs twice at a time, whenever it is called', async () => {
  for (let moment = 0; moment < 20; moment++) {
    let running = 0;
    let most = 0;
    const { ticker, runs } = setUp(async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
    });
    const calls = [ticker.now()];
    await Promise.resolve();
    calls.push(ticker.now());
    for (let i = 0; i < moment; i++) await Promise.resolve();
    calls.push(ticker.now());
    await Promise.all(calls);
    expect(most).toBe(1);
    expect(runs()).toBeLessThanOrEqual(3);
  }
});
