import { invalidParams } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';

/** Limits for each endpoint of a network. */
export interface RateLimits {
  /**
   * Requests per day (UTC), by all tabs of the origin; `null` for no limit. Default 25,000, the quota of hosted keys;
   * no limit for a service on this machine.
   */
  readonly requestsPerDay?: number | null | undefined;
  /** Requests per second, by this tab; `null` for no limit. Default 20; no limit for a service on this machine. */
  readonly requestsPerSecond?: number | null | undefined;
  /** Requests that may be sent at once after a pause. Default 100. */
  readonly burst?: number | undefined;
}

/**
 * Reads the limits of each network, by chain id.
 * @throws ProviderRpcError -32602 naming the limit that is wrong
 */
export function readLimits(
  networks: readonly (RateLimits & { readonly chainId: number })[],
): ReadonlyMap<number, RateLimits> {
  const byChain = new Map<number, RateLimits>();
  for (const [index, each] of networks.entries()) {
    const network = own(each);
    const limits: Record<string, number | null> = own({});
    for (const [name, min] of Object.entries(minLimits)) {
      const value = network[name as keyof RateLimits];
      if (value === undefined) continue;
      if (!(value === null ? min < 1 : Number.isFinite(value) && value >= min))
        throw invalidParams(`networks[${index}].${name} must be a number above zero`);
      limits[name] = value;
    }
    if (Object.keys(limits).length > 0) byChain.set(network.chainId, limits);
  }
  return byChain;
}

/** The minimum of each limit; those that may be `null` may be below one. */
const minLimits = {
  requestsPerDay: 0.01,
  requestsPerSecond: 0.01,
  burst: 1,
} satisfies Required<RateLimits>;
