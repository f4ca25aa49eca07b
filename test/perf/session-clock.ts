/**
 * Makes timers and clocks of this process run so many times as fast. Everybody's intervals, time-outs and memories
 * keep their proportions and their defaults; only what takes real time, a reply and the work on it, takes the more.
 */
export function speedUp(factor: number): void {
  const real = { ...timers(), date: Date.now, performance: performance.now.bind(performance) };
  const startedAt = { date: Date.now(), performance: performance.now() };
  Object.assign(globalThis, {
    setTimeout: Object.assign(
      (run: () => void, delay = 0, ...rest: []) => real.setTimeout(run, delay / factor, ...rest),
      real.setTimeout,
    ),
    setInterval: Object.assign(
      (run: () => void, delay = 0, ...rest: []) => real.setInterval(run, delay / factor, ...rest),
      real.setInterval,
    ),
  });
  Date.now = () => Math.round(startedAt.date + (real.date() - startedAt.date) * factor);
  performance.now = () => startedAt.performance + (real.performance() - startedAt.performance) * factor;
}

const timers = () => ({ setTimeout: globalThis.setTimeout, setInterval: globalThis.setInterval });

/** Milliseconds on the clock of this process. */
export const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
