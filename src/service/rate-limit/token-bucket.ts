/**
 * A token bucket: each request takes one token; `rate` tokens are added per second, up to `burst`. Requests without a
 * token wait in the order of their urgency. Every {@link turnsToOldest}th token goes to the request that has waited
 * longest, so that none waits forever.
 */
export interface TokenBucket {
  /**
   * Returns `undefined` if there was a token. Else resolves with 0 once a token was taken, or when `signal` aborts
   * without taking one; with the milliseconds to wait if that would be after `until` (a time of
   * {@link createTokenBucket.Options.now}).
   */
  take(admission: Admission, until: number, signal?: AbortSignal): Promise<number> | undefined;
  /** The endpoint reports a rate limit: gives no tokens for `pause` milliseconds, then half as many per second. */
  slowDown(pause: number): void;
}

/** The state of a request in the limiter. */
export interface Admission {
  /** 0 for a person, 1 for a read of the page, 2 for background work. May become more urgent during the wait. */
  urgency: number;
  /** Rejected by the limiter: later identical requests must not join this one. */
  refused?: true;
}

interface Waiter {
  readonly admission: Admission;
  readonly until: number;
  readonly end: (wait: number) => void;
}

const turnsToOldest = 5;
/** Milliseconds in which the pace would recover from 0 to `rate`. */
const recovery = 60_000;
/** Milliseconds in which further rate limits are ignored: they answer the requests of one burst. */
const oneBurst = 1_000;
/** The slowest pace, as a share of `rate`. */
const slowest = 1 / 16;

export function createTokenBucket({ rate, burst, now }: createTokenBucket.Options): TokenBucket {
  /** In order of arrival. */
  const waiting: Waiter[] = [];
  let tokens = burst;
  /** Tokens added per second at present. */
  let pace = rate;
  /** The time up to which tokens were added; in the future during a pause. */
  let countedUntil = now();
  let slowedAt = Number.NEGATIVE_INFINITY;
  let turns = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function count(): void {
    const passed = now() - countedUntil;
    if (passed <= 0) return;
    countedUntil += passed;
    tokens = Math.min(burst, tokens + (passed * pace) / 1000);
    pace = Math.min(rate, pace + (passed * rate) / recovery);
  }

  /** Milliseconds until there are `needed` tokens, at the present pace. */
  const untilThereAre = (needed: number) =>
    Math.max(0, countedUntil - now()) + Math.max(0, ((needed - tokens) * 1000) / pace);

  function next(): Waiter {
    turns = (turns + 1) % turnsToOldest;
    const [oldest, ...younger] = waiting as [Waiter, ...Waiter[]];
    if (turns === 0) return oldest;
    return younger.reduce(
      (best, each) => (each.admission.urgency < best.admission.urgency ? each : best),
      oldest,
    );
  }

  function serve(): void {
    clearTimeout(timer);
    count();
    while (waiting.length > 0 && tokens >= 1 && countedUntil <= now()) {
      tokens -= 1;
      next().end(0);
    }
    const wait = untilThereAre(1);
    for (const each of [...waiting]) if (each.until <= now()) each.end(Math.max(1, wait));
    if (waiting.length === 0) return;
    const first = Math.min(...waiting.map(({ until }) => until - now()));
    timer = setTimeout(serve, Math.max(1, Math.ceil(Math.min(first, wait))));
  }

  return {
    take(admission, until, signal) {
      serve();
      if (waiting.length === 0 && tokens >= 1 && countedUntil <= now()) {
        tokens -= 1;
        return undefined;
      }
      const ahead = waiting.filter((each) => each.admission.urgency <= admission.urgency).length;
      const wait = untilThereAre(ahead + 1);
      if (wait > until - now()) return Promise.resolve(wait);
      return new Promise((resolve) => {
        const leave = () => waiter.end(0);
        const waiter: Waiter = {
          admission,
          until,
          end(outcome) {
            waiting.splice(waiting.indexOf(waiter), 1);
            signal?.removeEventListener('abort', leave);
            resolve(outcome);
          },
        };
        waiting.push(waiter);
        signal?.addEventListener('abort', leave);
        serve();
      });
    },
    slowDown(pause) {
      count();
      countedUntil = Math.max(countedUntil, now() + pause);
      if (now() - slowedAt < oneBurst) return;
      slowedAt = now();
      tokens = Math.min(tokens, 0);
      pace = Math.max(rate * slowest, pace / 2);
    },
  };
}

export declare namespace createTokenBucket {
  interface Options {
    /** Tokens per second. */
    readonly rate: number;
    readonly burst: number;
    /** Milliseconds, monotonic. */
    readonly now: () => number;
  }
}
