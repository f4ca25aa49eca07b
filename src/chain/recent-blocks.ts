import { createMatcher } from '../rpc/matcher.js';
import type { Hex } from '../rpc/schema.js';
import type { HeadView } from '../service/cache/head-view.js';
import type { BlockLink } from './blocks.js';

/** The part of a polled head that is kept. */
export interface RecentBlock extends Omit<BlockLink, 'totalDifficulty'> {
  readonly logsBloom?: Hex | null | undefined;
}

/** The heads of the last polls, oldest first. Blocks between two polls are missing, so not all are linked. */
export interface RecentBlocks extends Pick<HeadView, 'excludes'> {
  /** Adds the newest. Returns whether it is a child of the one before. */
  add(block: RecentBlock): boolean;
  readonly blocks: readonly RecentBlock[];
}

export function createRecentBlocks(): RecentBlocks {
  const blocks: RecentBlock[] = [];

  /** The newest block and those linked below it, newest first. */
  function* branch(): Generator<RecentBlock> {
    for (let at = blocks.length - 1; at >= 0; at--) {
      const block = blocks[at] as RecentBlock;
      yield block;
      if (blocks[at - 1]?.hash !== block.parentHash) return;
    }
  }

  return {
    add({ hash, parentHash, number, timestamp, logsBloom }) {
      const last = blocks.at(-1);
      const isChild = parentHash === last?.hash && Number(number) === Number(last.number) + 1;
      blocks.push({ hash, parentHash, number, timestamp, logsBloom });
      if (blocks.length > maxBlocks) blocks.shift();
      return isChild;
    },
    blocks,
    excludes(wanted, from, to) {
      const inRange = [...branch()].filter(({ number }) => Number(number) >= from && Number(number) <= to);
      if (from > to || inRange.length <= to - from) return false;
      const { mayMatch } = createMatcher(wanted);
      return !inRange.some(({ logsBloom }) => mayMatch(logsBloom));
    },
  };
}

const maxBlocks = 32;
