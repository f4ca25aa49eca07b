import type { Clock } from '../async/clock.js';
import { createPoller } from '../chain/poller.js';
import type { Visibility } from '../chain/visibility.js';
import { errorCode, isProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { isSyncStatus } from '../rpc/results.js';
import type { SyncStatus } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** As geth pushes it and web3.js reads it: `false`, or the status wrapped. */
export type SyncingMessage = false | { readonly syncing: true; readonly status: SyncStatus };

/** Calls `emit` when `eth_syncing` answers something else than before; "not syncing" is where it starts. */
export function watchSyncing(options: watchSyncing.Options): () => void {
  const { service, emit, interval = 60_000, clock, visibility } = own(options);
  let last = 'false';
  const poller = createPoller({
    run: ask,
    interval: () => interval * (service.stretch?.() ?? 1),
    clock,
    visibility,
  });

  async function ask(signal: AbortSignal): Promise<void> {
    let status: unknown;
    try {
      status = await service.request('eth_syncing', [], { signal, check });
    } catch (error) {
      // A service that does not say (docs/notes/node.md#modules) will not say later either.
      if (isProviderRpcError(error) && error.code === errorCode.methodNotFound) poller.stop();
      throw error;
    }
    const now = JSON.stringify(status);
    if (signal.aborted || now === last) return;
    last = now;
    emit(status === false ? false : { syncing: true, status: status as SyncStatus });
  }

  poller.start();
  return poller.stop;
}

const check = (status: unknown) => isSyncStatus(status, undefined);

export declare namespace watchSyncing {
  interface Options {
    readonly service: Service;
    readonly emit: (message: SyncingMessage) => void;
    /** Milliseconds. */
    readonly interval?: number | undefined;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
  }
}
