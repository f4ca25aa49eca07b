/** Time as the keyring uses it, in milliseconds, so that a test can turn it. */
export interface Clock {
  /** Wall clock: goes on while the machine sleeps, and can be set back. */
  now(): number;
  /** Never set back, but may stand still while the machine sleeps. */
  monotonic(): number;
  /** Calls `run` after `delay`. Returns its undo. */
  after(delay: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delay, run) {
    const timer = setTimeout(run, delay);
    // In Node, an unlocked keyring must not keep a process alive that has nothing else to do.
    if (typeof timer === 'object') timer.unref();
    return () => clearTimeout(timer);
  },
};
