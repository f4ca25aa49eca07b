import { watchNativeWork } from './native-work.js';

/**
 * Time that passes when everybody waits for it: what sleeps for seconds takes none, so that a million requests
 * with all their retries fit into minutes. Microtasks, promises and streams are the platform's. None passes while WebCrypto
 * works, or a slow machine would make it hours.
 */
export interface VirtualTime {
  /** Milliseconds since the beginning. */
  now(): number;
  /** Lets time pass until `work` is settled. */
  until<T>(work: Promise<T>): Promise<T>;
  /** The platform's time again. */
  end(): void;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Timers this close go off together. */
const step = 10;

export function beginVirtualTime(): VirtualTime {
  const { setTimeout, clearTimeout, setImmediate } = globalThis;
  const [date, monotonic] = [Date.now, performance.now];
  const began = Date.now();
  const nativeWork = watchNativeWork();
  const timers = new Map<number, Timer>();
  let now = 0;
  let last = 0;

  const set = (run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) => {
    const id = ++last;
    timers.set(id, { due: now + Math.max(0, Number(delay) || 0), run: () => run(...args) });
    // As Node's: an object that can be let go of, and a number to whoever wants one.
    const handle = { id, ref: () => handle, unref: () => handle, [Symbol.toPrimitive]: () => id };
    return handle;
  };
  const clear = (handle: unknown) => {
    timers.delete((handle as { id?: number } | undefined)?.id ?? Number(handle));
  };
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  Date.now = () => began + Math.floor(now);
  performance.now = () => now;

  function pass(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of timers.values()) next = Math.min(next, due);
    if (next === Number.POSITIVE_INFINITY) return;
    now = Math.max(now, next) + step;
    const due = [...timers].filter(([, timer]) => timer.due <= now).sort(([, a], [, b]) => a.due - b.due);
    for (const [id, timer] of due) if (timers.delete(id)) timer.run();
  }

  return {
    now: () => now,
    async until(work) {
      let settled = false;
      const end = () => {
        settled = true;
      };
      work.then(end, end);
      // A turn of the loop is when all promises have run; a second one for what the platform does beside them.
      for (let turn = 0; !settled; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (turn % 2 === 1 && !settled && !nativeWork.isUnderWay()) pass();
      }
      return work;
    },
    end() {
      Object.assign(globalThis, { setTimeout, clearTimeout });
      Date.now = date;
      performance.now = monotonic;
      timers.clear();
      nativeWork.end();
    },
  };
}
