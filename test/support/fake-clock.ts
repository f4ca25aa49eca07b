import type { Clock } from '../../src/async/clock.js';

/** A {@link Clock} that moves only when the test advances it. */
export function createFakeClock() {
  let time = 1_000_000;
  let timers: { at: number; run: () => void }[] = [];
  const clock: Clock = {
    now: () => time,
    monotonic: () => time,
    setTimeout(run, delay) {
      const timer = { at: time + delay, run };
      timers.push(timer);
      return timer;
    },
    clearTimeout(timer) {
      timers = timers.filter((each) => each !== timer);
    },
  };
  async function advance(duration: number): Promise<void> {
    const end = time + duration;
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      timers = timers.filter((each) => each !== next);
      time = Math.max(time, next.at);
      next.run();
      await settled();
    }
    time = end;
  }
  const next = () => timers.map(({ at }) => at - time).sort((a, b) => a - b)[0];
  return {
    clock,
    /** Moves time on by `duration` ms and runs each timer that falls due, with {@link settled} after each. */
    advance,
    /** Moves time on, timer by timer, until `promise` settles. */
    async until<T>(promise: Promise<T>): Promise<T> {
      let isSettled = false;
      const settle = () => {
        isSettled = true;
      };
      promise.then(settle, settle);
      for (await settled(); !isSettled; await settled()) await advance(next() ?? 0);
      return promise;
    },
    /** Milliseconds until the next timer; undefined when none is set. */
    next,
  };
}

/** Resolves after all pending microtasks. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
