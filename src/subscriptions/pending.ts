import { createPoller } from '../chain/poller.js';
import { createRefCountedListeners } from '../chain/ref-counted-listeners.js';
import { isFilterId } from '../chain/tabs/shareable-requests.js';
import { errorCode, isProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { remasc } from '../rpc/remasc.js';
import { checkBlock, isHash } from '../rpc/results.js';
import type { Block, Hash, Transaction } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** Transactions as they enter the pool: best effort, since only a server filter sees them (docs/notes/node.md#filters-lose-and-invent). */
export interface PendingTransactions {
  /** As {@link Follower.watch}: the first listener starts polling; a passive one only receives what {@link poll} finds. */
  watch(listener: (hashes: readonly Hash[]) => void, isPassive?: boolean): () => void;
  /** Polls now. The first poll sets the baseline and emits nothing. */
  poll(): Promise<void>;
}

/**
 * One server filter for all listeners. It is polled only while there are listeners, uninstalled with the last one, and
 * created again if the service has dropped it (restart, expiry, another node). If the service has no filters, the pending
 * block is read instead, which shows only a part of the mempool.
 */
export function createPendingTransactions(options: createPendingTransactions.Options): PendingTransactions {
  const { service, clock, visibility } = own(options);
  const seen = new Set<Hash>();
  let filter: unknown;
  let withoutFilters = false;
  let begun = false;

  const poller = createPoller({
    run: poll,
    interval: () => interval * (service.slowdown?.() ?? 1),
    clock,
    visibility,
  });
  const listeners = createRefCountedListeners<(hashes: readonly Hash[]) => void>(poller, () => {
    uninstall();
    seen.clear();
    begun = false;
  });

  async function poll(signal: AbortSignal): Promise<void> {
    if (listeners.all.size === 0) return;
    const hashes = (withoutFilters ? null : await filterChanges(signal)) ?? (await candidates(signal));
    signal.throwIfAborted();
    // A repeated hash in one reply: the transaction returned to the mempool from an orphaned block.
    const added = [...new Set(hashes)].filter((hash) => !seen.has(hash));
    for (const hash of added) seen.add(hash);
    for (const hash of seen) if (seen.size > remembered) seen.delete(hash);
    if (begun && added.length > 0) for (const listener of [...listeners.all]) listener(added);
    begun = true;
  }

  /** `null` if the service has no filters. */
  async function filterChanges(signal: AbortSignal): Promise<readonly Hash[] | null> {
    for (let attempt = 0; ; attempt++) {
      try {
        const installing = { signal, check: checkFilterId };
        filter ??= await service.request('eth_newPendingTransactionFilter', [], installing);
        if (signal.aborted) {
          uninstall();
          return [];
        }
        const polling = { signal, check: checkHashes };
        return (await service.request('eth_getFilterChanges', [filter], polling)) as readonly Hash[];
      } catch (error) {
        const code = isProviderRpcError(error) ? error.code : 0;
        if (code === errorCode.methodNotFound || code === errorCode.unsupportedMethod) {
          withoutFilters = true;
          return null;
        }
        if (code !== errorCode.invalidInput || attempt > 0) throw error;
        filter = undefined;
      }
    }
  }

  /** The chain's own reward transaction closes each block and was never in the pool (docs/notes/node.md#remasc). */
  async function candidates(signal: AbortSignal): Promise<readonly Hash[]> {
    const options = { signal, check: checkBlock };
    const block = (await service.request('eth_getBlockByNumber', ['pending', true], options)) as Block | null;
    const transactions = (block?.transactions ?? []) as readonly Transaction[];
    return transactions.filter(({ to, hash }) => to !== remasc && isHash(hash)).map(({ hash }) => hash);
  }

  function uninstall(): void {
    if (filter !== undefined) service.request('eth_uninstallFilter', [filter]).catch(() => {});
    filter = undefined;
  }

  return {
    watch: (listener, isPassive) => listeners.add((hashes) => listener(hashes), isPassive),
    poll: poller.poll,
  };
}

/** Milliseconds between polls while there are listeners. */
const interval = 5_000;
/** How many hashes to remember, to emit each once. */
const remembered = 4_096;

function checkFilterId(result: unknown): void {
  if (!isFilterId(result)) throw new Error('not a filter id');
}

function checkHashes(result: unknown): void {
  if (!Array.isArray(result) || !result.every(isHash)) throw new Error('not an array of hashes');
}

export declare namespace createPendingTransactions {
  interface Options extends Pick<createPoller.Options, 'clock' | 'visibility'> {
    readonly service: Service;
  }
}
