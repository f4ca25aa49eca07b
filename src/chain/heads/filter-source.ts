import { type Clock, systemClock } from '../../async/clock.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import { isHash } from '../../rpc/results.js';
import type { Service } from '../../service/service.js';
import { isFilterId } from '../tabs/shareable-requests.js';
import type { HeadSource } from './head-source.js';

/**
 * Polls a block filter of the service. An empty answer has 40 bytes where the head has about 3 kB; but each block then
 * costs a second request, for the head itself (docs/notes/performance.md#polling). The node's filters lose and invent
 * blocks (docs/notes/node.md#filters-lose-and-invent), so that a hash in it only says to read the head.
 */
export function createFilterSource(given: createFilterSource.Options): HeadSource {
  const options = own(given);
  const { service, interval, clock = systemClock } = options;
  const request = (method: string, ...params: unknown[]) =>
    service.request(method, params, { priority: 'background' });

  function open(listener: HeadSource.Listener): HeadSource.Connection {
    let filter: string | undefined;
    let timer: unknown;
    let isClosed = false;
    let isLive = false;
    let failures = 0;

    function setLive(next: boolean): void {
      if (isLive === next) return;
      isLive = next;
      listener.state(next ? 'live' : 'lost');
    }

    async function install(): Promise<void> {
      const id = await request('eth_newBlockFilter');
      if (!isFilterId(id)) throw new Error('not a filter id');
      filter = id;
      if (isClosed) uninstall();
    }

    function uninstall(): void {
      if (filter !== undefined) request('eth_uninstallFilter', filter).catch(() => {});
      filter = undefined;
    }

    async function poll(): Promise<void> {
      try {
        if (filter === undefined) await install();
        else {
          const hashes = await request('eth_getFilterChanges', filter);
          if (!Array.isArray(hashes)) throw new Error('not an array');
          const hash: unknown = hashes.at(-1);
          if (!isClosed && hashes.length > 0) listener.head({ hash: isHash(hash) ? hash : undefined });
        }
        failures = 0;
        if (!isClosed) setLive(true);
      } catch (error) {
        // Nodes forget filters, and behind a balancer another node may answer; a new filter knows nothing of the past.
        filter = undefined;
        failures += 1;
        if (isProviderRpcError(error) && error.code === errorCode.methodNotFound) failures += 10;
        if (!isClosed) setLive(false);
      }
      if (!isClosed)
        timer = clock.setTimeout(poll, Math.min(interval() * 2 ** Math.max(0, failures - 1), maxPause));
    }

    void poll();
    return {
      close() {
        isClosed = true;
        clock.clearTimeout(timer);
        uninstall();
        setLive(false);
      },
      fail() {
        uninstall();
        setLive(false);
      },
    };
  }

  return { open, maxDelay: () => interval() + 10_000, isPolled: true };
}

/** Milliseconds between two tries after failures. */
const maxPause = 300_000;

export declare namespace createFilterSource {
  interface Options {
    readonly service: Service;
    /** Milliseconds between two polls, at present. */
    readonly interval: () => number;
    readonly clock?: Clock | undefined;
  }
}
