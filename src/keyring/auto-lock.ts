import type { Clock } from './clock.js';

/** Says when keys have been unlocked for too long, by either clock: one may sleep, the other be set back. */
export interface AutoLock {
  /** Counts from now. */
  start(): void;
  /** Somebody used the keys. */
  touch(): void;
  /** To be asked at every use: timers sleep in hidden pages. */
  expired(): boolean;
  stop(): void;
}

export function createAutoLock(options: createAutoLock.Options): AutoLock {
  const { clock, idle, absolute, expire } = options;
  const read = () => ({ wall: clock.now(), steady: clock.monotonic() });
  let started = read();
  let used = started;
  let cancel = () => {};

  const since = (moment: typeof started) => {
    const { wall, steady } = read();
    return Math.max(wall - moment.wall, steady - moment.steady);
  };
  const left = () => Math.min(idle - since(used), absolute - since(started));
  const schedule = () => {
    cancel();
    // Longer than a timer can count (2³¹ ms): look again then.
    cancel = clock.after(Math.min(Math.max(left(), 0), 2_147_483_647), () =>
      left() <= 0 ? expire() : schedule(),
    );
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
    expired: () => left() <= 0,
    stop() {
      cancel();
    },
  };
}

export declare namespace createAutoLock {
  interface Options {
    readonly clock: Clock;
    /** Milliseconds without a use. */
    readonly idle: number;
    /** Milliseconds, used or not. */
    readonly absolute: number;
    readonly expire: () => void;
  }
}
