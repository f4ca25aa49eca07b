import { type Clock, systemClock } from '../../async/clock.js';
import { type Follower, rememberedBlocks } from '../../chain/follower.js';
import { pageVisibility, type Visibility } from '../../chain/visibility.js';
import { errorCode, isProviderRpcError, limitExceeded, ProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Hash, Hex, Log, LogFilter } from '../../rpc/schema.js';
import { createLogRanges, type LogRanges } from '../../service/logs/ranges.js';
import type { Service } from '../../service/service.js';
import { mostHeaders } from '../backfill.js';
import { chainLeft, createIds, mostAtOnce } from '../ids.js';
import { createLogsOf, type LogsOf } from '../logs.js';
import { createPendingTransactions, type PendingTransactions } from '../pending.js';
import { createStepBuffer } from '../step-buffer.js';
import { createLogFilter, type PolledFilter } from './log-filter.js';

/** The dapp-visible filters of docs/notes/service.md#filter-lifecycle, ours: short QUANTITY ids, fed by the follower. */
export interface Filters {
  newFilter(filter: LogFilter): Promise<Hex>;
  newBlockFilter(): Promise<Hex>;
  newPendingTransactionFilter(): Promise<Hex>;
  /** What happened since the previous poll. @throws ProviderRpcError -32000 `filter not found`. */
  changes(id: Hex): Promise<readonly (Log | Hash)[]>;
  /** All logs matching a log filter. @throws ProviderRpcError -32000 `filter not found`. */
  logs(id: Hex): Promise<readonly Log[]>;
  uninstall(id: Hex): Promise<boolean>;
  clear(): void;
}

interface Installed extends PolledFilter {
  /** One poll at a time: two at once must not both get, or both miss, the same event. */
  turn: Promise<unknown>;
  polled: number;
}

/**
 * A filter only has a value when it is polled, so between polls it costs nothing: it notes what the follower
 * sees for others, and each poll looks at the service once and reads what it missed, by `parentHash`.
 */
export function createFilters(options: createFilters.Options): Filters {
  const {
    service,
    follower,
    ringSize = rememberedBlocks,
    expiry = 300_000,
    clock = systemClock,
  } = own(options);
  const { nextId = createIds('filter'), logsOf = createLogsOf(service, clock.now) } = own(options);
  const { logRanges = createLogRanges(service), freshen = follower.catchUp } = own(options);
  const { pending = createPendingTransactions({ service, clock }), visibility = pageVisibility } =
    own(options);
  const filters = new Map<Hex, Installed>();
  let unwatch: (() => void) | undefined;
  /** Says that the page is awake; late, it tells that it was not. */
  let pulse: unknown;
  let pulseAt = 0;
  let clears = 0;
  /** Filters that have no id yet. */
  let installing = 0;

  async function install(method: string, create: () => PolledFilter): Promise<Hex> {
    if (filters.size + installing >= mostAtOnce) sweep();
    if (filters.size + installing >= mostAtOnce)
      throw limitExceeded(`There are too many filters (${mostAtOnce})`);
    const began = clears;
    installing += 1;
    let filter: PolledFilter | undefined;
    try {
      filter = create();
      // The id comes only when what is mined from now on is sure to be in the first poll.
      await filter.ready.catch(failed(method));
      if (clears !== began) throw chainLeft();
    } catch (error) {
      filter?.end();
      throw error;
    } finally {
      installing -= 1;
    }
    const id = nextId();
    filters.set(id, { ...filter, turn: Promise.resolve(), polled: clock.now() });
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
    // In Node: filters that nobody polls keep no process alive.
    if (typeof pulse === 'object') (pulse as { unref?: () => void }).unref?.();
  }

  function sweep(): void {
    // A machine that slept under a visible page tells the page nothing, and a clock that jumped neither.
    if (clock.now() > pulseAt + pulsePeriod) {
      wake();
      clock.clearTimeout(pulse);
      beat();
    }
    for (const [id, { polled }] of [...filters]) if (clock.now() - polled > expiry) remove(id);
  }

  /** A page that slept could not poll: its filters begin their time anew, and the next poll fills the gap. */
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
        createLogFilter({
          ...{ service, follower, filter, logsOf, logRanges, ringSize, freshen },
          onStep: sweep,
        }),
      ),

    newBlockFilter: async () =>
      install('eth_newBlockFilter', () => {
        const backlog = createStepBuffer(follower, sweep, freshen, mostHeaders);
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
          hashes = [...hashes, ...news].slice(-mostHashes);
        };
        const end = pending.watch(listener, { passive: true });
        const take = async () => {
          await pending.poll();
          return hashes.splice(0);
        };
        return { ready: take().then(() => {}), take, end };
      }),

    async changes(id) {
      const filter = find(id);
      const turn = filter.turn.then(() => filter.take());
      filter.turn = turn.catch(() => {});
      const changes = await turn.catch((error) => {
        // Uninstalled meanwhile: what that broke off is no failure.
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

const mostHashes = 10_000;
/** Milliseconds; a hidden page's timers come once a minute. */
const pulsePeriod = 60_000;

const notFound = () => new ProviderRpcError(errorCode.invalidInput, 'filter not found');

/**
 * What failed behind a filter, with the name of the page's own request: a page knows nothing of the requests behind it. On -32000
 * viem takes its filter for gone and makes a new one, which forgets (docs/notes/clients.md#error-codes): ours alone to say.
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
    /** Of what the subscriptions of the same wallet use too, so that both cost one. */
    readonly logsOf?: LogsOf | undefined;
    readonly logRanges?: LogRanges | undefined;
    readonly pending?: PendingTransactions | undefined;
    /** Has the follower look before a poll is answered, unless it has just told what there is. */
    readonly freshen?: (() => Promise<void>) | undefined;
    readonly nextId?: (() => Hex) | undefined;
    /** The follower's. */
    readonly ringSize?: number | undefined;
    /** Milliseconds without a poll after which a filter is gone; 5 minutes by default, as the node's. */
    readonly expiry?: number | undefined;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
  }
}
