import { limitExceeded } from '../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { missingLifetime } from './cache/negative-cache.js';
import type { Endpoint, Endpoints } from './endpoints.js';
import { copyOf, type Fault, requestAborted } from './errors/errors.js';
import type { Reason } from './errors/fault-table.js';
import { mustNotRepeat } from './idempotency.js';
import type { EndpointLimiter } from './rate-limit/limiter.js';
import type { Admission } from './rate-limit/token-bucket.js';

/**
 * Makes one request within one deadline, with retries, failover and waits for rate limits
 * (docs/notes/security.md#faults-of-the-service). Rejects with a ProviderRpcError for the caller.
 */
export type RetryingRequest = (
  method: string,
  params: readonly unknown[],
  admission: Admission,
  signal?: AbortSignal,
  /** Called with the endpoint whose error this rejects with. */
  onRefusal?: (endpoint: Endpoint) => void,
) => Promise<{ readonly result: unknown; readonly endpoint: Endpoint }>;

export declare namespace createRetryingRequest {
  interface Options {
    endpoints: Endpoints;
    /** Milliseconds for the request with all its retries. */
    deadline: number;
    /** Share of the remaining time that one attempt may take, so that the next endpoint has some left. */
    share: number;
    /** HTTP requests that one read may cost. */
    attempts: number;
    /** Milliseconds before the first retry at an endpoint; doubles with each, times a random factor of 0.5 to 1. */
    backoff: number;
    now: () => number;
    random: () => number;
    online: () => boolean;
    /** Loads the rate limiter; `undefined` once it has loaded, or without one. */
    ready: () => Promise<unknown> | undefined;
    /** The rate limiter of an endpoint; `undefined` for one that is not limited. */
    limiterOf: (endpoint: Endpoint) => EndpointLimiter | undefined;
    onSend: (method: string) => void;
    /** Called with true after an answer, also an error; with false when the service could not be reached. */
    onContact: (reached: boolean) => void;
  }
}

/** A method that an endpoint does not have, and another endpoint may have. */
interface MissingMethod {
  readonly method: string;
  /** Until then the endpoint gets no request for it. */
  readonly until: number;
  readonly error: ProviderRpcError;
}

/** Faults after which another node behind the same URL may answer. */
const unreachable: readonly unknown[] = [
  'unreachable',
  'late',
  'redirect',
  'status',
  'not-json',
  'refused',
] satisfies Reason[];

export function createRetryingRequest(options: createRetryingRequest.Options): RetryingRequest {
  const { endpoints, deadline, share, attempts, backoff, now, random, online } = options;
  const { ready, limiterOf, onSend, onContact } = options;
  const missing = new Map<Endpoint, MissingMethod>();

  /** The best endpoint that has the method and quota left; without one, the error to reject with. */
  function choose(method: string, admission: Admission, tried: Map<Endpoint, number>) {
    let refusal: ProviderRpcError | undefined;
    let missingError: ProviderRpcError | undefined;
    for (const [endpoint, { method: absent, until, error }] of missing) {
      if (absent !== method || until <= now()) continue;
      tried.set(endpoint, Number.POSITIVE_INFINITY);
      missingError = copyOf(error);
    }
    for (;;) {
      const next = endpoints.next(tried);
      if (!next) return refusal ?? missingError ?? endpoints.closed();
      const refused = limiterOf(next.endpoint)?.refusal(method, admission);
      if (!refused) return next;
      refusal ??= refused;
      tried.set(next.endpoint, Number.POSITIVE_INFINITY);
    }
  }

  return async (method, params, admission, signal, onRefusal) => {
    const end = now() + deadline;
    const loading = ready();
    if (loading) await loading;
    const once = mustNotRepeat(method);
    const tried = new Map<Endpoint, number>();
    let fault: Fault | undefined;
    /** The last fault with an answer: it says more than a later timeout. */
    let answer: Fault | undefined;

    for (let attempt = 1; attempt <= (once ? 1 : attempts); ) {
      const next = choose(method, admission, tried);
      if (next instanceof ProviderRpcError) {
        if (fault) break;
        admission.refused = true;
        throw next;
      }
      const { endpoint, wait } = next;
      const times = tried.get(endpoint) ?? 0;
      const pause = Math.max(wait, times && backoff * 2 ** (times - 1) * (0.5 + random() / 2));
      if (pause >= end - now()) {
        if (fault) break;
        throw limited(wait, next.limit);
      }
      if (pause > 0) await sleep(pause, signal);
      if (signal?.aborted) throw requestAborted(method);

      const limiter = limiterOf(endpoint);
      // The last fifth of the remaining time is left for the HTTP request.
      const waiting = limiter?.admit(admission, now() + (end - now()) * 0.8, signal);
      if (waiting) {
        const refusal = await waiting;
        if (refusal && fault) break;
        if (refusal) admission.refused = true;
        if (refusal) throw refusal;
        if (signal?.aborted) throw requestAborted(method);
        // During the wait the endpoint may have failed or asked for a pause.
        const best = endpoints.next(tried);
        if (best?.endpoint !== endpoint || best.wait > 0) continue;
      }

      endpoints.sent(endpoint);
      const number = limiter?.count(admission) ?? 0;
      onSend(method);
      const left = Math.max(1, Math.ceil((end - now()) * (once ? 1 : share)));
      const outcome = await endpoint.transport.send(method, params, {
        deadline: left,
        signal,
        attempt: attempt++,
      });
      const answered = () => {
        endpoints.answered(endpoint);
        limiter?.answered(number);
        onContact(true);
      };
      if (!outcome.fault) {
        answered();
        return { result: outcome.result, endpoint };
      }
      fault = outcome.fault;
      if (fault.reason !== 'late') answer = fault.reason === 'unreachable' ? undefined : fault;
      if (signal?.aborted) throw fault.error;
      if (!fault.retry) {
        answered();
        onRefusal?.(endpoint);
        throw fault.error;
      }
      if (fault.reason === 'method-not-found') {
        answered();
        missing.set(endpoint, { method, until: now() + missingLifetime, error: fault.error });
      } else {
        endpoints.failed(endpoint, fault);
        limiter?.failed(fault);
      }
      tried.set(endpoint, fault.retry === 'again' ? times + 1 : Number.POSITIVE_INFINITY);
      if (fault.reason === 'unreachable' && !online()) {
        onContact(false);
        throw offline(fault.error);
      }
    }
    // Only a fault ends the loop.
    if (unreachable.includes(fault?.reason)) {
      // Another node may answer the next request.
      missing.clear();
      onContact(false);
    }
    throw (answer ?? fault)?.error;
  };
}

/** Resolves after `ms` milliseconds, or as soon as `signal` aborts. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

const limited = (ms: number, reason: Endpoints.Limit = 'rate') =>
  limitExceeded(
    `${reason === 'rate' ? 'The service limits the rate of requests' : "The service's quota is spent"}; try again in ${seconds(ms)} s`,
    { reason, retryAfter: seconds(ms) },
  );

const offline = (error: ProviderRpcError) =>
  new ProviderRpcError(errorCode.disconnected, 'The provider is disconnected: this device is offline', {
    ...(error.data as object),
    reason: 'offline',
  });
