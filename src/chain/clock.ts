/** Time as the chain and subscription rooms use it: milliseconds, and timers that tests can turn by hand. */
export interface Clock {
  now(): number;
  setTimeout(run: () => void, delay: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** The platform's. Looked up at each call: importing touches no global, and fake timers are seen. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
