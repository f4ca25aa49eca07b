import { type Clock, systemClock } from '../../async/clock.js';
import { createQueue, type Queue } from '../../async/mutex.js';
import { type Loadable, whenLoaded } from '../../async/when-loaded.js';
import type { Follower } from '../../chain/follower.js';
import { pageVisibility, type Visibility } from '../../chain/visibility.js';
import { limitExceeded } from '../../rpc/core-errors.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Hash, Hex, Log, LogFilter } from '../../rpc/schema.js';
import type { Service } from '../../service/service.js';
import { chainLeft, createIds, maxHeaders, maxPerPage } from '../ids.js';
import type { LogEvents } from '../log-events.js';
import { createPendingTransactions } from '../pending.js';
import { createStepBuffer } from '../step-buffer.js';
import type { PolledFilter } from './log-filter.js';

/** The filters that dapps create (docs/notes/service.md#filter-lifecycle): they have short QUANTITY ids, and the follower feeds them. */
export interface Filters {
  newFilter(filter: LogFilter): Promise<Hex>;
  newBlockFilter(): Promise<Hex>;
  newPendingTransactionFilter(): Promise<Hex>;
  /** Returns the changes since the previous poll. @throws ProviderRpcError -32000 `filter not found`. */
  changes(id: Hex): Promise<readonly (Log | Hash)[]>;
  /** All logs matching a log filter. @throws ProviderRpcError -32000 `filter not found`. */
  logs(id: Hex): Promise<readonly Log[]>;
  uninstall(id: Hex): Promise<boolean>;
  clear(): void;
}

interface Installed extends PolledFilter {
  /** One poll at a time: two concurrent polls must not both return, or both miss, the same event. */
  readonly inTurn: Queue;
  polled: number;
}

/**
 * A filter makes no requests between polls: it buffers the blocks that the follower processes for others. Each poll
 * reads the head once, and the blocks since the last poll by `parentHash`.
 */
export function createFilters(options: createFilters.Options): Filters {
  const { service, follower, logEvents, clock = systemClock, visibility = pageVisibility } = own(options);
  const { freshen = follower.catchUp } = own(options);
  const nextId = createIds('filter');
  const pending = createPendingTransactions({ service, clock });
  const filters = new Map<Hex, Installed>();
  let unwatch: (() => void) | undefined;
  /** A timer that fires late shows that the page slept. */
  let pulse: unknown;
  let pulseAt = 0;
  let clears = 0;
  /** Filters that have no id yet. */
  let installing = 0;

  async function install(method: string, create: () => PolledFilter | Promise<PolledFilter>): Promise<Hex> {
    if (filters.size + installing >= maxPerPage) sweep();
    if (filters.size + installing >= maxPerPage)
      throw limitExceeded(`There are too many filters (${maxPerPage})`);
    const began = clears;
    installing += 1;
    let filter: PolledFilter | undefined;
    try {
      const created = create();
      filter = created instanceof Promise ? await created : created;
      // Return the id only once every later block is certain to be in the first poll.
      await filter.ready.catch(failed(method));
      if (clears !== began) throw chainLeft();
    } catch (error) {
      filter?.end();
      throw error;
    } finally {
      installing -= 1;
    }
    const id = nextId();
    filters.set(id, { ...filter, inTurn: createQueue(), polled: clock.now() });
    unwatch ??= visibility.watch(wake);
    if (filters.size === 1) beat();
    return id;
  }

  function remove(id: Hex): boolean {
    const filter = filters.get(id);
    filters.delete(id);
    filter?.end();
    if (filters.size === 0) {
      unwatch?.();
      unwatch = undefined;
      clock.clearTimeout(pulse);
    }
    return filter !== undefined;
  }

  function beat(): void {
    pulseAt = clock.now() + pulsePeriod;
    pulse = clock.setTimeout(beat, pulsePeriod);
    // In Node: does not keep the process alive.
    if (typeof pulse === 'object') (pulse as { unref?: () => void }).unref?.();
  }

  function sweep(): void {
    // A page gets no event when the machine sleeps or the clock jumps.
    if (clock.now() > pulseAt + pulsePeriod) {
      wake();
      clock.clearTimeout(pulse);
      beat();
    }
    for (const [id, { polled }] of [...filters]) if (clock.now() - polled > expiry) remove(id);
  }

  /** A page that slept could not poll: its filters' expiry starts again, and the next poll reads the missed blocks. */
  function wake(): void {
    for (const filter of filters.values()) filter.polled = clock.now();
  }

  function find(id: Hex): Installed {
    sweep();
    const filter = filters.get(id);
    if (!filter) throw notFound();
    filter.polled = clock.now();
    return filter;
  }

  return {
    newFilter: async (filter) =>
      install('eth_newFilter', () =>
        whenLoaded(logEvents, ({ createFilter }) => createFilter({ filter, freshen, onStep: sweep })),
      ),

    newBlockFilter: async () =>
      install('eth_newBlockFilter', () => {
        const backlog = createStepBuffer(follower, sweep, freshen, maxHeaders);
        const take = async () => {
          const taken = await backlog.take();
          return taken && !taken.missed ? taken.added.map(({ hash }) => hash) : null;
        };
        return { ready: follower.catchUp(), take, end: backlog.end };
      }),

    newPendingTransactionFilter: async () =>
      install('eth_newPendingTransactionFilter', () => {
        let hashes: Hash[] = [];
        const listener = (news: readonly Hash[]) => {
          hashes = [...hashes, ...news].slice(-maxHashes);
        };
        const end = pending.watch(listener, true);
        const take = async () => {
          await pending.poll();
          return hashes.splice(0);
        };
        return { ready: take().then(() => {}), take, end };
      }),

    async changes(id) {
      const filter = find(id);
      const changes = await filter.inTurn(filter.take).catch((error) => {
        // Uninstalled meanwhile: the aborted poll is no failure.
        if (filters.has(id)) failed('eth_getFilterChanges')(error);
      });
      if (changes && filters.has(id)) return changes;
      remove(id);
      throw notFound();
    },

    async logs(id) {
      const { logs } = find(id);
      if (!logs) throw notFound();
      return logs().catch(failed('eth_getFilterLogs'));
    },

    uninstall: async (id) => remove(id),

    clear() {
      clears += 1;
      for (const id of [...filters.keys()]) remove(id);
    },
  };
}

const maxHashes = 10_000;
/** Milliseconds without a poll after which a filter expires, as on the node. */
const expiry = 300_000;
/** Milliseconds; a hidden page's timers come once a minute. */
const pulsePeriod = 60_000;

const notFound = () => new ProviderRpcError(errorCode.invalidInput, 'filter not found');

/**
 * An error behind a filter, with the method that the page called instead of the internal one. On -32000 viem creates a new
 * filter and loses events (docs/notes/clients.md#error-codes), so only an expired filter may have that code.
 */
const failed =
  (method: string) =>
  (error: unknown): never => {
    const { internal, invalidInput } = errorCode;
    if (!isProviderRpcError(error) || (error.code !== internal && error.code !== invalidInput)) throw error;
    throw new ProviderRpcError(internal, `${method}: ${error.message}`, error.data);
  };

export declare namespace createFilters {
  interface Options {
    readonly service: Service;
    readonly follower: Follower;
    /** Loads what logs need. Shared with the subscriptions of the wallet. */
    readonly logEvents: Loadable<LogEvents>;
    /** Makes the follower poll the head before a filter poll returns, unless it has just done so. */
    readonly freshen?: (() => Promise<void>) | undefined;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
  }
}
