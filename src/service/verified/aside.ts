import { NotProven, noProof } from '../../proof/verdict.js';
import { own } from '../../rpc/own.js';
import { missingLifetime } from '../cache/negative-cache.js';
import type { Endpoint, Endpoints } from '../endpoints.js';
import type { Admission } from '../rate-limit/token-bucket.js';
import type { createRetryingRequest, RetryingRequest } from '../retry.js';
import type { Verifier } from './verifier.js';

/** Reads for one request what proofs need beside its reply. */
export type Ask = (admission: Admission) => Verifier.Ask;

/** Milliseconds for one reply, and for which an endpoint that had none is not asked for the same method. */
const patience = 3_000;
const lackPeriod = 30_000;

/**
 * Reads of proofs beside the reads of callers. Failures have no effect elsewhere: each endpoint is tried once, and its health, its
 * limits and whether the service counts as reachable stay as they are. Equal reads in flight are one.
 */
export function createAside(given: createAside.Options): Ask {
  const { endpoints, limiterOf, onSend, now, check } = own(given);
  const inFlight = new Map<string, Promise<unknown>>();
  /** Until when an endpoint lacks a method. */
  const lacks = new Map<Endpoint, Map<string, number>>();

  async function read({ method, params }: Verifier.Read, admission: Admission): Promise<unknown> {
    const tried = new Map<Endpoint, { readonly times: number; readonly from: number }>();
    let problem: NotProven | undefined;
    let isNull = false;
    for (let next = endpoints.next(tried); next && next.wait === 0; next = endpoints.next(tried)) {
      const { endpoint } = next;
      tried.set(endpoint, { times: Number.POSITIVE_INFINITY, from: 0 });
      const lacking = lacks.get(endpoint) ?? new Map<string, number>();
      if ((lacking.get(method) ?? Number.NEGATIVE_INFINITY) > now()) continue;
      const limiter = limiterOf(endpoint);
      if (limiter?.refusal(method, admission)) continue;
      if (await limiter?.admit(admission, now() + patience)) continue;
      const number = limiter?.count(admission) ?? 0;
      onSend(method);
      const outcome = await endpoint.transport.send(method, params, own({ deadline: patience }));
      if (outcome.fault) {
        const period = outcome.fault.reason === 'method-not-found' ? missingLifetime : lackPeriod;
        lacks.set(endpoint, lacking.set(method, now() + period));
        continue;
      }
      limiter?.answered(number);
      const { result } = outcome;
      if ((result ?? null) === null) isNull = true;
      else
        try {
          await check(own({ method, params }), own({ result, endpoint }), admission);
          return result;
        } catch (error) {
          if (!(error instanceof NotProven)) throw error;
          if (problem?.verdict !== 'contradicted') problem = error;
        }
    }
    if (problem) throw problem;
    if (isNull) return null;
    throw noProof('No endpoint shows it.');
  }

  return (admission) => (method, params) => {
    const key = JSON.stringify([method, params]);
    const reading =
      inFlight.get(key) ??
      read({ method, params }, own({ ...admission })).finally(() => inFlight.delete(key));
    inFlight.set(key, reading);
    return reading;
  };
}

export declare namespace createAside {
  interface Options extends Pick<createRetryingRequest.Options, 'limiterOf' | 'onSend'> {
    readonly endpoints: Endpoints;
    /** Milliseconds, monotonic. */
    readonly now: () => number;
    /** @throws NotProven where a reply does not hold */
    readonly check: (
      read: Verifier.Read,
      answer: Awaited<ReturnType<RetryingRequest>>,
      admission: Admission,
    ) => Promise<void>;
  }
}
