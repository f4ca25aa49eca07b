/**
 * How fast one endpoint is asked: a token a request, `rate` new ones each second, up to `burst` of them. Who finds
 * none waits, the more urgent before the less urgent; every {@link turnsToOldest}th turn is that of whoever has
 * waited longest, so that nobody waits for ever.
 */
export interface Bucket {
  /**
   * `undefined`: there was a token. Else resolves with 0 in its turn, or when `signal` aborts, which takes none;
   * with the milliseconds to wait where its turn would not come before `until` (in {@link createBucket.Options.now}).
   */
  take(turn: Turn, until: number, signal?: AbortSignal): Promise<number> | undefined;
  /** The endpoint says that this is too fast: gives nothing for `pause` milliseconds, then half as fast as before. */
  slow(pause: number): void;
}

/** Who asks: 0 a person, 1 a page, 2 what runs by itself. It may become more urgent while it waits. */
export interface Turn {
  urgency: number;
  /** Set when the budget has refused it: who comes now asks for himself. */
  refused?: true;
}

interface Waiter {
  readonly turn: Turn;
  readonly until: number;
  readonly end: (wait: number) => void;
}

const turnsToOldest = 5;
/** Milliseconds in which the pace recovers from nothing to `rate`. */
const recovery = 60_000;
/** Milliseconds in which one "too fast" is enough: the requests of one burst hear it all together. */
const oneBurst = 1_000;
/** Of `rate`, the slowest pace. */
const slowest = 1 / 16;

export function createBucket({ rate, burst, now }: createBucket.Options): Bucket {
  /** In order of arrival. */
  const waiting: Waiter[] = [];
  let tokens = burst;
  let pace = rate;
  /** Up to when tokens were counted; later than now during a pause. */
  let counted = now();
  let slowed = Number.NEGATIVE_INFINITY;
  let turns = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function count(): void {
    const passed = now() - counted;
    if (passed <= 0) return;
    counted += passed;
    tokens = Math.min(burst, tokens + (passed * pace) / 1000);
    pace = Math.min(rate, pace + (passed * rate) / recovery);
  }

  /** Milliseconds until there are `needed` tokens, at the pace of now. */
  const untilThereAre = (needed: number) =>
    Math.max(0, counted - now()) + Math.max(0, ((needed - tokens) * 1000) / pace);

  function next(): Waiter {
    turns = (turns + 1) % turnsToOldest;
    const [oldest, ...younger] = waiting as [Waiter, ...Waiter[]];
    if (turns === 0) return oldest;
    return younger.reduce((best, each) => (each.turn.urgency < best.turn.urgency ? each : best), oldest);
  }

  function serve(): void {
    clearTimeout(timer);
    count();
    while (waiting.length > 0 && tokens >= 1 && counted <= now()) {
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
    take(turn, until, signal) {
      serve();
      if (waiting.length === 0 && tokens >= 1 && counted <= now()) {
        tokens -= 1;
        return undefined;
      }
      const ahead = waiting.filter((each) => each.turn.urgency <= turn.urgency).length;
      const wait = untilThereAre(ahead + 1);
      if (wait > until - now()) return Promise.resolve(wait);
      return new Promise((resolve) => {
        const leave = () => waiter.end(0);
        const waiter: Waiter = {
          turn,
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
    slow(pause) {
      count();
      counted = Math.max(counted, now() + pause);
      if (now() - slowed < oneBurst) return;
      slowed = now();
      tokens = Math.min(tokens, 0);
      pace = Math.max(rate * slowest, pace / 2);
    },
  };
}

export declare namespace createBucket {
  interface Options {
    /** Tokens a second. */
    readonly rate: number;
    readonly burst: number;
    /** Milliseconds, monotonic. */
    readonly now: () => number;
  }
}
