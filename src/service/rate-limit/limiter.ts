import { bytesToHex } from '../../rpc/hex.js';
import { keccak256 } from '../../rpc/keccak.js';
import { isSend } from '../../rpc/method-facts/wallet-facts.js';
import { own } from '../../rpc/own.js';
import type { Fault } from '../errors/errors.js';
import type { Network } from '../networks.js';
import type { Service } from '../service.js';
import { createDailyQuota, type QuotaStore, tryLater } from './daily-quota.js';
import type { RateLimits } from './limits.js';
import { type Admission, createTokenBucket } from './token-bucket.js';

export type Limiter = ReturnType<typeof createLimiter>;

/** The limiter of one endpoint. */
export type EndpointLimiter = NonNullable<Limiter['endpoints'][number]>;

const hosted = { requestsPerDay: 25_000, requestsPerSecond: 20, burst: 100 } satisfies RateLimits;
/** Seconds: a longer `Retry-After` is shortened to this, as in endpoints.ts. */
const maxPause = 30;

/**
 * Limits the requests to the endpoints of one network, per second ({@link createTokenBucket}) and per day
 * ({@link createDailyQuota}), so that the quota of an API key lasts for the day. Loads as a chunk of its own.
 */
export function createLimiter(options: createLimiter.Options) {
  const { network, limits, memory, onChange } = options;
  const { now = () => performance.now(), date = Date.now, connected } = own(options);

  function open(url: string) {
    // Plain http is accepted on this machine only (networks.ts), and not limited unless the options say so.
    const defaults = url.startsWith('https:') ? hosted : undefined;
    if (!defaults && !limits) return undefined;
    const effective = own<RateLimits>({ ...defaults, ...limits });
    const { requestsPerDay = null, requestsPerSecond = null, burst = hosted.burst } = effective;
    const quota = createDailyQuota({
      perDay: requestsPerDay,
      store: memory(storeName(network.chainId, url)),
      now: date,
      onChange,
      connected,
    });
    const bucket =
      requestsPerSecond === null ? null : createTokenBucket({ rate: requestsPerSecond, burst, now });
    const limiter = {
      /** The error of a request that the daily quota refuses; `undefined` if it may be sent. */
      refusal: (method: string, { urgency, payer }: Admission) =>
        quota.refusal(urgency, isSend(method), payer?.dapp),
      /**
       * Returns `undefined` if the request may be sent at once. Else resolves when it may, or when `signal` aborts; with
       * an error (-32005) if that would be after `until`.
       */
      admit: (admission: Admission, until: number, signal?: AbortSignal) =>
        bucket
          ?.take(admission, until, signal)
          ?.then((wait) =>
            wait > 0 ? tryLater('There are too many requests per second', 'rate', wait) : undefined,
          ),
      /** Counts a request that is sent, for the dapp that pays for it too. Returns its number. */
      count: (admission?: Admission) => quota.count(admission?.payer?.dapp),
      /** The request of this number was answered. */
      answered: quota.answered,
      failed({ reason, retryAfter }: Fault): void {
        if (reason === 'quota') quota.markSpent(retryAfter);
        if (reason === 'rate') bucket?.slowDown(Math.min(maxPause, retryAfter ?? 0) * 1000);
      },
    };
    return { limiter, quota, perDay: requestsPerDay };
  }

  const opened = network.urls.map(open);
  const limited = opened.filter((each) => each !== undefined);
  const quotas = limited.map(({ quota }) => quota);

  return {
    /** In the order of the network's URLs; `undefined` for an endpoint without limits. */
    endpoints: opened.map((each) => each?.limiter),
    /** The factor by which background work of a dapp, or of the wallet, slows down: 1, 2, 4, 8 or 16. */
    slowdown: (dapp?: string | null) =>
      limited.length < opened.length ? 1 : Math.min(...quotas.map((each) => each.slowdown(dapp))),
    usage: (): Service.Quota => ({
      today: quotas.reduce((sum, each) => sum + each.today(), 0),
      perDay: opened.every((each) => typeof each?.perDay === 'number')
        ? limited.reduce((sum, { perDay }) => sum + (perDay as number), 0)
        : null,
      state: best(opened.map((each) => each?.quota.state() ?? 'normal')),
    }),
    close(): void {
      for (const each of quotas) each.close();
    },
  };
}

/** A request that one endpoint refuses goes to the next: the state of a network is that of its best endpoint. */
const best = (states: readonly Service.Quota['state'][]) =>
  (['normal', 'saving', 'reserved'] as const).find((each) => states.includes(each)) ?? 'spent';

/** A hash of the URL: every script of the origin can read the name, so it must not contain the API key. */
const storeName = (chainId: number, url: string) =>
  `graft:budget:${chainId}:${bytesToHex(keccak256(new TextEncoder().encode(url))).slice(2, 18)}`;

export declare namespace createLimiter {
  interface Options {
    readonly network: Pick<Network, 'chainId' | 'urls'>;
    /** Limits from the wallet's options; they apply to each URL of the network. */
    readonly limits?: RateLimits | undefined;
    /** Opens a store by name, which the tabs of one origin share. */
    readonly memory: (name: string) => QuotaStore;
    /** Called when the state in {@link Limiter.usage} has changed. */
    readonly onChange: () => void;
    /** The dapps that the person has connected. */
    readonly connected?: (() => Iterable<string>) | undefined;
    /** Milliseconds, monotonic. */
    readonly now?: (() => number) | undefined;
    /** Milliseconds since 1970. */
    readonly date?: (() => number) | undefined;
  }
}
