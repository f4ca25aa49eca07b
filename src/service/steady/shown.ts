import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import { heightIn } from '../../rpc/results.js';
import type { Hash, Hex } from '../../rpc/schema.js';

/** A block on the chain: one that was shown, or that an answer contradicts. `hash` is `undefined` where only its height is known. */
export interface ChainPoint {
  readonly height: number;
  readonly hash: Hash | undefined;
}

/** The fields of a block that answers have shown; only the hash of one that its transactions alone have named. */
export interface ShownBlock {
  readonly hash: Hash;
  readonly parentHash?: Hash | undefined;
  readonly logsBloom?: Hex | null | undefined;
  readonly totalDifficulty?: unknown;
  /** Whether an answer has shown logs of the block. */
  readonly hasLogs?: boolean | undefined;
  /** How many transactions it has; then their places are known. */
  readonly count?: number | undefined;
}

/** The block that holds a transaction. */
export interface Place {
  readonly height: number;
  readonly hash: Hash;
  /** Whether it is the block's last transaction, which pays the miners. Some services have no receipt of it. */
  readonly isLast: boolean;
}

/**
 * The newest {@link maxBlocks} blocks that answers have shown, the places of their transactions, and the height of the highest
 * one, the top (docs/notes/service.md#monotonic-reads). It knows one block of each height.
 */
export type Shown = ReturnType<typeof createShown>;

