import { createMatcher } from '../rpc/matcher.js';
import type { Hash, Hex, LogCriteria } from '../rpc/schema.js';

/** The part of a polled head that is kept. */
export interface RecentBlock {
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly logsBloom?: Hex | null | undefined;
}

/** The heads of the last polls, oldest first. Blocks between two polls are missing, so not all are linked. */
export interface RecentBlocks {
  /** Adds the newest. Returns whether it is a child of the one before. */
  add(block: RecentBlock): boolean;
  readonly blocks: readonly RecentBlock[];
  /** As `excludes` of the head view. */
  excludes(wanted: LogCriteria, from: number, to: number): boolean;
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
      blocks.push({ hash, parentHash, number, timestamp, ...(logsBloom && { logsBloom }) });
      if (blocks.length > mostBlocks) blocks.shift();
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

const mostBlocks = 32;
