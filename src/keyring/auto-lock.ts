import type { Clock } from '../async/clock.js';

/**
 * Decides when unlocked keys must lock. Measures by both clocks and takes the longer time: the monotonic one may stand
 * still while the machine sleeps, and the wall clock may be set back.
 */
export interface AutoLock {
  /** Restarts both timeouts. */
  start(): void;
  /** Restarts the idle timeout: the keys were used. */
  touch(): void;
  /** Sets the timer anew: the idle time has changed. */
  reschedule(): void;
  /** Check at every use, since browsers delay the timers of hidden pages. */
  expired(): boolean;
  stop(): void;
}

export function createAutoLock(options: createAutoLock.Options): AutoLock {
  const { clock, idle, absolute, expire } = options;
  const read = () => ({ wall: clock.now(), steady: clock.monotonic() });
  let started = read();
  let used = started;
  let timer: unknown;

  const elapsedSince = (start: typeof started) => {
    const { wall, steady } = read();
    return Math.max(wall - start.wall, steady - start.steady);
  };
  const remaining = () => Math.min(idle() - elapsedSince(used), absolute - elapsedSince(started));
  const schedule = () => {
    clock.clearTimeout(timer);
    // A timer counts at most 2³¹ - 1 ms: after that, schedule the rest.
    const delay = Math.min(Math.max(remaining(), 0), 2_147_483_647);
    timer = clock.setTimeout(() => (remaining() <= 0 ? expire() : schedule()), delay);
    // In Node, an unlocked keyring must not keep a process alive that has nothing else to do.
    if (typeof timer === 'object') (timer as { unref?(): void }).unref?.();
  };

  return {
    start() {
      started = read();
      used = started;
      schedule();
    },
    touch() {
      used = read();
      schedule();
    },
    reschedule: schedule,
    expired: () => remaining() <= 0,
    stop() {
      clock.clearTimeout(timer);
    },
  };
}

export declare namespace createAutoLock {
  interface Options {
    readonly clock: Clock;
    /** Milliseconds without a use until it expires. */
    readonly idle: () => number;
    /** Milliseconds from the start until it expires, used or not. */
    readonly absolute: number;
    readonly expire: () => void;
  }
}
