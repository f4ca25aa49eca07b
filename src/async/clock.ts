/** Time in milliseconds, and timers: a port, so that tests can advance it by hand. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. It runs while the machine sleeps, and can be set back. */
  now(): number;
  /** Never set back, but may stand still while the machine sleeps. */
  monotonic(): number;
  setTimeout(run: () => void, delay: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** The platform's clock, looked up at each call: importing touches no global, and fake timers take effect. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
