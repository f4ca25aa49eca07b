import type { Clock } from '../async/clock.js';

/**
 * Decides when unlocked keys must lock. Measures by both clocks and takes the longer time: the monotonic one may stand
 * still while the machine sleeps, and the wall clock may be set back.
 */
export interface AutoLock {
  /** Restarts the timeouts; those of `term` where an earlier unlock goes on. */
  start(term?: Term): void;
  /** Restarts the idle timeout, and moves the end of a term, milliseconds since 1970. */
  extend(until: number): void;
  /** Restarts the idle timeout: the keys were used. */
  touch(): void;
  /** Reschedules the timer after a change of the idle timeout. */
  reschedule(): void;
  /** Check at every use, since browsers delay the timers of hidden pages. */
  expired(): boolean;
  stop(): void;
}

/** The time of an unlock that another page began. Milliseconds since 1970. */
export interface Term {
  /** When the credential was given: the absolute timeout counts from then. */
  readonly since: number;
  /** When it expires at the latest, whatever is used. */
  readonly until: number;
}

export function createAutoLock(options: createAutoLock.Options): AutoLock {
  const { clock, idle, absolute, expire } = options;
  const read = () => ({ wall: clock.now(), steady: clock.monotonic() });
  let started = read();
  let used = started;
  /** The end of the term, milliseconds after `begun`. */
  let limit = Number.POSITIVE_INFINITY;
  let begun = started;
  let timer: unknown;

  const elapsedSince = (start: typeof started) => {
    const { wall, steady } = read();
    return Math.max(wall - start.wall, steady - start.steady);
  };
  const remaining = () =>
    Math.min(idle() - elapsedSince(used), absolute - elapsedSince(started), limit - elapsedSince(begun));
  const schedule = () => {
    clock.clearTimeout(timer);
    // A timer counts at most 2³¹ - 1 ms: after that, schedule the rest.
    const delay = Math.min(Math.max(remaining(), 0), 2_147_483_647);
    timer = clock.setTimeout(() => (remaining() <= 0 ? expire() : schedule()), delay);
    // In Node, an unlocked keyring must not keep a process alive that has nothing else to do.
    if (typeof timer === 'object') (timer as { unref?(): void }).unref?.();
  };

  return {
    start(term) {
      begun = read();
      used = begun;
      limit = term ? term.until - begun.wall : Number.POSITIVE_INFINITY;
      const age = term ? Math.max(begun.wall - term.since, 0) : 0;
      started = { wall: begun.wall - age, steady: begun.steady - age };
      schedule();
    },
    extend(until) {
      used = read();
      if (limit !== Number.POSITIVE_INFINITY) {
        begun = used;
        limit = until - begun.wall;
      }
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
