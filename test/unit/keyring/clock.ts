import type { Clock } from '../../../src/async/clock.js';

/** A clock turned by hand. Timers fire while `advance` passes them; `jump` moves the wall clock alone. */
export interface TestClock extends Clock {
  advance(ms: number): void;
  jump(ms: number): void;
  /** Passes time without firing timers, as in a page that slept: by the wall, and by the steady clock. */
  sleep(wall: number, steady: number): void;
  readonly timers: readonly number[];
}

export function createTestClock(): TestClock {
  let wall = Date.UTC(2026, 0, 1);
  let steady = 1_000;
  let waiting: { at: number; run: () => void }[] = [];
  return {
    now: () => wall,
    monotonic: () => steady,
    setTimeout(run, delay) {
      const timer = { at: steady + delay, run };
      waiting.push(timer);
      return timer;
    },
    clearTimeout(timer) {
      waiting = waiting.filter((each) => each !== timer);
    },
    advance(ms) {
      const end = steady + ms;
      for (;;) {
        const [next] = waiting.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        waiting = waiting.filter((timer) => timer !== next);
        wall += Math.max(next.at - steady, 0);
        steady = Math.max(next.at, steady);
        next.run();
      }
      wall += end - steady;
      steady = end;
    },
    jump(ms) {
      wall += ms;
    },
    sleep(wallMs, steadyMs) {
      wall += wallMs;
      steady += steadyMs;
    },
    get timers() {
      return waiting.map((timer) => timer.at - steady);
    },
  };
}
