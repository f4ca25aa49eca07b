import { limitExceeded } from '../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { mustNotRepeat } from '../rpc/method-facts/method-facts.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import { missingLifetime } from './cache/negative-cache.js';
import { type Endpoint, type Endpoints, longPause } from './endpoints.js';
import { copyOf, type Fault, requestAborted } from './errors/errors.js';
import type { Reason } from './errors/fault-table.js';
import { createFurtherTries, type Tries, type Try } from './further-tries.js';
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
  /** Endpoints that are not asked. */
  without?: readonly Endpoint[],
) => Promise<{ readonly result: unknown; readonly endpoint: Endpoint }>;

export declare namespace createRetryingRequest {
  interface Options {
    endpoints: Endpoints;
    /** Milliseconds for the request with all its retries. */
    deadline: number;
    /** Share of the remaining time that one attempt may take, so that the next endpoint has some left. */
    share: number;
    /**
     * Milliseconds before the first retry at an endpoint; doubles with each up to {@link longPause} times as long, times a
     * random factor of 0.5 to 1.
     */
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
  const { endpoints, deadline, share, backoff, now, random, online } = options;
  const { ready, limiterOf, onSend, onContact } = options;
  const missing = new Map<Endpoint, MissingMethod>();
  const patience = Math.max(minPatience, deadline / 4);
  let lastAnswer = Number.NEGATIVE_INFINITY;

  /** The best endpoint that has the method and quota left; without one, the error to reject with. */
  function choose(method: string, admission: Admission, tried: Map<Endpoint, Tries>) {
    let refusal: ProviderRpcError | undefined;
    let missingError: ProviderRpcError | undefined;
    for (const [endpoint, { method: absent, until, error }] of missing) {
      if (absent !== method || until <= now()) continue;
      tried.set(endpoint, excluded);
      missingError = copyOf(error);
    }
    for (;;) {
      const next = endpoints.next(tried);
      if (!next) return refusal ?? missingError ?? endpoints.closed();
      const refused = limiterOf(next.endpoint)?.refusal(method, admission);
      if (!refused) return next;
      refusal ??= refused;
      tried.set(next.endpoint, excluded);
    }
  }

  /** When a request that has failed so many times may be sent again. */
  const nextFrom = (times: number): number =>
    now() + backoff * Math.min(longPause, 2 ** (times - 1)) * (0.5 + random() / 2);

  const run = async (
    end: number,
    course: Course,
    method: string,
    params: readonly unknown[],
    admission: Admission,
    onRefusal?: (endpoint: Endpoint) => void,
  ): ReturnType<RetryingRequest> => {
    const { signal, tried = new Map<Endpoint, Tries>() } = course;
    const began = now();
    const once = mustNotRepeat(method);
    const isWide = hasRange(method, params);
    let isTested = false;
    let fault: Fault | undefined;
    /** The last fault that is no timeout: it says more than a later one, which may have had no time left. */
    let reason: Fault | undefined;

    for (let attempt = 1; attempt === 1 || !(once || course.isOvertaken?.()); ) {
      const next = choose(method, admission, tried);
      if (next instanceof ProviderRpcError) {
        if (fault) break;
        admission.refused = true;
        throw next;
      }
      const { endpoint, wait } = next;
      if (wait >= end - now()) {
        if (fault) break;
        throw next.limit ? limited(wait, next.limit) : endpoints.closed();
      }
      if (wait > 0) {
        // The endpoint may fail or recover during the wait.
        await endpoints.turn(wait, admission.urgency, signal);
        if (signal?.aborted) throw requestAborted(method);
        continue;
      }
      if (once && !isTested && endpoints.isFailing(endpoint)) {
        // It is sent once, so a read tests the endpoint before it.
        await run(end, own({ signal }), 'eth_chainId', [], admission);
        isTested = true;
        continue;
      }

      const limiter = limiterOf(endpoint);
      // The last fifth of the remaining time is left for the HTTP request.
      const waiting = limiter?.admit(admission, now() + (end - now()) * 0.8, signal);
      if (waiting) {
        const refusal = await waiting;
        if (refusal && fault) break;
        if (refusal) admission.refused = true;
        if (refusal) throw refusal;
        if (signal?.aborted) throw requestAborted(method);
        const best = endpoints.next(tried);
        if (best?.endpoint !== endpoint || best.wait > 0) continue;
      }

      const sentIn = endpoints.sent(endpoint);
      const number = limiter?.count(admission) ?? 0;
      onSend(method);
      course.sent?.();
      const left = Math.max(1, Math.ceil((end - now()) * (once ? 1 : isWide ? shareOfWide : share)));
      const silence = course.silent && setTimeout(() => course.silent?.(endpoint), patience);
      const outcome = await endpoint.transport.send(method, params, {
        deadline: left,
        signal,
        attempt: attempt++,
      });
      clearTimeout(silence);
      const answered = () => {
        lastAnswer = now();
        endpoints.answered(endpoint, sentIn);
        limiter?.answered(number);
        onContact(true);
      };
      if (!outcome.fault) {
        answered();
        return { result: outcome.result, endpoint };
      }
      fault = outcome.fault;
      if (fault.reason !== 'late') reason = fault;
      if (signal?.aborted) {
        endpoints.failed(endpoint, fault, sentIn);
        throw fault.error;
      }
      if (!fault.retry) {
        answered();
        course.answered?.();
        onRefusal?.(endpoint);
        throw fault.error;
      }
      if (fault.reason === 'method-not-found') {
        answered();
        missing.set(endpoint, { method, until: now() + missingLifetime, error: fault.error });
      } else {
        endpoints.failed(endpoint, fault, sentIn);
        limiter?.failed(fault);
      }
      const times = (tried.get(endpoint)?.times ?? 0) + 1;
      if (isWide && !isLimit(fault) && fault.retry === 'again' && (times > 1 || fault.reason === 'late')) {
        // Whether the service is out of order or the range is too wide shows in a read that is not.
        isTested ||= await run(end, own({ signal }), 'eth_chainId', [], admission).then(Boolean, () => false);
        if (!isTested) break;
        if (times > 2 || fault.reason === 'late') throw tooWide(fault.error);
      }
      tried.set(endpoint, fault.retry === 'again' ? { times, from: nextFrom(times) } : excluded);
      if (fault.reason === 'unreachable' && !online()) {
        onContact(false);
        throw offline(fault.error);
      }
    }
    // Only a fault ends the loop. One failure of a request that is sent once may be a short outage, and so may that of a
    // read while others are answered.
    const isLost = fault?.retry !== 'again' || (!once && lastAnswer < began);
    if (course.isAlone?.() !== false && unreachable.includes(fault?.reason) && isLost) {
      // Another node may answer the next request.
      missing.clear();
      onContact(false);
    }
    throw (reason ?? fault)?.error;
  };

