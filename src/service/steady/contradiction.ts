import type { Clock } from '../../async/clock.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import { membersOf } from '../../rpc/own-data.js';
import { heightIn } from '../../rpc/results.js';
import { spanOf } from '../cache/block-param.js';
import type { Service } from '../service.js';
import { type ChainPoint, maxBlocks, type Shown } from './shown.js';

/** An answer: a result, or the error -32001 that says that the node lacks the block. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The one form of a read whose answer can be compared with what was shown. */
export interface Read {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A read, as the caller has made it. */
export interface SteadyRead extends Read {
  readonly options: Service.RequestOptions;
  /** When it was made: a time of the clock. */
  readonly startedAt: number;
}

/** State shared by the settling part and the noting part. */
export interface SteadyState {
  readonly shown: Shown;
  readonly clock: Clock;
  readonly now: () => number;
  /** Whether all endpoints are on this machine, where requests cost nothing. */
  readonly isLocal: boolean;
  /** Methods that the service has answered with more than `null`. */
  readonly answered: Set<string>;
  /** When an answer last showed the top, or a block above it. */
  reachedAt: number;
  /** When the top last rose. */
  raisedAt: number;
  /** When nodes were last seen to differ. */
  differedAt: number;
  /** When a request last ended that may have changed the chain. */
  sentAt: number;
  /** The first top. */
  firstTop: number;
}

/**
 * Whether a node refuses a read in words that do not say why: perhaps for the selector that it was pinned to, which the page has
 * not asked for.
 */
export const isRefused = (error: unknown): boolean => {
  if (!isProviderRpcError(error)) return false;
  const { reason, serviceCode } = membersOf(error.data);
  if (error.code === errorCode.internal) return serviceCode !== undefined && reason === undefined;
  return error.code === errorCode.invalidParams || error.code === errorCode.invalidInput;
};

/** Whether the age of a time is below a limit in milliseconds. After the clock was set back an age is unknown. */
export const isWithin = ({ now }: SteadyState, time: number, limit: number): boolean =>
  Math.abs(now() - time) < limit;

/** The params with another selector of the block; those before it that are absent stay so. */
export const withSelector = (params: readonly unknown[], at: number, selector: unknown): readonly unknown[] =>
  Object.assign(Array.from({ length: at }), params, { [at]: selector });

/** Milliseconds for which reads of the newest state are pinned to the top, from when it was last shown. */
export const pinnedFor = 2_000;
/** Milliseconds for which nodes count as differing. */
export const differenceLasts = 600_000;

/** Whether it reads the transaction that it names, or the receipt: the answer shows the block. */
export const isByTransaction = ({ method }: Read): boolean => {
  const { block, shows } = methodFacts(method);
  return block === 'transaction' && shows !== undefined;
};

/** Whether it reads the newest block itself. */
export const isLatestBlock = ({ method, params }: Read): boolean =>
  method === 'eth_getBlockByNumber' && isLatest(params[0]);

/** Whether its result is the head. */
export function isHeadPoll(method: string, [selector, withTransactions]: readonly unknown[]): boolean {
  return method === 'eth_getBlockByNumber' && selector === 'latest' && withTransactions === false;
}

/** The index of the block's selector in a read of the newest state; `undefined` for other reads. */
export function latestStateParam(read: Read): number | undefined {
  const { block } = methodFacts(read.method);
  return typeof block === 'number' && !isLatestBlock(read) && isLatest(read.params[block])
    ? block
    : undefined;
}

/** Whether a shown block has the transaction of an index; `undefined` for other reads, and where its transactions are not known. */
export function isListed(shown: Shown, { method, params: [selector, index] }: Read): boolean | undefined {
  if (methodFacts(method).item !== 'transaction') return undefined;
  const { height, hash } = shown.find(selector);
  const block = shown.at(height);
  return block?.count === undefined || hash === undefined || block.hash.toLowerCase() !== hash.toLowerCase()
    ? undefined
    : Number(index) < block.count;
}

/**
 * The shown block that an answer contradicts; `undefined` for one that passes. Lists of logs are compared by
 * {@link lacksLogs}.
 */
export function contradicted(shown: Shown, read: Read, { result, error }: Answer): ChainPoint | undefined {
  const { method, params } = read;
  const top = shown.top();
  const isMissing = error !== undefined || result === null;
  const pointAt = (height: number | undefined): ChainPoint | undefined =>
    height === undefined ? undefined : { height, hash: shown.at(height)?.hash };
  if (method === 'eth_blockNumber') return Number(result) < top ? pointAt(top) : undefined;
  if (isLatestBlock(read)) {
    const height = heightIn(result);
    return height < top || (height === top && shown.isRival(result)) ? pointAt(top) : undefined;
  }
  if (isByTransaction(read)) {
    const place = shown.place(params[0]);
    const height = heightIn(result);
    if (Number.isNaN(height)) return place;
    const hash = `${membersOf(result).blockHash}`;
    if (place) return place.hash.toLowerCase() === hash.toLowerCase() ? undefined : place;
    return pointAt(shown.conflict(height, hash));
  }
  const { block, namesBlockBy } = methodFacts(method);
  if (block === 'range') return error === undefined ? undefined : pointAt(newestIn(shown, params[0]).at(-1));
  const point = shown.find(typeof block === 'number' ? params[block] : undefined);
  if (!(point.height <= top && point.height > top - maxBlocks)) return undefined;
  if (isMissing) return isListed(shown, read) === false ? undefined : point;
  if (namesBlockBy !== 'number') return undefined;
  const { blockHash, hash, parentHash } = membersOf(result);
  const isBlock = method === 'eth_getBlockByNumber';
  return pointAt(shown.conflict(point.height, isBlock ? hash : blockHash, isBlock ? parentHash : undefined));
}

/**
 * Heights of the newest shown blocks in a filter's range whose logs may be wrong in an answer: the block may have some, and
 * the answer has none of it; or the answer has those of another block.
 */
export function lacksLogs(shown: Shown, filter: unknown, logs: unknown): number[] {
  const newest = newestIn(shown, filter);
  const list: readonly unknown[] = Array.isArray(logs) ? logs : [];
  if (startsAtLatest(filter)) {
    const height = heightIn(list);
    // The node has a newer block, whose logs these are; or an older one.
    if (height > shown.top()) return [];
    if (height < shown.top()) return newest;
  }
  /** Hashes of their blocks. */
  const found = new Map<number, unknown>();
  for (let at = list.length - 1; at >= 0 && heightIn(list[at]) >= (newest[0] as number); at--)
    found.set(heightIn(list[at]), membersOf(list[at]).blockHash);
  return newest.filter((height) => {
    const block = shown.at(height);
    const hash = found.get(height);
    if (hash !== undefined) return shown.conflict(height, hash) !== undefined;
    return block?.hasLogs || /^0x0*[1-9a-f]/i.test(`${block?.logsBloom}`);
  });
}

/**
 * Tells the caller that an answer, which contradicts nothing, is the one of the chain that was shown, whichever node gave it: it
 * names a shown block; or the request did; or its logs, all of them of the newest blocks, were compared with their blooms. While
 * nodes differ a height names no block.
 * @param pinned the params that were sent, where they are not the caller's
 */
export function reportCertain(
  state: SteadyState,
  { method, params, options }: SteadyRead,
  pinned: readonly unknown[] | undefined,
  result: unknown,
): void {
  if (
    options.onCertain &&
    isCertain(state, { method, params: pinned ?? params }, result, pinned !== undefined)
  )
    options.onCertain(state.shown.top());
}

function isCertain(
  state: SteadyState,
  { method, params }: Read,
  result: unknown,
  isPinned: boolean,
): boolean {
  const { shown } = state;
  const top = shown.top();
  const { block } = methodFacts(method);
  if (block === undefined || block === 'head') return false;
  if (block === 'range') {
    const [filter] = params;
    const [from = 0] = spanOf(filter, top) ?? [];
    // Deeper down the logs are not compared; and the top may have risen since they were.
    if (from <= top - maxLag || lacksLogs(shown, filter, result).length > 0) return false;
    return newestIn(shown, filter).every((height) => shown.at(height)?.logsBloom !== undefined);
  }
  const { blockHash, hash = blockHash } = membersOf(result);
  const known = shown.at(heightIn(result))?.hash;
  if (known !== undefined) return [blockHash, hash].includes(known);
  if (typeof block !== 'number' || result === null) return false;
  const selector = params[block];
  const isByHash = `${membersOf(selector).blockHash ?? selector}`.length === 66;
  const isNamed = isByHash || !isWithin(state, state.differedAt, differenceLasts);
  const { height } = shown.find(selector);
  // The top may have risen since.
  return isNamed && (isPinned ? height === top : height <= top);
}

/** Heights of a filter's range, or of its block, in which a node that is behind may lack logs: the newest ones. */
export function newestIn(shown: Shown, filter: unknown): number[] {
  const top = shown.top();
  const { blockHash } = membersOf(filter);
  const { height } = shown.find(blockHash);
  const [from, to] = blockHash === undefined ? (spanOf(filter, top) ?? [0, -1]) : [height, height];
  const heights: number[] = [];
  for (let each = Math.max(from, to - maxLag + 1, top - maxBlocks + 1); each <= Math.min(to, top); each++)
    heights.push(each);
  return heights;
}

/** Whether a range of logs begins at the newest block: each node has its own, so that its answer may be of another one. */
export const startsAtLatest = (filter: unknown): boolean => {
  const { blockHash, fromBlock } = membersOf(filter);
  return blockHash === undefined && isLatest(fromBlock);
};

export const isLatest = (selector: unknown): boolean => selector === undefined || selector === 'latest';

/** Blocks that a node may be behind others. */
export const maxLag = 6;
