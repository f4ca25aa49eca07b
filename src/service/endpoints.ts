import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Fault } from './errors/errors.js';
import type { Reason } from './errors/fault-table.js';
import type { Transport } from './http/transport.js';

export type Endpoints = ReturnType<typeof createEndpoints>;

export declare namespace Endpoints {
  /** Why a request waits for an endpoint. */
  type Limit = Extract<Reason, 'rate' | 'quota'>;
  /**
   * The attempts of one request at each endpoint, Infinity to exclude it, and the time from which it may be asked again.
   */
  type Tried = ReadonlyMap<Endpoint, { readonly times: number; readonly from: number }>;
  interface Next {
    readonly endpoint: Endpoint;
    /** Milliseconds. */
    readonly wait: number;
    /** The limit to wait for, if any. */
    readonly limit?: Limit | undefined;
  }
}

export declare namespace createEndpoints {
  interface Options {
    chainId: number;
    transports: readonly Transport[];
    now: () => number;
    random: () => number;
    /** Milliseconds. */
    coolDown: number;
    /** Milliseconds of the first pause after a failure. */
    backoff: number;
    /** Milliseconds without an answer after which an endpoint is lost. */
    patience: number;
  }
}

/**
 * The longest pause in an outage, and the first one after a rate limit without `Retry-After`, in first pauses. As long
 * a request that tests an endpoint is waited for before another one tests it too.
 */
export const longPause = 10;
/** Requests in flight from which on their number is not bounded. */
const unbounded = 128;
/** Milliseconds. */
const behindFor = 3_000;

/** An endpoint and its health. */
export interface Endpoint {
  readonly transport: Transport;
  /** When it last confirmed the network's chain id: a time of {@link createEndpoints.Options.now}. */
  confirmedAt: number | undefined;
  /** Increases with each failure and limit: further outcomes of requests that were sent before belong to the same one. */
  state: number;
  /** Milliseconds of the last pause after a failure; 0 after an answer. */
  pause: number;
  limits: number;
  limit: Endpoints.Limit;
  /** Requests that may be in flight, those sent in this state, and when the last of them was sent. */
  window: number;
  flying: number;
  sentAt: number;
  /** Times of {@link createEndpoints.Options.now}. */
  failingSince: number | undefined;
  avoidedUntil: number;
  behindUntil: number;
  limitedUntil: number;
  pausedUntil: number;
  excludedUntil: number;
  refusal: ProviderRpcError | undefined;
}

/** The health of an endpoint that has answered. */
const well = {
  pause: 0,
  failingSince: undefined,
  avoidedUntil: 0,
  pausedUntil: 0,
  excludedUntil: 0,
  refusal: undefined,
};

interface Waiter {
  readonly urgency: number;
  readonly until: number;
  readonly end: () => void;
}

/**
 * Selects the endpoint of a network for each request. The first endpoint is preferred; one that failed is avoided until
 * its cool-down ends, unless no other is left.
 *
 * An outage and a limit are states of an endpoint (docs/notes/security.md#faults-of-the-service). However many requests meet
 * one, it counts once: the endpoint then gets no request
 * - after a failure for a pause, which doubles with each further one;
 * - for as long as its `Retry-After` says (HTTP 429), or one cool-down after a spent quota without that header; at most
 *   one cool-down, because a wrong header must not stop a page;
 * - after it has reported another chain id: for one cool-down, because its answers are about the wrong chain;
 * - after an honest one has contradicted it: for ten minutes (`verified/`).
 *
 * After a second failure, or a limit, one request tests the endpoint; after a first one, half as many as before. Each answer
 * doubles the requests that may be in flight, until all may. An endpoint that has failed for longer than `patience` is lost: between tests its requests are refused at once.
 */