export function createShown() {
  const blocks = new Map<number, ShownBlock>();
  /** By hash, the oldest first. */
  const heights = new Map<string, number>();
  /** By the hash of the transaction, the oldest first. */
  const places = new Map<string, Place>();
  /** Answers about transactions as JSON, by method and hash; empty for one that was too long. */
  const answers = new Map<string, string>();
  let top = -1;

  /** Forgets the blocks from a height on: the chain has others there. */
  function forget(from: number): void {
    for (const height of blocks.keys()) if (height >= from) blocks.delete(height);
    for (const [hash, height] of heights) if (height >= from) heights.delete(hash);
    for (const [transaction, { height }] of places) if (height >= from) places.delete(transaction);
    top = Math.min(top, from - 1);
  }

  /** Forgets a block that has left the chain, and those on top of it. Others above may be of the branch that took its place. */
  function leave({ height, hash }: ChainPoint): void {
    let last = height;
    for (let left = hash; left !== undefined; last++) {
      for (const [transaction, place] of places) if (place.hash === left) places.delete(transaction);
      if (blocks.get(last)?.hash !== left) return;
      blocks.delete(last);
      heights.delete(lower(left));
      const next = blocks.get(last + 1);
      left = next?.parentHash === left ? next.hash : undefined;
    }
    if (top < last) top = Math.max(height - 1, ...blocks.keys());
  }

  /** Returns false for a block below the top that the chain which was shown does not have. */
  function setBlock(height: number, block: ShownBlock): boolean {
    if (height < top && conflict(height, block.hash, block.parentHash) !== undefined) return false;
    // A block on top of another than the known one proves that that one has left the chain.
    if (differs(blocks.get(height - 1)?.hash, block.parentHash)) forget(height - 1);
    if (differs(blocks.get(height)?.hash, block.hash)) forget(height);
    blocks.set(height, own({ ...blocks.get(height), ...block }));
    setLast(heights, lower(block.hash), height, 4 * maxBlocks);
    top = Math.max(top, height);
    for (const each of blocks.keys()) if (each <= top - maxBlocks) blocks.delete(each);
    return true;
  }

  function setPlace(transaction: unknown, place: Place): void {
    const key = lower(transaction);
    const known = places.get(key);
    const isKnown = known?.hash === place.hash;
    setLast(places, key, isKnown ? known : place, maxPlaces);
    // They named another block.
    if (!isKnown) for (const method of aboutTransaction) answers.delete(`${method} ${key}`);
  }

  /** The height of the shown block that a block at `height` cannot be on one chain with. */
  function conflict(height: number, hash: unknown, parentHash?: unknown): number | undefined {
    if (differs(blocks.get(height)?.hash, hash)) return height;
    if (differs(blocks.get(height + 1)?.parentHash, hash)) return height + 1;
    return differs(blocks.get(height - 1)?.hash, parentHash) ? height - 1 : undefined;
  }

  /** Notes a transaction, receipt or log with its block. */
  function noteItem(item: unknown, isByBlockHash: boolean, isLog: boolean): void {
    const { blockHash, hash, transactionHash = hash } = membersOf(item);
    const height = heightIn(item);
    if (!(height > top - maxBlocks) || typeof blockHash !== 'string') return;
    // By their hash nodes also serve blocks that have left the chain.
    const known = blocks.get(height)?.hash;
    if (conflict(height, blockHash) !== undefined || (isByBlockHash && height <= top && !known)) return;
    if (setBlock(height, { hash: blockHash as Hash, ...(isLog && { hasLogs: true }) }))
      setPlace(transactionHash, { height, hash: blockHash as Hash, isLast: false });
  }

  function noteBlock(block: unknown, isByBlockHash: boolean): void {
    const { hash, parentHash, logsBloom, totalDifficulty, transactions } = membersOf(
      block,
    ) as Partial<ShownBlock> & Record<string, unknown>;
    const height = heightIn(block);
    if (!(height > top - maxBlocks) || typeof hash !== 'string') return;
    if (isByBlockHash && height <= top && lower(blocks.get(height)?.hash) !== lower(hash)) return;
    const listed = Array.isArray(transactions) ? transactions : [];
    const count = listed.length;
    if (!setBlock(height, { hash, parentHash, logsBloom, totalDifficulty, count })) return;
    for (const [at, each] of listed.entries()) {
      const isLast = at === count - 1;
      setPlace(membersOf(each).hash ?? each, { height, hash, isLast });
    }
  }

  return {
    top: () => top,
    /** A block of this height has been shown, or one above it. */
    raise(height: number): void {
      top = Math.max(top, height);
    },
    forget,
    leave,
    conflict,
    at: (height: number) => blocks.get(height),
    place: (transaction: unknown) => places.get(lower(transaction)),
    setPlace,
    /** The height of the block that an answer shows; NaN where it shows none. */
    heightOf: (method: string, params: readonly unknown[], result: unknown): number =>
      methodFacts(method).shows && params[0] !== 'pending' ? heightIn(result) : Number.NaN,
    /** Takes note of an answer that shows a block. */
    note(method: string, params: readonly unknown[], result: unknown): void {
      const [first] = params;
      const { shows, block, namesBlockBy = 'number' } = methodFacts(method);
      const isByBlockHash = namesBlockBy !== 'number' || membersOf(first).blockHash !== undefined;
      const items = Array.isArray(result) ? result.slice(-maxItems) : [result];
      if (shows === 'block') noteBlock(result, isByBlockHash);
      else for (const item of items) noteItem(item, isByBlockHash, shows === 'logs');
      if (block === 'transaction' && places.has(lower(first))) {
        const json = JSON.stringify(result);
        setLast(answers, `${method} ${lower(first)}`, json.length <= maxAnswer ? json : '', maxAnswers);
      }
    },
    /** The last answer about a placed transaction as JSON; empty for one that was too long, `undefined` without one. */
    answer: (method: string, transaction: unknown) => answers.get(`${method} ${lower(transaction)}`),
    /** The block of a selector; its height is NaN for a tag, and for a hash that was not shown. */
    find(selector: unknown): ChainPoint {
      const { blockHash, blockNumber = blockHash ?? selector } = membersOf(selector);
      const text = lower(blockNumber);
      if (text.length === 66) return { height: heights.get(text) ?? Number.NaN, hash: text as Hash };
      const height = /^0x[0-9a-f]+$/.test(text) ? Number(text) : Number.NaN;
      return { height, hash: blocks.get(height)?.hash };
    },
    /** Whether a block of the top's height is no better than the one that was shown. */
    isRival(block: unknown): boolean {
      const known = blocks.get(heightIn(block));
      if (!differs(known?.hash, membersOf(block).hash)) return false;
      const [theirs, ours] = [workOf(block), workOf(known)];
      return !(ours > 0n && theirs > ours);
    },
  };
}

/** Whether both are hashes, of two blocks. */
const differs = (known: unknown, hash: unknown): boolean =>
  typeof known === 'string' && typeof hash === 'string' && lower(known) !== lower(hash);

const lower = (value: unknown): string => `${value}`.toLowerCase();

const workOf = (block: unknown): bigint => {
  const { totalDifficulty } = membersOf(block);
  return typeof totalDifficulty === 'string' && /^0x[0-9a-f]+$/i.test(totalDifficulty)
    ? BigInt(totalDifficulty)
    : 0n;
};

/** Sets the newest entry, and removes the oldest ones above `max`. */
export function setLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}

const aboutTransaction: readonly string[] = ['eth_getTransactionByHash', 'eth_getTransactionReceipt'];

/** Blocks remembered: half an hour of Rootstock. */
export const maxBlocks = 64;
const maxPlaces = 2_000;
/** Transactions, receipts or logs noted of one answer, the newest ones. */
const maxItems = 64;
const maxAnswers = 256;
/** Characters. */
const maxAnswer = 16_384;
