import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Fault } from './errors/errors.js';
import type { Reason } from './errors/fault-table.js';
import type { Transport } from './http/transport.js';

/**
 * Which endpoint of a network to ask. The first one is preferred; one that failed is passed over until its
 * cool-down ends, but still asked when there is no better. An endpoint is shut, and not asked at all,
 * - for as long as it asked us to wait (HTTP 429), or its quota is spent (then a cool-down where it names no
 *   time), at most one cool-down: a wrong header must not end a page;
 * - after twelve failures in a row, for 1 s, then twice as long after each single probe that fails too;
 * - after it said that it serves another chain, for one cool-down: its answers would be lies.
 */
export interface Endpoint {
  readonly transport: Transport;
  /** When it last said that it serves the network's chain, in {@link createEndpoints.Options.now}. */
  confirmedAt: number | undefined;
}

export interface Endpoints {
  /**
   * The best endpoint for a request that asked some already (`tried`: how often; Infinity: never again) and the
   * milliseconds to wait before; `undefined` when all are excluded or their circuit is open.
   */
  next(
    tried: ReadonlyMap<Endpoint, number>,
  ): { readonly endpoint: Endpoint; readonly wait: number; readonly limit?: Endpoints.Limit } | undefined;
  /** To be called when a request goes out: a probe of an open circuit is let through one at a time. */
  asked(endpoint: Endpoint): void;
  answered(endpoint: Endpoint): void;
  failed(endpoint: Endpoint, fault: Fault): void;
  /** The endpoint serves another chain, as `error` says. */
  refuse(endpoint: Endpoint, error: ProviderRpcError): void;
  /** What to reject with when there is no next endpoint: 4901. */
  closed(): ProviderRpcError;
}

export declare namespace Endpoints {
  /** Why an endpoint is waited for. */
  type Limit = Extract<Reason, 'rate' | 'quota'>;
}

export declare namespace createEndpoints {
  interface Options {
    chainId: number;
    transports: readonly Transport[];
    now: () => number;
    /** Milliseconds. */
    coolDown: number;
    /** Milliseconds the first wait for a rate limit takes that names no time. */
    rateWait: number;
  }
}

const failuresToOpen = 12;

interface Health extends Endpoint {
  failures: number;
  limits: number;
  limit: Endpoints.Limit;
  /** Times of {@link createEndpoints.Options.now}. */
  shunnedUntil: number;
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
      shunnedUntil: 0,
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
          shunned: endpoint.shunnedUntil > time,
        }))
        .filter((each) => each.tried < Number.POSITIVE_INFINITY && each.endpoint.openUntil <= time);
      // Stable: of equals the first in the order of preference.
      return candidates.sort(
        (a, b) => a.wait - b.wait || a.tried - b.tried || Number(a.shunned) - Number(b.shunned),
      )[0];
    },
    asked(endpoint) {
      const health = endpoint as Health;
      if (health.failures < failuresToOpen) return;
      health.failures++;
      open(health);
    },
    answered(endpoint) {
      const health = endpoint as Health;
      // An answer that was on its way when the endpoint said that it serves another chain.
      if (health.refusal && health.openUntil > now()) return;
      Object.assign(health, { failures: 0, limits: 0, shunnedUntil: 0, limitedUntil: 0, openUntil: 0 });
      delete health.refusal;
    },
    failed(endpoint, fault) {
      const health = endpoint as Health;
      const time = now();
      health.shunnedUntil = time + coolDown;
      if (fault.reason === 'rate' || fault.reason === 'quota') {
        const unnamed = fault.reason === 'rate' ? rateWait * 2 ** health.limits++ : coolDown;
        const wait = fault.retryAfter === undefined ? unnamed : fault.retryAfter * 1000;
        health.limit = fault.reason;
        health.limitedUntil = time + Math.min(coolDown, wait);
      } else if (fault.retry === 'again' && health.openUntil <= time && ++health.failures >= failuresToOpen) {
        open(health);
      }
    },
    refuse(endpoint, error) {
      Object.assign(endpoint, { confirmedAt: undefined, openUntil: now() + coolDown, refusal: error });
    },
    closed() {
      const first = all.reduce((a, b) => (b.openUntil < a.openUntil ? b : a));
      const seconds = Math.ceil(Math.max(0, first.openUntil - now()) / 1000);
      return first.refusal ?? circuitOpen(chainId, seconds);
    },
  };
}

/** One service knows one chain: whether all are lost (4900) is for whoever knows the others (EIP-1193). */
const circuitOpen = (chainId: number, seconds: number) =>
  new ProviderRpcError(
    errorCode.chainDisconnected,
    `The provider is disconnected from chain ${toQuantity(chainId)}: the service keeps failing and is asked again in ${seconds} s`,
    { reason: 'circuit-open', retryAfter: seconds },
  );
