import { bytesToHex, toQuantity } from '../rpc/hex.js';
import type { Hash, Hex, Log } from '../rpc/schema.js';
import type { BlockNews } from './chain.js';
import { type Criteria, matches } from './criteria.js';
import type { Switches } from './dialect.js';
import { filterNotFound } from './failure.js';
import { shapeLog } from './shapes.js';

/** What a log filter watches besides its criteria; null bounds move with the head. */
export interface Watched {
  readonly criteria: Criteria;
  readonly fromBlock: number | null;
  readonly toBlock: number | null;
  /** Whether the range begins, or ends, with whatever block is the latest. */
  readonly fromLatest: boolean;
  readonly toLatest: boolean;
}

/**
 * The node's filters: kept in memory, lost with a restart, removed when nobody polls (docs/notes/service.md#filter-lifecycle). `lossy` makes them what the real node's are (docs/notes/node.md#filters-lose-and-invent).
 */
export interface Filters {
  /** `first` is what the first poll holds before any news. */
  addLogs(watched: Watched, first: readonly Log[]): Hex;
  addBlocks(): Hex;
  addPending(): Hex;
  /** Logs or hashes since the last poll. @throws Failure -32000 */
  changes(id: string): readonly (Log | Hash)[];
  /** What a log filter watches (null for other kinds), and everything reported so far. */
  find(id: string): { readonly watched: Watched | null; readonly all: readonly (Log | Hash)[] };
  remove(id: string): boolean;
  count(): number;
  /** Everything forgotten, as by a restarted node. */
  clear(): void;
  wanted(): boolean;
  heard(news: BlockNews): void;
  pending(hash: Hash): void;
}

export declare namespace createFilters {
  interface Options {
    readonly switches: Pick<Switches, 'filters' | 'filterIds' | 'removedField'>;
    /** Milliseconds without a poll after which a filter is gone. */
    readonly expiry: number;
    readonly now: () => number;
    readonly randomBytes: (length: number) => Uint8Array;
  }
}

interface Filter {
  readonly kind: 'logs' | 'blocks' | 'pending';
  readonly watched: Watched | null;
  /** Everything reported so far; a lossy filter of the latest block keeps that block's logs only. */
  events: (Log | Hash)[];
  /** How many of them a poll has returned. */
  polled: number;
  usedAt: number;
}

export function createFilters(options: createFilters.Options): Filters {
  const { switches, expiry, now } = options;
  const lossy = switches.filters === 'lossy';
  const filters = new Map<string, Filter>();
  let last = 0;

  function sweep(): void {
    for (const [id, filter] of filters) if (now() - filter.usedAt >= expiry) filters.delete(id);
  }

  function add(kind: Filter['kind'], watched: Watched | null, events: Log[] = []): Hex {
    sweep();
    last += 1;
    const id = switches.filterIds === 'quantity' ? toQuantity(last) : opaqueId(options.randomBytes(16));
    filters.set(keyOf(id), { kind, watched, events, polled: 0, usedAt: now() });
    return id;
  }

  function used(id: string): Filter {
    sweep();
    const filter = filters.get(keyOf(id));
    if (!filter) throw filterNotFound();
    filter.usedAt = now();
    return filter;
  }

  function hearLogs(filter: Filter, { kind, stored }: BlockNews): void {
    const { criteria, fromBlock, toBlock, fromLatest, toLatest } = filter.watched as Watched;
    const number = Number(stored.block.number);
    const outside = (fromBlock !== null && number < fromBlock) || (toBlock !== null && number > toBlock);
    if (lossy ? !fromLatest && !toLatest : outside) return;
    if (lossy && fromLatest) {
      filter.events = [];
      filter.polled = 0;
      filter.usedAt = now();
    }
    const logs = stored.logs.filter((log) => matches(criteria, log)).map(shapeLog);
    const removed = kind === 'removed';
    if (removed) logs.reverse();
    filter.events.push(...(switches.removedField ? logs.map((log) => ({ ...log, removed })) : logs));
  }

  return {
    addLogs: (watched, history) => {
      const first = history.map(shapeLog);
      return add(
        'logs',
        watched,
        switches.removedField ? first.map((log) => ({ ...log, removed: false })) : first,
      );
    },
    addBlocks: () => add('blocks', null),
    addPending: () => add('pending', null),
    changes: (id) => {
      const filter = used(id);
      const fresh = filter.events.slice(filter.polled);
      filter.polled = filter.events.length;
      return fresh;
    },
    find: (id) => {
      const { watched, events } = used(id);
      return { watched, all: events };
    },
    remove: (id) => {
      sweep();
      return filters.delete(keyOf(id));
    },
    count: () => {
      sweep();
      return filters.size;
    },
    clear: () => filters.clear(),
    wanted: () => [...filters.values()].some(({ kind }) => kind !== 'pending'),
    heard: (news) => {
      sweep();
      if (news.kind === 'removed' && !switches.removedField) return;
      if (news.kind === 'sibling' && !lossy) return;
      for (const filter of filters.values()) {
        if (filter.kind === 'logs') hearLogs(filter, news);
        if (filter.kind !== 'blocks' || news.kind === 'removed') continue;
        filter.events.push(news.stored.block.hash as Hash);
      }
    },
    pending: (hash) => {
      for (const filter of filters.values()) {
        if (filter.kind !== 'pending') continue;
        filter.events.push(hash);
      }
    },
  };
}

/** Ids are bytes to the node: a missing leading zero is added. */
const keyOf = (id: string): string => (id.length % 2 === 0 ? id : `0x0${id.slice(2)}`);

/** The node's form: `0x` and the hex of a UUID's 36 characters, 74 in all (docs/notes/node.md#filter-ids). */
function opaqueId(random: Uint8Array): Hex {
  const digits = bytesToHex(random).slice(2);
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return bytesToHex(new TextEncoder().encode(uuid));
}
