import { withTimeout } from '../../async/cancellation.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import type { Observation } from '../../rpc/observation.js';
import { own } from '../../rpc/own.js';
import { heightIn } from '../../rpc/results.js';
import type { LogCriteria } from '../../rpc/schema.js';
import { copyOf } from '../errors/errors.js';
import type { Service } from '../service.js';
import { type BlockRef, spanOf } from './block-param.js';
import {
  blockOf,
  type CachedResponse,
  type CacheEntry,
  createEntryStore,
  disputedBlocks,
  scopeOf,
} from './cache-entries.js';
import type { HeadView } from './head-view.js';
import { revertLifetime } from './negative-cache.js';

/**
 * A service with a cache of reads (docs/notes/performance.md#where-requests-are-saved): immutable results for good, and
 * results that depend on the head, reverts included, for as long as the head stays the same.
 *
 * A cached result is at most one polling interval old. A first read costs what it costs without the cache. A repeated
 * read without a fresh head polls the head first, once for all concurrent reads, if that is likely to save requests.
 */
export interface Cache extends Service {
  usage(): Cache.Usage;
  request(method: string, params: readonly unknown[], options?: Cache.RequestOptions): Promise<unknown>;
  /** The same cache, of which only immutable results are used: for reads whose results are compared. */
  readonly lasting: Service;
}

export declare namespace Cache {
  interface RequestOptions extends Service.RequestOptions {
    /** Makes the result from cached JSON. Default `JSON.parse`. */
    readonly fromJson?: ((json: string) => unknown) | undefined;
  }
  /** The usage of one chain's service. */
  interface Usage extends Service.Usage {
    /** Requests answered from the cache, by method. */
    readonly cached: Readonly<Record<string, number>>;
  }
}

interface ReadRequest {
  readonly key: string;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly options: Cache.RequestOptions;
  readonly block: BlockRef;
}

const latestBlock = JSON.stringify(['eth_getBlockByNumber', ['latest', false]]);

