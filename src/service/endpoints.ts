import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Fault } from './errors/errors.js';
import type { Reason } from './errors/fault-table.js';
import type { Transport } from './http/transport.js';

/**
 * Selects the endpoint of a network for each request. The first endpoint is preferred; one that failed is avoided until
 * its cool-down ends, unless no other is left. An endpoint gets no requests
 * - for as long as its `Retry-After` says (HTTP 429), or one cool-down after a spent quota without that header; at most
 *   one cool-down, because a wrong header must not stop a page;
 * - after twelve failures in a row (circuit breaker): for 1 s, then twice as long after each failed probe;
 * - after it has reported another chain id: for one cool-down, because its answers are about the wrong chain.
 */
export interface Endpoint {
  readonly transport: Transport;
  /** When it last confirmed the network's chain id: a time of {@link createEndpoints.Options.now}. */
  confirmedAt: number | undefined;
}

export interface Endpoints {
  /**
   * The best endpoint for a request and the milliseconds to wait before it; `undefined` if all are excluded or their
   * circuit is open. `tried` counts the attempts of this request at each endpoint; Infinity excludes one.
   */
  next(
    tried: ReadonlyMap<Endpoint, number>,
  ): { readonly endpoint: Endpoint; readonly wait: number; readonly limit?: Endpoints.Limit } | undefined;
  /** Must be called when a request is sent: an open circuit lets one probe through at a time. */
  sent(endpoint: Endpoint): void;
  answered(endpoint: Endpoint): void;
  failed(endpoint: Endpoint, fault: Fault): void;
  /** The best endpoint has answered behind what others have shown: avoids it for 3 s. */
  behind(): void;
  /** Excludes an endpoint that serves another chain, with the error to report. */
  exclude(endpoint: Endpoint, error: ProviderRpcError): void;
  /** The error (4901) of a request for which there is no endpoint. */
  closed(): ProviderRpcError;
}

export declare namespace Endpoints {
  /** Why a request waits for an endpoint. */
  type Limit = Extract<Reason, 'rate' | 'quota'>;
}

export declare namespace createEndpoints {
  interface Options {
    chainId: number;
    transports: readonly Transport[];
    now: () => number;
    /** Milliseconds. */
    coolDown: number;
    /** Milliseconds of the first wait after a rate limit without `Retry-After`; doubles with each further one. */
    rateWait: number;
  }
}

const failuresToOpen = 12;
/** Milliseconds. */
const behindFor = 3_000;

interface Health extends Endpoint {
  failures: number;
  limits: number;
  limit: Endpoints.Limit;
  /** Times of {@link createEndpoints.Options.now}. */
  avoidedUntil: number;
  behindUntil: number;
  limitedUntil: number;
  openUntil: number;
  refusal?: ProviderRpcError;
}

export function createEndpoints(options: createEndpoints.Options): Endpoints {
  const { chainId, now, coolDown, rateWait } = options;
  const all = options.transports.map(
    (transport): Health => ({
      transport,
      confirmedAt: undefined,
      failures: 0,
      limits: 0,
      limit: 'rate',
      avoidedUntil: 0,
      behindUntil: 0,
      limitedUntil: 0,
      openUntil: 0,
    }),
  );

  const open = (endpoint: Health) => {
    endpoint.openUntil = now() + Math.min(coolDown, 1000 * 2 ** (endpoint.failures - failuresToOpen));
  };

  return {
    next(tried) {
      const time = now();
      const candidates = all
        .map((endpoint) => ({
          endpoint,
          tried: tried.get(endpoint) ?? 0,
          wait: Math.max(0, endpoint.limitedUntil - time),
          limit: endpoint.limit,
          avoided: Math.max(endpoint.avoidedUntil, endpoint.behindUntil) > time,
        }))
        .filter((each) => each.tried < Number.POSITIVE_INFINITY && each.endpoint.openUntil <= time);
      // The sort is stable, so of equal endpoints the preferred one comes first.
      return candidates.sort(
        (a, b) => a.wait - b.wait || a.tried - b.tried || Number(a.avoided) - Number(b.avoided),
      )[0];
    },
    sent(endpoint) {
      const health = endpoint as Health;
      if (health.failures < failuresToOpen) return;
      health.failures++;
      open(health);
    },
    answered(endpoint) {
      const health = endpoint as Health;
      // This request was sent before the endpoint reported another chain.
      if (health.refusal && health.openUntil > now()) return;
      Object.assign(health, { failures: 0, limits: 0, avoidedUntil: 0, limitedUntil: 0, openUntil: 0 });
      delete health.refusal;
    },
    failed(endpoint, fault) {
      const health = endpoint as Health;
      const time = now();
      health.avoidedUntil = time + coolDown;
      if (fault.reason === 'rate' || fault.reason === 'quota') {
        const unnamed = fault.reason === 'rate' ? rateWait * 2 ** health.limits++ : coolDown;
        const wait = fault.retryAfter === undefined ? unnamed : fault.retryAfter * 1000;
        health.limit = fault.reason;
        health.limitedUntil = time + Math.min(coolDown, wait);
      } else if (fault.retry === 'again' && health.openUntil <= time && ++health.failures >= failuresToOpen) {
        open(health);
      }
    },
    behind() {
      const best = this.next(new Map())?.endpoint as Health | undefined;
      if (best) best.behindUntil = now() + behindFor;
    },
    exclude(endpoint, error) {
      Object.assign(endpoint, { confirmedAt: undefined, openUntil: now() + coolDown, refusal: error });
    },
    closed() {
      const first = all.reduce((a, b) => (b.openUntil < a.openUntil ? b : a));
      const seconds = Math.ceil(Math.max(0, first.openUntil - now()) / 1000);
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
