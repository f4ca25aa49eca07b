import { anySignal } from '../../async/any-signal.js';
import { requestAborted } from '../errors/errors.js';
import type { SteadyRead, SteadyState } from './contradiction.js';

/** The time and the requests that one read may take until it is settled. */
export interface Budget {
  /** Aborts with the caller's signal, and at the deadline. */
  readonly signal: AbortSignal;
  /** Whether the deadline has passed. */
  isOver(): boolean;
  end(): void;
}

export function createBudget({ clock, now }: SteadyState, read: SteadyRead, deadline: number): Budget {
  const timeout = new AbortController();
  const left = Math.max(0, deadline - Math.abs(now() - read.startedAt));
  const timer = clock.setTimeout(() => timeout.abort(), left);
  const [signal, release] = anySignal(read.options.signal, timeout.signal);
  return {
    signal,
    isOver: () => timeout.signal.aborted,
    end() {
      clock.clearTimeout(timer);
      release();
    },
  };
}

/** Waits before a request that repeats one: 0, 50, 100, 200, 400 and then 800 ms; a fifth of it on this machine. */
export const createPause =
  ({ clock, isLocal }: SteadyState) =>
  (attempt: number, signal: AbortSignal): Promise<void> => {
    const step = isLocal ? 10 : 50;
    return new Promise((resolve, reject) => {
      const abort = () => {
        clock.clearTimeout(timer);
        reject(requestAborted('eth_getBlockByNumber'));
      };
      const timer = clock.setTimeout(
        () => {
          signal.removeEventListener('abort', abort);
          resolve();
        },
        attempt > 0 ? Math.min(step * 2 ** (attempt - 1), step * 16) : 0,
      );
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
  };
