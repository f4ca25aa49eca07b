import { createMatcher } from '../rpc/matcher.js';
import type { Hash, Hex, LogCriteria } from '../rpc/schema.js';

/** A block that a node gave as the newest. */
export interface Tip {
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly logsBloom?: Hex | null | undefined;
}

/** The newest blocks as looks have shown them, oldest first: some stand on the one before, some were passed over. */
export interface Lineage {
  /** Whether it stands on the last one. */
  add(tip: Tip): boolean;
  readonly tips: readonly Tip[];
  /** Whether all blocks between two heights, inclusive, are ancestors that were seen, none with a log that is wanted. */
  denies(wanted: LogCriteria, from: number, to: number): boolean;
}

export function createLineage(): Lineage {
  const tips: Tip[] = [];

  /** The last of them that are linked, newest first. */
  function* ancestors(): Generator<Tip> {
    for (let at = tips.length - 1; at >= 0; at--) {
      const tip = tips[at] as Tip;
      yield tip;
      if (tips[at - 1]?.hash !== tip.parentHash) return;
    }
  }

  return {
    add({ hash, parentHash, number, timestamp, logsBloom }) {
      const last = tips.at(-1);
      const stands = parentHash === last?.hash && Number(number) === Number(last.number) + 1;
      tips.push({ hash, parentHash, number, timestamp, ...(logsBloom && { logsBloom }) });
      if (tips.length > mostTips) tips.shift();
      return stands;
    },
    tips,
    denies(wanted, from, to) {
      const among = [...ancestors()].filter(({ number }) => Number(number) >= from && Number(number) <= to);
      if (from > to || among.length <= to - from) return false;
      const { mayMatch } = createMatcher(wanted);
      return !among.some(({ logsBloom }) => mayMatch(logsBloom));
    },
  };
}

const mostTips = 32;
