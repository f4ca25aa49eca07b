import { createPoller } from '../chain/poller.js';
import { errorCode, isProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { checkSyncStatus } from '../rpc/results.js';
import type { SyncStatus } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** The form that geth pushes and web3.js reads: `false`, or an object around the status. */
export type SyncingMessage = false | { readonly syncing: true; readonly status: SyncStatus };

/** Calls `emit` when the result of `eth_syncing` changes; the initial value is "not syncing". */
export function watchSyncing(options: watchSyncing.Options): () => void {
  const { service, emit, clock, visibility } = own(options);
  let last = 'false';
  const poller = createPoller({
    run: poll,
    interval: () => interval * (service.slowdown?.() ?? 1),
    clock,
    visibility,
  });

  async function poll(signal: AbortSignal): Promise<void> {
    let status: unknown;
    try {
      status = await service.request('eth_syncing', [], { signal, check: checkSyncStatus });
    } catch (error) {
      // A service without the method (docs/notes/node.md#modules) will not get it later.
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

/** Milliseconds between polls. */
const interval = 60_000;

export declare namespace watchSyncing {
  interface Options extends Pick<createPoller.Options, 'clock' | 'visibility'> {
    readonly service: Service;
    readonly emit: (message: SyncingMessage) => void;
  }
}
