import type { Clock } from '../async/clock.js';
import { errorCode, isProviderRpcError } from '../rpc/errors.js';
import type { Question } from './tabs/shareable-requests.js';

/**
 * One server filter of pending transactions for all tabs. The service tells each hash once, to whoever polls: so
 * that every tab hears of it, a poll is answered with what the polls before brought, too (readers know what they
 * have seen), and the filter stays until the last tab that uses it ends it.
 */
export interface PoolFilters {
  /** Notes that the tab polls. */
  use(question: Question, tab: string): void;
  /** From what a poll brought to what it is answered with; any other result as it is. */
  gather(question: Question, result: unknown): unknown;
  /** The service may have forgotten the filter: then it is not given to anybody again. */
  fail(question: Question, error: unknown): void;
  /** Whether nobody else uses it: then the service is to be told. */
  leave(question: Question, tab: string): boolean;
  clear(): void;
}

export function createPoolFilters(options: createPoolFilters.Options): PoolFilters {
  const { clock, onGone } = options;
  const filters = new Map<unknown, { readonly tabs: Map<string, number>; hashes: readonly string[] }>();
  let installed: unknown;

  function remove(id: unknown): void {
    filters.delete(id);
    if (id !== installed) return;
    installed = undefined;
    onGone();
  }

  return {
    use({ method, params: [id] }, tab) {
      if (method !== 'eth_getFilterChanges') return;
      const filter = filters.get(id) ?? { tabs: new Map(), hashes: [] };
      filter.tabs.set(tab, clock.now());
      filters.set(id, filter);
    },
    gather({ method, params: [id] }, result) {
      if (method === 'eth_newPendingTransactionFilter') installed = result;
      const filter = filters.get(id);
      if (method !== 'eth_getFilterChanges' || !filter || !isHashes(result)) return result;
      filter.hashes = [...filter.hashes.slice(-repeated), ...result];
      return filter.hashes;
    },
    fail({ method, params: [id] }, error) {
      const unknown = isProviderRpcError(error) && error.code === errorCode.invalidInput;
      if (method === 'eth_getFilterChanges' && unknown) remove(id);
    },
    leave({ params: [id] }, tab) {
      const tabs = filters.get(id)?.tabs ?? new Map<string, number>();
      tabs.delete(tab);
      if ([...tabs.values()].some((polled) => clock.now() - polled <= absence)) return false;
      remove(id);
      return true;
    },
    clear() {
      filters.clear();
      installed = undefined;
    },
  };
}

/** Fewer than a reader remembers, so that none is news to it twice. */
const repeated = 1_024;
/** Milliseconds without a poll after which a tab counts as gone. */
const absence = 60_000;

const isHashes = (result: unknown): result is readonly string[] =>
  Array.isArray(result) && result.every((hash) => typeof hash === 'string');

export declare namespace createPoolFilters {
  interface Options {
    readonly clock: Clock;
    /** Called when the filter that was last installed is gone. */
    readonly onGone: () => void;
  }
}
