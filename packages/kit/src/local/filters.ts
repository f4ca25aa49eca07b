import { bytesToHex, toQuantity } from '../../../../src/rpc/hex.js';
import type { Hash, Hex, Log } from '../../../../src/rpc/schema.js';
import type { BlockEvent } from './chain.js';
import { type Bound, type Criteria, matches } from './criteria.js';
import type { Switches } from './dialect.js';
import { filterNotFound } from './failure.js';
import { shapeLog } from './shapes.js';

/** A log filter: criteria and block range. */
export interface LogFilterSpec {
  readonly criteria: Criteria;
  readonly from: Bound;
  readonly to: Bound;
}

export declare namespace createFilters {
  interface Options {
    readonly switches: Pick<Switches, 'filters' | 'filterIds' | 'removedField'>;
    /** Milliseconds without a poll after which a filter is removed. */
    readonly expiry: number;
    readonly now: () => number;
    readonly randomBytes: (length: number) => Uint8Array;
  }
}

interface Filter {
  readonly kind: 'logs' | 'blocks' | 'pending';
  readonly spec: LogFilterSpec | null;
  /** All events so far. A lossy filter from `latest` keeps only those of the latest block. */
  events: (Log | Hash)[];
  /** How many of the events were returned by polls. */
  polled: number;
  usedAt: number;
}

/**
 * The node's filters: in memory, lost at a restart, and removed when they are not polled
 * (docs/notes/service.md#filter-lifecycle). With the switch `lossy` they lose and invent events, as the real node's do
 * (docs/notes/node.md#filters-lose-and-invent).
 */
export type Filters = ReturnType<typeof createFilters>;

export function createFilters(options: createFilters.Options) {
  const { switches, expiry, now } = options;
  const lossy = switches.filters === 'lossy';
  const filters = new Map<string, Filter>();
  let lastId = 0;

  function removeExpired(): void {
    for (const [id, filter] of filters) if (now() - filter.usedAt >= expiry) filters.delete(id);
  }

  function add(kind: Filter['kind'], spec: LogFilterSpec | null, events: Log[] = []): Hex {
    removeExpired();
    lastId += 1;
    const id = switches.filterIds === 'quantity' ? toQuantity(lastId) : opaqueId(options.randomBytes(16));
    filters.set(keyOf(id), { kind, spec, events, polled: 0, usedAt: now() });
    return id;
  }

  function use(id: string): Filter {
    removeExpired();
    const filter = filters.get(keyOf(id));
    if (!filter) throw filterNotFound();
    filter.usedAt = now();
    return filter;
  }

  function addLogEvents(filter: Filter, { kind, stored }: BlockEvent): void {
    const { criteria, from, to } = filter.spec as LogFilterSpec;
    const number = Number(stored.block.number);
    const isBefore = typeof from === 'number' && number < from;
    const isAfter = to === 'earliest' ? number > 0 : typeof to === 'number' && number > to;
    if (lossy ? from !== 'latest' && to !== 'latest' : isBefore || isAfter) return;
    if (lossy && from === 'latest') {
      filter.events = [];
      filter.polled = 0;
      filter.usedAt = now();
    }
    const removed = kind === 'removed';
    const logs = shape(
      stored.logs.filter((log) => matches(criteria, log)),
      removed,
    );
    filter.events.push(...(removed ? logs.reverse() : logs));
  }

  const shape = (logs: readonly Log[], removed: boolean): Log[] =>
    logs.map((log) => (switches.removedField ? { ...shapeLog(log), removed } : shapeLog(log)));

  return {
    /** `history` holds the logs that the first poll returns before any new ones. */
    addLogFilter: (spec: LogFilterSpec, history: readonly Log[]) => add('logs', spec, shape(history, false)),
    addBlockFilter: () => add('blocks', null),
    addPendingFilter: () => add('pending', null),
    /** Logs or hashes since the last poll. @throws Failure -32000 */
    changes(id: string): readonly (Log | Hash)[] {
      const filter = use(id);
      const events = filter.events.slice(filter.polled);
      filter.polled = filter.events.length;
      return events;
    },
    /** A filter with its definition, null but for logs, and all its events so far. */
    find: (id: string): Pick<Filter, 'spec' | 'events'> => use(id),
    remove(id: string): boolean {
      removeExpired();
      return filters.delete(keyOf(id));
    },
    count(): number {
      removeExpired();
      return filters.size;
    },
    /** Removes all filters, as a restart of the node does. */
    clear: () => filters.clear(),
    /** Whether a log or block filter is installed. */
    needsBlockEvents: () => [...filters.values()].some(({ kind }) => kind !== 'pending'),
    onBlockEvent(event: BlockEvent): void {
      removeExpired();
      if (event.kind === 'removed' && !switches.removedField) return;
      if (event.kind === 'sibling' && !lossy) return;
      for (const filter of filters.values()) {
        if (filter.kind === 'logs') addLogEvents(filter, event);
        if (filter.kind === 'blocks' && event.kind !== 'removed')
          filter.events.push(event.stored.block.hash as Hash);
      }
    },
    onPendingTransaction(hash: Hash): void {
      for (const filter of filters.values()) if (filter.kind === 'pending') filter.events.push(hash);
    },
  };
}

/** The node reads an id as bytes, so one with an odd number of digits gets a leading zero. */
const keyOf = (id: string): string => (id.length % 2 === 0 ? id : `0x0${id.slice(2)}`);

/** An id in the node's form: `0x` and the 36 characters of a UUID in hex, 74 characters in total (docs/notes/node.md#filter-ids). */
function opaqueId(random: Uint8Array): Hex {
  const digits = bytesToHex(random).slice(2);
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return bytesToHex(new TextEncoder().encode(uuid));
}