export function createCache(given: createCache.Options): Cache {
  const options = own(given);
  const { service, head, observation, capacity = 4_000_000, depth = 512, now = Date.now } = options;
  const entries = createEntryStore(capacity, options.maxEntries);
  const cached = new Map<string, number>();
  /** Entries whose JSON has passed the check of a caller that takes it as text: they all have the same check. */
  const checked = new WeakSet<CachedResponse>();
  /** Repeated reads in the present period of one `maxAge`, which began at `periodStart`, and in the one before. */
  let periodStart = 0;
  let repeats = 0;
  let repeatsBefore = 0;
  let highest = -1;

  function isValid({ scope, state, isCertain, sentAt, error, result }: CacheEntry): boolean {
    if (scope === 'always') return head.maxAge() > 0;
    const current = head.state();
    const age = now() - sentAt;
    if (age < 0 || (scope === 'branch' ? state.branch !== current.branch : state !== current)) return false;
    if (error && age < revertLifetime && sentAt >= head.lastSendEndedAt()) return true;
    if (!head.isFresh()) return false;
    // A node that lags behind the polled one may have answered: until all nodes are expected to know the block, such a
    // response is valid no longer than a poll.
    const { since } = scope === 'head' ? state : state.branch;
    if (isCertain || sentAt - since >= settled) return true;
    return age < (result === null ? soon : head.maxAge());
  }

  /** A head far below the highest seen means another chain (a reset node): no cached result is valid for it. */
  function clearAfterReset(): void {
    const { height } = head.state();
    if (height < highest - depth) entries.clear();
    highest = height < highest - depth ? height : Math.max(highest, height);
  }

  function find(
    { key, method, params }: ReadRequest,
    lasting = false,
  ): (CachedResponse & Partial<CacheEntry>) | undefined {
    const entry = entries.get(key);
    if (lasting) return entry?.scope === 'always' && isValid(entry) ? entry : undefined;
    const asksNumber = method === 'eth_blockNumber';
    if ((asksNumber || key === latestBlock) && head.isFresh()) {
      const { block, number } = head.state();
      return asksNumber ? { result: number } : { json: block as string };
    }
    if (entry && isValid(entry)) return entry;
    return method === 'eth_getLogs' && head.isFresh() ? logsOf(params[0], entry) : undefined;
  }

  /**
   * Logs from the blooms of the newest blocks: none, or the cached ones if newer blocks exclude further logs. Certain ones are of
   * the newest blocks alone, about which the blooms say as much.
   */
  function logsOf(filter: unknown, entry: CacheEntry | undefined): CachedResponse | undefined {
    const current = head.state();
    const [from, to] = spanOf(filter, current.height) ?? [0, -1];
    const wanted = filter as LogCriteria;
    if (head.excludes(wanted, from, to)) return { json: '[]' };
    if (entry?.scope !== 'head' || entry.state.branch !== current.branch) return undefined;
    const { height, since } = entry.state;
    const isSettled = entry.state.block !== undefined && entry.sentAt - since >= settled;
    // The cached logs of the newest blocks may be of another fork, or incomplete.
    const sure = height - disputedBlocks;
    if (!isSettled || !head.excludes(wanted, Math.max(from, sure + 1), to)) return undefined;
    return heightIn(JSON.parse(entry.json ?? '[]')) > sure ? undefined : entry;
  }

  /** A poll costs as much as a read: it pays if more than one read will use it. */
  function pollPays(): boolean {
    const age = Math.abs(now() - periodStart);
    const maxAge = head.maxAge();
    if (age >= maxAge) {
      periodStart = now();
      repeatsBefore = age < 2 * maxAge ? repeats : 0;
      repeats = 0;
    }
    repeats += 1;
    return repeats > 1 || repeatsBefore > 1;
  }

  async function fetchAndCache(request: ReadRequest, lasting: boolean): Promise<unknown> {
    const { key, method, params, block } = request;
    const state = head.state();
    const sentAt = now();
    let isCertain = false;
    const onCertain = (height: number) => {
      isCertain = height === state.height;
    };
    const keep = (response: CachedResponse): void => {
      const cachedEntry = entries.get(key);
      // The first of the callers that shared one request caches it. The latest block is the head's.
      const isCached =
        cachedEntry?.state === state && sentAt <= cachedEntry.cachedAt && cachedEntry.cachedAt <= now();
      if (key === latestBlock || isCached) return;
      const scope = scopeOf(method, block, response.result, state, depth);
      if (scope && (scope === 'always' || !lasting))
        entries.put(key, { ...response, scope, state, isCertain, sentAt, cachedAt: now() });
      else if (!lasting) entries.remove(key);
    };
    try {
      const result = await service.request(method, params, own({ ...request.options, onCertain }));
      keep({ result });
      return result;
    } catch (error) {
      if (isProviderRpcError(error) && error.code === errorCode.executionReverted) keep({ error });
      throw error;
    }
  }

  /** Whether to poll the head, so that the cache may answer a repeated read. */
  function shouldPoll({ key, method }: ReadRequest, found: Partial<CacheEntry> | undefined): boolean {
    const isRepeated = entries.get(key) || (key === latestBlock && head.state().height >= 0);
    if (found?.scope === 'always' || !isRepeated) return false;
    const pays = pollPays() || method === 'eth_blockNumber' || key === latestBlock;
    return !found && pays && head.maxAge() > 0 && !head.isFresh();
  }

  function fromCache(request: ReadRequest, found: CachedResponse): unknown {
    const { key, method, options } = request;
    const { json, error } = found;
    const { fromJson = JSON.parse, check } = options;
    const isText = json !== undefined && fromJson !== JSON.parse;
    let result: unknown;
    try {
      if (!isText || !checked.has(found)) {
        result = json === undefined ? found.result : JSON.parse(json);
        if (!error) check?.(result);
      }
      if (isText) {
        checked.add(found);
        result = fromJson(json);
      }
    } catch {
      // This caller has a stricter check: request it again.
      entries.remove(key);
      return fetchAndCache(request, false);
    }
    cached.set(method, (cached.get(method) ?? 0) + 1);
    observation?.by?.read(service.network.chainId, method, 'cache', options.asked);
    entries.touch(key);
    if (error) throw copyOf(error);
    return result;
  }

  const cachedRequest =
    (lasting: boolean): Cache['request'] =>
    async (method, params, given) => {
      const options = own(given);
      const { signal } = options;
      const block = signal?.aborted ? undefined : blockOf(method, params);
      if (block === undefined) return await service.request(method, params, options);
      clearAfterReset();
      const request = { key: JSON.stringify([method, params]), method, params, options, block };
      let found = find(request, lasting);
      if (!lasting && shouldPoll(request, found)) {
        // The poll may be slow or queued in another tab; a first read would not wait for it either.
        await settledOrAborted(
          withTimeout(patience, () => head.latest({ maxAge: head.maxAge() })),
          signal,
        );
        found = find(request);
      }
      return found ? fromCache(request, found) : await fetchAndCache(request, lasting);
    };

  const usage = () => ({ ...service.usage(), cached: Object.fromEntries(cached) });
  const all = { ...service, usage };
  return { ...all, request: cachedRequest(false), lasting: { ...all, request: cachedRequest(true) } };
}

/** Waits until the task settles, also when it fails, or until `signal` aborts. */
function settledOrAborted(task: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      signal?.removeEventListener('abort', end);
      resolve();
    };
    signal?.addEventListener('abort', end);
    task.then(end, end);
  });
}

/** Milliseconds after which all nodes behind a load balancer are expected to know a block. */
const settled = 10_000;
/** Milliseconds for which `null` is valid until then. */
const soon = 3_000;
/** Milliseconds that a read waits for a poll. */
const patience = 1_000;

export declare namespace createCache {
  interface Options {
    /** The service, whose responses `head` observes. */
    readonly service: Service;
    readonly head: HeadView;
    /** Characters of JSON, about bytes. Default 4,000,000. */
    readonly capacity?: number | undefined;
    /** Default 2,048. */
    readonly maxEntries?: number | undefined;
    readonly observation?: Observation | undefined;
    /** Blocks below the head that no reorg reaches. Default 512. */
    readonly depth?: number | undefined;
    /** Milliseconds since 1970. */
    readonly now?: (() => number) | undefined;
  }
}