export function createEndpoints(options: createEndpoints.Options) {
  const { chainId, now, random, coolDown, backoff, patience } = options;
  const all = options.transports.map(
    (transport): Endpoint => ({
      transport,
      confirmedAt: undefined,
      ...well,
      state: 0,
      limits: 0,
      limit: 'rate',
      window: Number.POSITIVE_INFINITY,
      flying: 0,
      sentAt: 0,
      behindUntil: 0,
      limitedUntil: 0,
    }),
  );
  const waiting = new Set<Waiter>();
  const maxPause = longPause * backoff;

  const isLost = ({ failingSince }: Endpoint) =>
    failingSince !== undefined && now() - failingSince >= patience;

  /** Until then the endpoint is not to be tested. */
  const testedFrom = ({ pausedUntil, flying, window, sentAt }: Endpoint) =>
    Math.max(pausedUntil, flying < window ? 0 : sentAt + maxPause);

  /** Ends the waits up to a time: those of the most urgent requests first, whichever timer ran first. */
  function wake(time = Number.POSITIVE_INFINITY): void {
    for (const { until, end } of [...waiting].sort((a, b) => a.urgency - b.urgency)) if (until <= time) end();
  }

  /** A failure or a limit begins: what is in flight says nothing more about the endpoint. */
  function begin(health: Endpoint, window: number): void {
    Object.assign(health, { state: health.state + 1, window, flying: 0 });
  }

  /**
   * The best endpoint for a request and the milliseconds to wait before it; `undefined` if all are excluded or lost.
   */
  function next(tried: Endpoints.Tried = new Map()): Endpoints.Next | undefined {
    const time = now();
    const candidates = all
      .map((endpoint) => {
        const { times, from } = tried.get(endpoint) ?? { times: 0, from: 0 };
        const test = testedFrom(endpoint);
        const limited = endpoint.limitedUntil > Math.max(time, test, from);
        return {
          endpoint,
          times,
          wait: Math.max(0, Math.max(endpoint.limitedUntil, test, from) - time),
          limit: limited ? endpoint.limit : undefined,
          isOpen: endpoint.excludedUntil <= time && !(isLost(endpoint) && test > time),
          avoided: Math.max(endpoint.avoidedUntil, endpoint.behindUntil) > time,
        };
      })
      .filter((each) => each.times < Number.POSITIVE_INFINITY && each.isOpen);
    // The sort is stable, so of equal endpoints the preferred one comes first.
    return candidates.sort(
      (a, b) => a.wait - b.wait || a.times - b.times || Number(a.avoided) - Number(b.avoided),
    )[0];
  }

  return {
    next,
    /**
     * Resolves after `ms` milliseconds, or as soon as the state of an endpoint has changed or `signal` aborts: the caller
     * then selects again. Those with the least urgency number go first.
     */
    turn: (ms: number, urgency: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const waiter: Waiter = {
          urgency,
          until: now() + ms,
          end() {
            clearTimeout(timer);
            waiting.delete(waiter);
            signal?.removeEventListener('abort', waiter.end);
            resolve();
          },
        };
        // A timer may end a fraction of a millisecond early: an endpoint that was lost meanwhile would then be refused, and
        // nothing would test it.
        const ring = () => {
          if (now() < waiter.until) timer = setTimeout(ring, 1);
          else wake(now());
        };
        let timer = setTimeout(ring, Math.ceil(ms));
        waiting.add(waiter);
        signal?.addEventListener('abort', waiter.end);
      }),
    /** Must be called when a request is sent. Returns the state in which it was sent, for its outcome. */
    sent(health: Endpoint): number {
      health.flying++;
      health.sentAt = now();
      return health.state;
    },
    answered(health: Endpoint, sentIn: number): void {
      // This request was sent before the endpoint reported another chain.
      if (health.refusal && health.excludedUntil > now()) return;
      const isOfState = sentIn === health.state;
      if (isOfState) health.flying--;
      const wasFree = health.window === Number.POSITIVE_INFINITY && health.pause === 0;
      Object.assign(health, well);
      // A request from before the limit was answered whatever the limit is.
      if (isOfState || health.limits === 0) {
        health.limits = 0;
        health.window = health.window < unbounded ? 2 * health.window : Number.POSITIVE_INFINITY;
      }
      if (!wasFree) wake();
    },
    /** Without `sentIn`, the fault was found in an answer. */
    failed(health: Endpoint, fault: Fault, sentIn?: number): void {
      const time = now();
      const isOfState = sentIn === health.state;
      if (isOfState) health.flying--;
      if (fault.retry) health.avoidedUntil = time + coolDown;
      if (fault.reason === 'rate' || fault.reason === 'quota') {
        const isKnown = !isOfState && health.limits > 0;
        const unnamed = fault.reason === 'quota' ? coolDown : maxPause * 2 ** health.limits;
        const wait = fault.retryAfter === undefined ? (isKnown ? 0 : unnamed) : fault.retryAfter * 1000;
        health.limitedUntil = Math.max(health.limitedUntil, time + Math.min(coolDown, wait));
        if (isKnown) return;
        begin(health, 1);
        health.limits++;
        health.limit = fault.reason;
      } else if (fault.retry === 'again' && isOfState) {
        // One failure among answers is no outage.
        begin(health, health.pause > 0 ? 1 : Math.max(1, health.flying >> 1));
        health.failingSince ??= time;
        health.pause = Math.min(isLost(health) ? coolDown : maxPause, Math.max(backoff, 2 * health.pause));
        health.pausedUntil = time + health.pause * (0.5 + random() / 2);
      }
      if (isOfState) wake();
    },
    /** Avoids the best endpoint for 3 s, which has answered behind what others have shown. */
    behind(): void {
      const best = next()?.endpoint;
      if (best) best.behindUntil = now() + behindFor;
    },
    /** Whether the endpoint has answered nothing since its last failure. */
    isFailing: ({ failingSince }: Endpoint): boolean => failingSince !== undefined,
    /** Excludes an endpoint that serves another chain, with the error to report. */
    exclude(endpoint: Endpoint, error: ProviderRpcError): void {
      Object.assign(endpoint, { confirmedAt: undefined, excludedUntil: now() + coolDown, refusal: error });
    },
    /** The error (4901) of a request for which there is no endpoint. */
    closed(): ProviderRpcError {
      const from = (each: Endpoint) => Math.max(each.excludedUntil, testedFrom(each));
      const first = all.reduce((a, b) => (from(b) < from(a) ? b : a));
      const seconds = Math.ceil(Math.max(0, from(first) - now()) / 1000);
      return first.refusal ?? circuitOpen(chainId, seconds);
    },
  };
}

/** 4901, not 4900: other chains may still be connected (EIP-1193). */
const circuitOpen = (chainId: number, seconds: number) =>
  new ProviderRpcError(
    errorCode.chainDisconnected,
    `The provider is disconnected from chain ${toQuantity(chainId)}: the service keeps failing; the next attempt is in ${seconds} s`,
    { reason: 'circuit-open', retryAfter: seconds },
  );
