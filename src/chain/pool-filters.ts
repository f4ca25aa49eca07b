import type { Clock } from '../async/clock.js';
import { errorCode, isProviderRpcError } from '../rpc/errors.js';
import type { TabRequest } from './tabs/shareable-requests.js';

/**
 * One server filter of pending transactions for all tabs. The service gives each hash once, to whichever tab polls.
 * A poll is therefore answered with the hashes of earlier polls too (readers drop those they have seen), and the
 * filter stays until the last tab that uses it uninstalls it.
 */
export interface PoolFilters {
  /** Notes that a tab polls a filter. */
  use(request: TabRequest, tab: string): void;
  /** Adds earlier hashes to the result of a poll; returns any other result as it is. */
  withEarlier(request: TabRequest, result: unknown): unknown;
  /** Drops a filter that the service has forgotten. */
  fail(request: TabRequest, error: unknown): void;
  /** A tab uninstalls a filter. Returns whether no other tab uses it, so that it can be removed from the service. */
  leave(request: TabRequest, tab: string): boolean;
  clear(): void;
}

export function createPoolFilters(options: createPoolFilters.Options): PoolFilters {
  const { clock, onRemoved } = options;
  /** By filter id; `tabs` with the time of the last poll of each. */
  const filters = new Map<unknown, { readonly tabs: Map<string, number>; hashes: readonly string[] }>();
  let installed: unknown;

  function remove(id: unknown): void {
    filters.delete(id);
    if (id !== installed) return;
    installed = undefined;
    onRemoved();
  }

  return {
    use({ method, params: [id] }, tab) {
      if (method !== 'eth_getFilterChanges') return;
      const filter = filters.get(id) ?? { tabs: new Map(), hashes: [] };
      filter.tabs.set(tab, clock.now());
      filters.set(id, filter);
    },
    withEarlier({ method, params: [id] }, result) {
      if (method === 'eth_newPendingTransactionFilter') installed = result;
      const filter = filters.get(id);
      if (method !== 'eth_getFilterChanges' || !filter || !isHashes(result)) return result;
      filter.hashes = [...filter.hashes.slice(-maxEarlier), ...result];
      return filter.hashes;
    },
    fail({ method, params: [id] }, error) {
      const isForgotten = isProviderRpcError(error) && error.code === errorCode.invalidInput;
      if (method === 'eth_getFilterChanges' && isForgotten) remove(id);
    },
    leave({ params: [id] }, tab) {
      const tabs = filters.get(id)?.tabs ?? new Map<string, number>();
      tabs.delete(tab);
      if ([...tabs.values()].some((polledAt) => clock.now() - polledAt <= tabTimeout)) return false;
      remove(id);
      return true;
    },
    clear() {
      filters.clear();
      installed = undefined;
    },
  };
}

/** Hashes. Fewer than a reader remembers, so that no hash is new to it twice. */
const maxEarlier = 1_024;
/** Milliseconds without a poll after which a tab no longer counts. */
const tabTimeout = 60_000;

const isHashes = (result: unknown): result is readonly string[] =>
  Array.isArray(result) && result.every((hash) => typeof hash === 'string');

export declare namespace createPoolFilters {
  interface Options {
    readonly clock: Clock;
    /** Called when the filter that was installed last is removed. */
    readonly onRemoved: () => void;
  }
}
