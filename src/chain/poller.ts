import { type Clock, systemClock } from '../async/clock.js';
import { own } from '../rpc/own.js';
import { pageVisibility, type Visibility } from './visibility.js';

/** Repeats one task at an interval: never two runs at once, with backoff after failures. */
export interface Poller {
  /** Runs at once and then at the interval. Pauses while the page is hidden, and runs when it is shown again. */
  start(): void;
  /** Ends the interval. A run in progress finishes. */
  pause(): void;
  /** As {@link pause}, and aborts the signal of the run in progress. */
  stop(): void;
  /**
   * Runs once, also while paused or hidden. Settles as the run does that began no earlier than this call: calls during
   * a run share the next one.
   */
  poll(): Promise<void>;
  /** The number of the run that {@link poll} would return now; the first is 1. */
  nextRun(): number;
}

/** Milliseconds; the maximum pause after failures, so that a service that recovers is noticed soon. */
export const maxBackoff = 30_000;

export function createPoller(options: createPoller.Options): Poller {
  const { run, interval, clock = systemClock, visibility = pageVisibility } = own(options);
  let unwatch: (() => void) | undefined;
  let timer: unknown;
  let failures = 0;
  let startedAt = 0;
  let runs = 0;
  let abort = new AbortController();
  let running: Promise<void> | undefined;
  /** The run that began in this turn of the event loop: calls in the same turn share it. */
  let justStarted: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function begin(): Promise<void> {
    clock.clearTimeout(timer);
    startedAt = clock.now();
    const { signal } = abort;
    runs += 1;
    const settle = (failed: boolean) => {
      running = undefined;
      failures = failed ? failures + 1 : 0;
      // A run that is already requested begins without a timer.
      if (!next) schedule();
    };
    running = (async () => run(signal, runs))();
    justStarted = running.then(
      () => settle(false),
      (error) => {
        settle(true);
        throw error;
      },
    );
    queueMicrotask(() => {
      justStarted = undefined;
    });
    return justStarted;
  }

  function poll(): Promise<void> {
    if (justStarted) return justStarted;
    // Also set between the end of a run and the beginning of the requested one.
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

  const pollSilently = () => void poll().catch(() => {});

  /** The interval counts from the start of the last run, so that a wake-up event does not cause an early poll. */
  function schedule(): void {
    clock.clearTimeout(timer);
    if (!unwatch || running || !visibility.visible()) return;
    const pause = interval();
    const backoff = failures > 1 ? Math.max(pause, Math.min(pause * 2 ** (failures - 1), maxBackoff)) : pause;
    const elapsed = Math.max(0, clock.now() - startedAt);
    timer = clock.setTimeout(pollSilently, Math.max(0, backoff - elapsed));
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
      pollSilently();
    },
    pause,
    stop() {
      pause();
      justStarted = undefined;
      abort.abort();
      abort = new AbortController();
    },
    poll,
    nextRun: () => (justStarted ? runs : runs + 1),
  };
}

export declare namespace createPoller {
  interface Options {
    /** A rejection counts as a failure: from the second in a row the pause doubles. Runs are numbered from 1. */
    readonly run: (signal: AbortSignal, number: number) => Promise<void>;
    /** Milliseconds from the start of one run to the start of the next; evaluated for each. */
    readonly interval: () => number;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
  }
}
