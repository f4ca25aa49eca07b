import { errorCode, limitExceeded, ProviderRpcError } from '../rpc/errors.js';
import type { Account } from './rate-limit/limiter.js';
import type { Turn } from './rate-limit/token-bucket.js';
import { changesState } from './idempotency.js';
import type { Endpoint, Endpoints } from './endpoints.js';
import { copyOf, diagnose, type Fault } from './errors/errors.js';
import type { Reason } from './errors/fault-table.js';

/**
 * One question to the service, however many HTTP requests it takes: retries, failover and waiting out a rate
 * limit inside one deadline (docs/notes/security.md#faults-of-the-service). Rejects with a ProviderRpcError in the caller's dialect.
 */
export type Ask = (
  method: string,
  params: readonly unknown[],
  turn: Turn,
  signal?: AbortSignal,
  /** Told who said the error that this rejects with, where an endpoint did. */
  refusedBy?: (endpoint: Endpoint) => void,
) => Promise<{ readonly result: unknown; readonly endpoint: Endpoint }>;

export declare namespace createAsk {
  interface Options {
    endpoints: Endpoints;
    /** Milliseconds for the whole question. */
    deadline: number;
    /** Share of the remaining time that one attempt may take, so that the next endpoint has some left. */
    share: number;
    attempts: number;
    /** Milliseconds before the first repetition; doubles, and varies by half. */
    backoff: number;
    now: () => number;
    random: () => number;
    online: () => boolean;
    /** Loads what {@link accountOf} knows; `undefined` where there is nothing to load (any more). */
    ready: () => Promise<unknown> | undefined;
    /** What the endpoint may be asked; without it, everything. */
    accountOf: (endpoint: Endpoint) => Account | undefined;
    onSend: (method: string) => void;
    /** The service answered, if only with an error; or it was given up. */
    onContact: (reached: boolean) => void;
  }
}

interface Lack {
  readonly method: string;
  readonly until: number;
  readonly error: ProviderRpcError;
}

/** Milliseconds. */
const lackHolds = 300_000;

const outOfReach: readonly unknown[] = [
  'unreachable',
  'late',
  'redirect',
  'status',
  'not-json',
  'refused',
] satisfies Reason[];

export function createAsk(options: createAsk.Options): Ask {
  const { endpoints, deadline, share, attempts, backoff, now, random, online } = options;
  const { ready, accountOf, onSend, onContact } = options;
  /** The last refusal of each method that an endpoint lacks and another endpoint may have. */
  const lacking = new Map<Endpoint, Lack>();

  /** The best endpoint that may be asked this today; else why there is none. */
  function choose(method: string, turn: Turn, tried: Map<Endpoint, number>) {
    let refusal: ProviderRpcError | undefined;
    let lack: ProviderRpcError | undefined;
    for (const [endpoint, { method: absent, until, error }] of lacking) {
      if (absent !== method || until <= now()) continue;
      tried.set(endpoint, Number.POSITIVE_INFINITY);
      lack = copyOf(error);
    }
    for (;;) {
      const next = endpoints.next(tried);
      if (!next) return refusal ?? lack ?? endpoints.closed();
      const refused = accountOf(next.endpoint)?.refusal(method, turn);
      if (!refused) return next;
      refusal ??= refused;
      tried.set(next.endpoint, Number.POSITIVE_INFINITY);
    }
  }

  return async (method, params, turn, signal, refusedBy) => {
    const end = now() + deadline;
    const loading = ready();
    if (loading) await loading;
    const once = changesState(method);
    const tried = new Map<Endpoint, number>();
    let fault: Fault | undefined;
    /** The last answer of a service, which says more than that the time ran out while it was asked again. */
    let answer: Fault | undefined;

    for (let attempt = 1; attempt <= (once ? 1 : attempts); ) {
      const next = choose(method, turn, tried);
      if (next instanceof ProviderRpcError) {
        if (fault) break;
        turn.refused = true;
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
      if (signal?.aborted) throw aborted(method);

      const account = accountOf(endpoint);
      // The last part of the time is the service's.
      const admission = account?.admit(turn, now() + (end - now()) * 0.8, signal);
      if (admission) {
        const refusal = await admission;
        if (refusal && fault) break;
        if (refusal) turn.refused = true;
        if (refusal) throw refusal;
        if (signal?.aborted) throw aborted(method);
        // Meanwhile it may have asked for a pause, or failed.
        const best = endpoints.next(tried);
        if (best?.endpoint !== endpoint || best.wait > 0) continue;
      }

      attempt++;
      endpoints.asked(endpoint);
      const number = account?.count() ?? 0;
      onSend(method);
      const left = Math.max(1, Math.ceil((end - now()) * (once ? 1 : share)));
      const outcome = await endpoint.transport.send(method, params, { deadline: left, signal });
      if (!outcome.fault) {
        endpoints.answered(endpoint);
        account?.answered(number);
        onContact(true);
        return { result: outcome.result, endpoint };
      }
      fault = outcome.fault;
      if (fault.reason !== 'late') answer = fault.reason === 'unreachable' ? undefined : fault;
      if (signal?.aborted) throw fault.error;
      if (!fault.retry) {
        endpoints.answered(endpoint);
        account?.answered(number);
        onContact(true);
        refusedBy?.(endpoint);
        throw fault.error;
      }
      if (fault.reason === 'method-not-found') {
        endpoints.answered(endpoint);
        account?.answered(number);
        onContact(true);
        lacking.set(endpoint, { method, until: now() + lackHolds, error: fault.error });
      } else {
        endpoints.failed(endpoint, fault);
        account?.failed(fault);
      }
      tried.set(endpoint, fault.retry === 'again' ? times + 1 : Number.POSITIVE_INFINITY);
      if (fault.reason === 'unreachable' && !online()) {
        onContact(false);
        throw offline(fault.error);
      }
    }
    // Only a fault ends the loop.
    if (outOfReach.includes(fault?.reason)) {
      // Another node behind the same URL may answer the next attempt.
      lacking.clear();
      onContact(false);
    }
    throw (answer ?? fault)?.error;
  };
}

/** Resolves after `ms`, or at once when `signal` aborts: who waits then looks at the signal. */
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

const aborted = (method: string) => diagnose({ method, trouble: 'aborted' }, String).error;

const seconds = (ms: number) => Math.ceil(ms / 1000);

const limited = (ms: number, reason: Endpoints.Limit = 'rate') =>
  limitExceeded(
    `The service ${reason === 'rate' ? 'limits the rate of requests' : 'has a quota that is spent'} and is asked again in ${seconds(ms)} s`,
    { reason, retryAfter: seconds(ms) },
  );

const offline = (error: ProviderRpcError) =>
  new ProviderRpcError(errorCode.disconnected, 'The provider is disconnected: this device is offline', {
    ...(error.data as object),
    reason: 'offline',
  });
