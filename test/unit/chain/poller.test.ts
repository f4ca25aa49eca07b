import { expect, test } from 'vitest';
import { createPoller } from '../../../src/chain/poller.js';
import { createFakeClock, settled } from '../../support/fake-clock.js';
import { createFakeVisibility } from '../../support/fake-visibility.js';

function setUp(run: (signal: AbortSignal, count: number) => Promise<void> = async () => {}) {
  const time = createFakeClock();
  const page = createFakeVisibility();
  let runs = 0;
  const poller = createPoller({
    async run(signal, count) {
      runs += 1;
      expect(count).toBe(runs);
      await run(signal, count);
    },
    interval: () => 10_000,
    clock: time.clock,
    visibility: page.visibility,
  });
  return { poller, time, page, runs: () => runs };
}

const failing = async () => {
  throw new Error('no answer');
};

test('runs at once, then at its interval, until stopped', async () => {
  const { poller, time, runs } = setUp();
  poller.start();
  expect(runs()).toBe(1);
  await settled();
  await time.advance(35_000);
  expect(runs()).toBe(4);
  poller.stop();
  await time.advance(100_000);
  expect(runs()).toBe(4);
  expect(time.next()).toBe(undefined);
});

test('nothing runs before it is started, and a second start runs once more but not twice as often', async () => {
  const { poller, time, runs } = setUp();
  await time.advance(30_000);
  expect(runs()).toBe(0);
  poller.start();
  await settled();
  poller.start();
  await settled();
  expect(runs()).toBe(2);
  await time.advance(20_000);
  expect(runs()).toBe(4);
  poller.stop();
});

test('after failures it waits longer, at most half a minute, and recovers at once', async () => {
  let broken = true;
  const { poller, time } = setUp(() => (broken ? failing() : Promise.resolve()));
  poller.start();
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
  poller.stop();
});

test('now() runs in between, and the interval counts from there', async () => {
  const { poller, time, runs } = setUp();
  poller.start();
  await settled();
  await time.advance(6_000);
  await poller.poll();
  expect(runs()).toBe(2);
  expect(time.next()).toBe(10_000);
  poller.stop();
});

test('calls in one turn share a run; calls during a run share the next', async () => {
  let release = () => {};
  const { poller, runs } = setUp(
    () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  );
  const first = [poller.poll(), poller.poll()];
  expect(poller.nextRun()).toBe(1);
  await settled();
  expect([runs(), poller.nextRun()]).toEqual([1, 2]);
  const second = [poller.poll(), poller.poll()];
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
  const { poller } = setUp(() => (broken ? failing() : Promise.resolve()));
  const first = poller.poll();
  await Promise.resolve();
  broken = false;
  const second = poller.poll();
  await expect(first).rejects.toThrow('no answer');
  await second;
});

test('hidden, it rests; in view again, it runs if its time has come', async () => {
  const { poller, time, page, runs } = setUp();
  poller.start();
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
  poller.stop();
  expect(page.listeners()).toBe(0);
});

test('hidden during a run, it rests after it; started hidden, it runs once', async () => {
  const { poller, time, page, runs } = setUp();
  page.set(false);
  poller.start();
  await settled();
  await time.advance(60_000);
  expect(runs()).toBe(1);
  page.set(true);
  await time.advance(0);
  expect(runs()).toBe(2);
  poller.stop();
});

test('coming back online ends the wait after failures', async () => {
  const { poller, time, page, runs } = setUp(failing);
  poller.start();
  await settled();
  await time.advance(60_000);
  expect(runs()).toBe(4);
  await time.advance(12_000);
  page.set(true);
  await time.advance(0);
  expect(runs()).toBe(5);
  poller.stop();
});

test('stop() aborts the run under way, pause() does not', async () => {
  const signals: AbortSignal[] = [];
  const { poller, time } = setUp(async (signal) => {
    signals.push(signal);
  });
  poller.start();
  poller.pause();
  await settled();
  expect([signals[0]?.aborted, time.next()]).toEqual([false, undefined]);
  poller.start();
  poller.stop();
  poller.start();
  await settled();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false]);
  poller.stop();
});

test('never runs twice at a time, whenever it is called', async () => {
  for (let moment = 0; moment < 20; moment++) {
    let running = 0;
    let most = 0;
    const { poller, runs } = setUp(async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
    });
    const calls = [poller.poll()];
    await Promise.resolve();
    calls.push(poller.poll());
    for (let i = 0; i < moment; i++) await Promise.resolve();
    calls.push(poller.poll());
    await Promise.all(calls);
    expect(most).toBe(1);
    expect(runs()).toBeLessThanOrEqual(3);
  }
});
