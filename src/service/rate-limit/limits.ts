import { invalidParams } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';

/** What the endpoints of a network may be asked, each of them. */
export interface BudgetLimits {
  /**
   * Requests a day (UTC), by all tabs of the origin; `null` for no limit. Default 25,000, as hosted keys allow;
   * none for a service on this machine.
   */
  readonly requestsPerDay?: number | null;
  /** Requests a second, by this tab; `null` for no limit. Default 20; none for a service on this machine. */
  readonly requestsPerSecond?: number | null;
  /** Requests that may go out at once after a silence. Default 100. */
  readonly burst?: number;
}

/**
 * What was said of each network, by chain id.
 * @throws ProviderRpcError -32602 naming the limit that is wrong
 */
export function readLimits(
  networks: readonly (BudgetLimits & { readonly chainId: number })[],
): ReadonlyMap<number, BudgetLimits> {
  const said = new Map<number, BudgetLimits>();
  for (const [index, each] of networks.entries()) {
    const network = own(each);
    const limits: Record<string, number | null> = own({});
    for (const name of ['requestsPerDay', 'requestsPerSecond', 'burst'] as const) {
      const value = network[name];
      if (value === undefined) continue;
      const isLimit =
        value === null ? name !== 'burst' : Number.isFinite(value) && value >= (name === 'burst' ? 1 : 0.01);
      if (!isLimit) throw invalidParams(`networks[${index}].${name} must be a number above zero`);
      limits[name] = value;
    }
    if (Object.keys(limits).length > 0) said.set(network.chainId, limits);
  }
  return said;
}
