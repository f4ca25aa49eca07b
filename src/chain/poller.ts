import { own } from '../rpc/own.js';
import { type Clock, systemClock } from './clock.js';
import { pageVisibility, type Visibility } from './visibility.js';

/** Runs one thing again and again, never twice at a time, and survives its failures. */
export interface Ticker {
  /** Runs at once and then at its interval. While the page is hidden it rests, and catches up on return. */
  start(): void;
  /** Runs no more by itself. */
  pause(): void;
  /** As {@link pause}, and the signal of the run under way is aborted. */
  stop(): void;
  /**
   * Runs once, whether started or hidden. Resolves, or rejects with the failure, when a run that began no
   * earlier than this call has ended; calls that come while one is under way share the next.
   */
  now(): Promise<void>;
  /** The number of the run that {@link now} would answer with; the first is 1. */
  upcoming(): number;
}

/** The longest pause after failures: a service that is back is noticed within half a minute. */
export const longestPause = 30_000;

export function createTicker(options: createTicker.Options): Ticker {
  const { run, interval, clock = systemClock, visibility = pageVisibility } = own(options);
  let unwatch: (() => void) | undefined;
  let timer: unknown;
  let failures = 0;
  let began = 0;
  let runs = 0;
  let abort = new AbortController();
  let running: Promise<void> | undefined;
  /** Set only in the turn in which the run began: whoever calls in it asks for the same. */
  let justBegun: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function begin(): Promise<void> {
    clock.clearTimeout(timer);
    began = clock.now();
    const { signal } = abort;
    runs += 1;
    const settle = (failed: boolean) => {
      running = undefined;
      failures = failed ? failures + 1 : 0;
      // A run that somebody waits for begins by itself.
      if (!next) schedule();
    };
    running = (async () => run(signal, runs))();
    justBegun = running.then(
      () => settle(false),
      (error) => {
        settle(true);
        throw error;
      },
    );
    queueMicrotask(() => {
      justBegun = undefined;
    });
    return justBegun;
  }

  function now(): Promise<void> {
    if (justBegun) return justBegun;
    // Also in the moment after a run has ended, and before the one that waits for it begins.
    if (next) return next;
    if (!running) return begin();
    next = running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  }

  const quietly = () => void now().catch(() => {});

  /** Counted from when the last run began, so that an event-driven wake-up is no reason to ask early. */
  function schedule(): void {
    clock.clearTimeout(timer);
    if (!unwatch || running || !visibility.visible()) return;
    const pause = interval();
    const backOff =
      failures > 1 ? Math.max(pause, Math.min(pause * 2 ** (failures - 1), longestPause)) : pause;
    const elapsed = Math.max(0, clock.now() - began);
    timer = clock.setTimeout(quietly, Math.max(0, backOff - elapsed));
  }

  function pause(): void {
    clock.clearTimeout(timer);
    unwatch?.();
    unwatch = undefined;
    failures = 0;
  }

  return {
    start() {
      unwatch ??= visibility.watch(() => {
        failures = 0;
        schedule();
      });
      quietly();
    },
    pause,
    stop() {
      pause();
      justBegun = undefined;
      abort.abort();
      abort = new AbortController();
    },
    now,
    upcoming: () => (justBegun ? runs : runs + 1),
  };
}

export declare namespace createTicker {
  interface Options {
    /** A rejection is a failure: the next run waits longer. Runs are counted from 1. */
    readonly run: (signal: AbortSignal, count: number) => Promise<void>;
    /** Milliseconds from the beginning of one run to the next; asked each time. */
    readonly interval: () => number;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
  }
}
