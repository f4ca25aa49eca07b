import { errorCode, limitExceeded, ProviderRpcError } from '../rpc/errors.js';
import { changesState } from './effects.js';
import type { Endpoint, Endpoints } from './endpoints.js';
import { diagnose, type Fault } from './errors.js';
import type { Reason } from './fault-table.js';

/**
 * One question to the service, however many HTTP requests it takes: retries, failover and waiting out a rate
 * limit inside one deadline (security.md §3). Rejects with a ProviderRpcError in the caller's dialect.
 */
export type Ask = (
  method: string,
  params: readonly unknown[],
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
    onSend: (method: string) => void;
    /** The service answered, if only with an error; or it was given up. */
    onContact: (reached: boolean) => void;
  }
}

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
  const { onSend, onContact } = options;

  return async (method, params, signal, refusedBy) => {
    const end = now() + deadline;
    const once = changesState(method);
    const tried = new Map<Endpoint, number>();
    let fault: Fault | undefined;

    for (let attempt = 1; attempt <= (once ? 1 : attempts); attempt++) {
      const next = endpoints.next(tried);
      if (!next) {
        if (fault) break;
        throw endpoints.closed();
      }
      const { endpoint, wait } = next;
      const times = tried.get(endpoint) ?? 0;
      const pause = Math.max(wait, times && backoff * 2 ** (times - 1) * (0.5 + random() / 2));
      if (pause >= end - now()) {
        if (fault) break;
        throw limited(wait, next.limit);
      }
      if (pause > 0) await sleep(pause, signal);
      if (signal?.aborted) throw diagnose({ method, trouble: 'aborted' }, String).error;

      endpoints.asked(endpoint);
      onSend(method);
      const left = Math.max(1, Math.ceil((end - now()) * (once ? 1 : share)));
      const outcome = await endpoint.transport.send(method, params, { deadline: left, signal });
      if (!outcome.fault) {
        endpoints.answered(endpoint);
        onContact(true);
        return { result: outcome.result, endpoint };
      }
      fault = outcome.fault;
      if (signal?.aborted) throw fault.error;
      if (!fault.retry) {
        endpoints.answered(endpoint);
        onContact(true);
        refusedBy?.(endpoint);
        throw fault.error;
      }
      endpoints.failed(endpoint, fault);
      tried.set(endpoint, fault.retry === 'again' ? times + 1 : Number.POSITIVE_INFINITY);
      if (fault.reason === 'unreachable' && !online()) {
        onContact(false);
        throw offline(fault.error);
      }
    }
    // Only a fault ends the loop.
    if (outOfReach.includes(fault?.reason)) onContact(false);
    throw fault?.error;
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
