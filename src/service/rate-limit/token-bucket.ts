import type { Service } from '../service.js';

/** The state of a request in the limiter. */
export interface Admission {
  /** 0 for a person, 1 for a read of the page, 2 for background work. May become more urgent during the wait. */
  urgency: number;
  /** Default: no dapp. */
  readonly payer?: Service.Payer | undefined;
  /** Rejected by the limiter: later identical requests must not join this one. */
  refused?: true | undefined;
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
/** The minimum pace, as a share of `rate`. */
const minPace = 1 / 16;

const dappOf = ({ payer }: Admission) => payer?.dapp ?? null;
const isUrgent = ({ admission }: Waiter) => admission.urgency === 0;

/**
 * A token bucket: each request takes one token; `rate` tokens are added per second, up to `burst`. Requests without a
 * token wait in the queue of the dapp that pays for them. The queues have a turn each, so that a dapp delays another's next
 * request by one token; requests of the person come before all queues. Within a queue the order is that of urgency, and every
 * {@link turnsToOldest}th token goes to the request that has waited longest, so that none waits forever.
 */
export function createTokenBucket({ rate, burst, now }: createTokenBucket.Options) {
  /** In order of arrival. */
  const waiting: Waiter[] = [];
  let tokens = burst;
  /** Tokens added per second at present. */
  let pace = rate;
  /** The time up to which tokens were added; in the future during a pause. */
  let countedUntil = now();
  let slowedAt = Number.NEGATIVE_INFINITY;
  /** Tokens that each queue has got while others waited. */
  const turns = new Map<string | null, number>();
  /** The queues in the order of their last token. */
  const served = new Set<string | null>();
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

  /** The waiters of each queue, in order of arrival; the queue that has waited longest for a token first. */
  function queues(): [string | null, Waiter[]][] {
    const order = [...served];
    return [...new Set(waiting.map(({ admission }) => dappOf(admission)))]
      .sort((a, b) => order.indexOf(a) - order.indexOf(b))
      .map((dapp) => [dapp, waiting.filter(({ admission }) => dappOf(admission) === dapp)]);
  }

  function next(): Waiter {
    const all = queues();
    const ofPerson = all.find(([dapp, queue]) => dapp === null && queue.some(isUrgent));
    const [dapp, [oldest, ...younger]] = (ofPerson ?? all[0]) as [string | null, [Waiter, ...Waiter[]]];
    served.delete(dapp);
    served.add(dapp);
    const turn = ((turns.get(dapp) ?? 0) + 1) % turnsToOldest;
    turns.set(dapp, turn);
    if (turn === 0) return oldest;
    return younger.reduce(
      (best, each) => (each.admission.urgency < best.admission.urgency ? each : best),
      oldest,
    );
  }

  /** Requests that get a token before a new one. */
  function countAhead(admission: Admission): number {
    const dapp = dappOf(admission);
    const isFirst = dapp === null && admission.urgency === 0;
    const byQueue = queues();
    const own = byQueue.find(([each]) => each === dapp)?.[1] ?? [];
    const inOwn = own.filter((each) => each.admission.urgency <= admission.urgency).length;
    const inOthers = byQueue.map(([each, queue]) => {
      if (each === dapp || isFirst) return 0;
      const urgent = each === null ? queue.filter(isUrgent).length : 0;
      return Math.min(queue.length, Math.max(urgent, inOwn + 1));
    });
    return inOthers.reduce((sum, count) => sum + count, inOwn);
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
    /**
     * Returns `undefined` if there was a token. Else resolves with 0 once a token was taken, or when `signal` aborts
     * without taking one; with the milliseconds to wait if that would be after `until` (a time of
     * {@link createTokenBucket.Options.now}).
     */
    take(admission: Admission, until: number, signal?: AbortSignal): Promise<number> | undefined {
      serve();
      if (waiting.length === 0 && tokens >= 1 && countedUntil <= now()) {
        tokens -= 1;
        return undefined;
      }
      const wait = untilThereAre(countAhead(admission) + 1);
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
    /** The endpoint reports a rate limit: gives no tokens for `pause` milliseconds, then half as many per second. */
    slowDown(pause: number): void {
      count();
      countedUntil = Math.max(countedUntil, now() + pause);
      if (now() - slowedAt < oneBurst) return;
      slowedAt = now();
      tokens = Math.min(tokens, 0);
      pace = Math.max(rate * minPace, pace / 2);
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
