import type { ProviderRpcError } from '../../rpc/errors.js';
import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import { membersOf } from '../../rpc/own-data.js';
import { heightIn } from '../../rpc/results.js';
import { copyOf } from '../errors/errors.js';
import { type BlockRef, blockOfSelector } from './block-param.js';
import type { HeadView } from './head-view.js';

/**
 * How long a response stays valid. `always`: its block is too deep for a reorg. `branch`: its block is so far below the
 * head that all nodes behind a load balancer have it; valid while each poll shows that the chain only grew. `head`:
 * valid while each poll shows the same head.
 */
export type Scope = 'always' | 'branch' | 'head';

/** A response as it is cached, as JSON or an immutable value, so that no caller can change it. Has one of the three. */
export interface CachedResponse {
  readonly result?: unknown;
  /** A result that is an object or an array. */
  readonly json?: string | undefined;
  readonly error?: ProviderRpcError | undefined;
}

export interface CacheEntry extends CachedResponse {
  readonly scope: Scope;
  /** The state of the head when the request was sent. */
  readonly state: HeadView.State;
  /** Whether all nodes would give it at this state. */
  readonly isCertain: boolean;
  /** When the request was sent: milliseconds since 1970. */
  readonly sentAt: number;
  /** When the response was cached: milliseconds since 1970. */
  readonly cachedAt: number;
}

/** Items: longer arrays are not cached, because writing them as JSON costs more than it saves. */
const maxItems = 1_000;

/**
 * Cache entries by key; beyond the capacity the least recently used ones are removed.
 * @param capacity in characters of JSON, about bytes
 */
export function createEntryStore(capacity: number, maxEntries = 2_048) {
  const entries = new Map<string, CacheEntry & { readonly size: number }>();
  let size = 0;

  function remove(key: string): void {
    size -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  }

  return {
    get: (key: string): CacheEntry | undefined => entries.get(key),
    /** Replaces the entry; removes it if the new one is too large or too deeply nested. */
    put(key: string, entry: CacheEntry): void {
      remove(key);
      const kept = toCacheable(entry);
      const { json = kept?.result, error } = kept ?? {};
      const characters = key.length + `${error?.data ?? json}`.length;
      if (!kept || characters > capacity / 16) return;
      const { scope, state, isCertain, sentAt, cachedAt } = entry;
      // A literal, not a spread: engines store objects built by spreads in twice the memory.
      entries.set(key, {
        result: kept.result,
        json: kept.json,
        error,
        scope,
        state,
        isCertain,
        sentAt,
        cachedAt,
        size: characters,
      });
      size += characters;
      for (const oldest of entries.keys()) {
        if (size <= capacity && entries.size <= maxEntries) return;
        remove(oldest);
      }
    },
    remove,
    clear(): void {
      entries.clear();
      size = 0;
    },
    /** Marks the entry as the most recently used. */
    touch(key: string): void {
      const entry = entries.get(key);
      if (!entry) return;
      entries.delete(key);
      entries.set(key, entry);
    },
  };
}

function toCacheable({ result, error }: CachedResponse): CachedResponse | undefined {
  if (error) return { error: copyOf(error) };
  if (typeof result !== 'object' || result === null) return { result };
  if (Array.isArray(result) && result.length > maxItems) return undefined;
  try {
    return { result: undefined, json: JSON.stringify(result) };
  } catch {
    return undefined;
  }
}

/** The block of a read; `undefined` for one that is not cached, as of the pending block, which changes all the time. */
export function blockOf(method: string, params: readonly unknown[]): BlockRef | undefined {
  const { block } = methodFacts(method);
  if (block === 'head') return 'latest';
  if (block === 'transaction') return 'answer';
  if (block === 'range') return blockOfLogs(params[0]);
  return block === undefined ? undefined : blockOfSelector(params[block]);
}

/** The newest block of the range decides. */
function blockOfLogs(filter: unknown): BlockRef | undefined {
  const { blockHash, fromBlock, toBlock } = membersOf(filter);
  if (blockHash !== undefined) return blockOfSelector(blockHash);
  const [from, to] = [blockOfSelector(fromBlock), blockOfSelector(toBlock)];
  if (from === 'latest' || to === 'latest') return from && to && 'latest';
  return typeof from === 'number' && typeof to === 'number' ? Math.max(from, to) : undefined;
}

/**
 * How long a result stays valid; `undefined` for one that is not cached. `null` means "not yet": for a receipt or a
 * height it is valid until the next block; for a hash it is not cached, because a transaction can arrive at any time.
 */
export function scopeOf(
  method: string,
  block: BlockRef,
  result: unknown,
  { height: head }: HeadView.State,
  depth: number,
): Scope | undefined {
  if (result === null)
    return block !== 'answer' || method === 'eth_getTransactionReceipt' ? 'head' : undefined;
  const height = block === 'answer' ? heightIn(result) : block;
  if (height === 'latest') return 'head';
  if (Number.isNaN(height)) return methodFacts(method).block === 'transaction' ? undefined : 'head';
  if (height <= head - depth) return 'always';
  // Nearer to the head the node that answered may be on another fork, or lack the newest blocks.
  return height <= head - disputedBlocks ? 'branch' : 'head';
}

/**
 * Newest blocks about which nodes behind one load balancer may disagree: lags of up to five blocks were observed
 * (docs/notes/security.md#nodes-that-lag).
 */
export const disputedBlocks = 12;