  const furtherTries = createFurtherTries({ now, pause: longPause * backoff });

  return async (method, params, admission, signal, onRefusal, without = []) => {
    const end = now() + deadline;
    const loading = ready();
    if (loading) await loading;
    const tried = without.map((endpoint) => [endpoint, excluded] as const);
    if (mustNotRepeat(method) || hasRange(method, params))
      return await run(end, own({ signal, tried: new Map(tried) }), method, params, admission, onRefusal);
    const first = furtherTries((next) => run(end, next, method, params, admission, onRefusal), signal);
    for (const each of tried) first.tried.set(...each);
    // Where another endpoint has answered, the service can be reached.
    const course = tried.length > 0 ? own({ ...first, isAlone: () => false }) : first;
    return await first.race(run(end, course, method, params, admission, onRefusal));
  };
}

/** A request that is sent once, and a range of logs, have no further tries. */
interface Course extends Partial<Omit<Try, 'signal'>> {
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds without an answer, a quarter of the deadline but at least these, after which a read is sent again beside the first. */
const minPatience = 1_000;

/** Share of the remaining time that a range of logs gets, so that there is some left to find out that it is too wide. */
const shareOfWide = 0.6;

/** Whether a part of the request may succeed where it fails: `eth_getLogs` of several blocks. */
function hasRange(method: string, params: readonly unknown[]): boolean {
  if (method !== 'eth_getLogs') return false;
  const { fromBlock, toBlock } = membersOf(params[0]);
  return fromBlock !== undefined && fromBlock !== toBlock;
}

const isLimit = ({ reason }: Fault) => reason === 'rate' || reason === 'quota';

/** The fault as a refusal of the range: callers split it. */
const tooWide = ({ message, data }: ProviderRpcError) =>
  limitExceeded(`The service fails for so much at once: ${message}`, {
    ...(data as object),
    reason: 'range-too-large',
  });

const excluded: Tries = { times: Number.POSITIVE_INFINITY, from: 0 };

function limited(ms: number, reason: Endpoints.Limit): ProviderRpcError {
  const retryAfter = Math.ceil(ms / 1000);
  const text = reason === 'rate' ? 'The service limits the rate of requests' : "The service's quota is spent";
  return limitExceeded(`${text}; try again in ${retryAfter} s`, { reason, retryAfter });
}

const offline = (error: ProviderRpcError) =>
  new ProviderRpcError(errorCode.disconnected, 'The provider is disconnected: this device is offline', {
    ...(error.data as object),
    reason: 'offline',
  });
