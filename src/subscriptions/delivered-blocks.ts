import { heightOf } from '../chain/blocks.js';
import { own } from '../rpc/own.js';
import type { Hash, Log } from '../rpc/schema.js';
import type { DeliveredBlock } from './durable/cursor-store.js';

/** The blocks whose logs a reader was told, oldest first, with the logs in full: that is how they are taken back. */
export interface DeliveredBlocks {
  blocks(): readonly DeliveredBlock[];
  find(hash: Hash): DeliveredBlock | undefined;
  /** Those above a height. */
  above(height: number): readonly DeliveredBlock[];
  /** The height up to which it is not known any more what was told; -1 where nothing is forgotten. */
  forgotten(): number;
  /** Above all others, oldest first. Those without logs are not kept. */
  add(blocks: readonly DeliveredBlock[]): void;
  /** The logs of all blocks above a height as they are taken back: newest first, `removed: true`. Each once. */
  takeBack(height: number): readonly Log[];
  /**
   * What of `blocks`, the truth about the heights above `height` up to `end`, is still to be told, and what was told
   * of these heights and higher ones that has to be taken back before.
   */
  compare(height: number, end: number, blocks: readonly DeliveredBlock[]): DeliveredBlocks.Difference;
}

export declare namespace DeliveredBlocks {
  interface Difference {
    readonly news: readonly DeliveredBlock[];
    /** All above this height has left; `null` where nothing has. */
    readonly leaves: number | null;
  }
}

export function createDeliveredBlocks(options: createDeliveredBlocks.Options): DeliveredBlocks {
  let told = own(options).told ?? [];
  let forgotten = -1;

  const above = (height: number) => told.filter((block) => heightOf(block) > height);

  return {
    blocks: () => told,
    find: (hash) => told.find((block) => block.hash === hash),
    above,
    forgotten: () => forgotten,

    add(blocks) {
      const withLogs = blocks.filter(({ logs }) => logs.length > 0);
      if (withLogs.length === 0) return;
      const all = [...told, ...withLogs];
      told = all.slice(firstKept(all, options));
      const last = all[all.length - told.length - 1];
      if (last) forgotten = heightOf(last);
    },

    takeBack(height) {
      const left = above(height);
      told = told.filter((block) => heightOf(block) <= height);
      return left.flatMap(({ logs }) => logs.map(removed)).reverse();
    },

    compare(height, end, blocks) {
      const [known, truth] = [above(height), blocks.filter((block) => heightOf(block) > forgotten)];
      const other = truth.findIndex(({ hash }, at) => known[at]?.hash !== hash);
      const same = other < 0 ? truth.length : other;
      const [next, news] = [known[same], truth.slice(same)];
      const left = next && (news.length > 0 || heightOf(next) <= end);
      return { news, leaves: left ? heightOf(next) - 1 : null };
    },
  };
}

/** The newest always. */
function firstKept(told: readonly DeliveredBlock[], options: createDeliveredBlocks.Options): number {
  const { most, heights = Number.POSITIVE_INFINITY, size = Number.POSITIVE_INFINITY } = own(options);
  const lowest = heightOf(told.at(-1) as DeliveredBlock) - heights;
  let first = told.length - 1;
  for (let kept = sizeOf(told[first] as DeliveredBlock); first > 0; first--) {
    const below = told[first - 1] as DeliveredBlock;
    kept += sizeOf(below);
    if (told.length - first >= most || heightOf(below) <= lowest || kept > size) break;
  }
  return first;
}

/** Characters as it is stored, near enough. */
export const sizeOf = ({ logs }: DeliveredBlock): number =>
  logs.reduce((size, { data, topics }) => size + 500 + data.length + topics.length * 70, 0);

export const valid = (log: Log): Log => ({ ...log, removed: false });
export const removed = (log: Log): Log => ({ ...log, removed: true });

export declare namespace createDeliveredBlocks {
  interface Options {
    /** Blocks kept: no more than the follower can ever take back. */
    readonly most: number;
    /** Kept are blocks that are so many heights below the newest. */
    readonly heights?: number | undefined;
    /** Characters of logs that are kept. */
    readonly size?: number | undefined;
    /** What was told before. */
    readonly told?: readonly DeliveredBlock[] | undefined;
  }
}
