import { heightOf } from '../chain/blocks.js';
import { own } from '../rpc/own.js';
import type { Hash, Log } from '../rpc/schema.js';
import type { DeliveredBlock } from './durable/cursor-store.js';

/** The blocks whose logs a subscriber got, oldest first. Full logs are kept, to emit them again with `removed: true`. */
export interface DeliveredBlocks {
  blocks(): readonly DeliveredBlock[];
  find(hash: Hash): DeliveredBlock | undefined;
  /** Those above a height. */
  above(height: number): readonly DeliveredBlock[];
  /** Height up to which delivered blocks were dropped; -1 where none were. */
  forgotten(): number;
  /** Adds newer blocks, oldest first. Blocks without logs are skipped. */
  add(blocks: readonly DeliveredBlock[]): void;
  /** Removes all blocks above a height. Returns their logs, newest first, with `removed: true`. */
  remove(height: number): readonly Log[];
  /**
   * Compares delivered blocks with `blocks`, the current ones above `height` up to `end`: which to deliver, and how far
   * to roll back before that.
   */
  compare(height: number, end: number, blocks: readonly DeliveredBlock[]): DeliveredBlocks.Difference;
}

export declare namespace DeliveredBlocks {
  interface Difference {
    readonly added: readonly DeliveredBlock[];
    /** Height above which all delivered blocks are removed; `null` for none. */
    readonly rollbackTo: number | null;
  }
}

export function createDeliveredBlocks(options: createDeliveredBlocks.Options): DeliveredBlocks {
  let delivered = own(options).delivered ?? [];
  let forgotten = -1;

  const above = (height: number) => delivered.filter((block) => heightOf(block) > height);

  return {
    blocks: () => delivered,
    find: (hash) => delivered.find((block) => block.hash === hash),
    above,
    forgotten: () => forgotten,

    add(blocks) {
      const withLogs = blocks.filter(({ logs }) => logs.length > 0);
      if (withLogs.length === 0) return;
      const all = [...delivered, ...withLogs];
      delivered = all.slice(firstKept(all, options));
      const last = all[all.length - delivered.length - 1];
      if (last) forgotten = heightOf(last);
    },

    remove(height) {
      const taken = above(height);
      delivered = delivered.filter((block) => heightOf(block) <= height);
      return taken.flatMap(({ logs }) => logs.map(markRemoved)).reverse();
    },

    compare(height, end, blocks) {
      const [known, truth] = [above(height), blocks.filter((block) => heightOf(block) > forgotten)];
      const other = truth.findIndex(({ hash }, at) => known[at]?.hash !== hash);
      const same = other < 0 ? truth.length : other;
      const [next, added] = [known[same], truth.slice(same)];
      const isRolledBack = next && (added.length > 0 || heightOf(next) <= end);
      return { added, rollbackTo: isRolledBack ? heightOf(next) - 1 : null };
    },
  };
}

/** Index of the oldest block that is kept. The newest always is. */
function firstKept(delivered: readonly DeliveredBlock[], options: createDeliveredBlocks.Options): number {
  const { maxBlocks, heights = Number.POSITIVE_INFINITY, size = Number.POSITIVE_INFINITY } = own(options);
  const lowest = heightOf(delivered.at(-1) as DeliveredBlock) - heights;
  let first = delivered.length - 1;
  for (let kept = sizeOf(delivered[first] as DeliveredBlock); first > 0; first--) {
    const below = delivered[first - 1] as DeliveredBlock;
    kept += sizeOf(below);
    if (delivered.length - first >= maxBlocks || heightOf(below) <= lowest || kept > size) break;
  }
  return first;
}

/** Characters when stored, approximately. */
export const sizeOf = ({ logs }: DeliveredBlock): number =>
  logs.reduce((size, { data, topics }) => size + 500 + data.length + topics.length * 70, 0);

export const markPresent = (log: Log): Log => ({ ...log, removed: false });
export const markRemoved = (log: Log): Log => ({ ...log, removed: true });

export declare namespace createDeliveredBlocks {
  interface Options {
    /** Blocks kept: as many as the follower can remove. */
    readonly maxBlocks: number;
    /** Blocks kept below the newest, in heights. */
    readonly heights?: number | undefined;
    /** Characters of logs kept. */
    readonly size?: number | undefined;
    /** Blocks to begin with. */
    readonly delivered?: readonly DeliveredBlock[] | undefined;
  }
}
