import type { Hash, Hex, Log } from '../../src/rpc/schema.js';

/**
 * Readers apply what a subscriber was told, one event after the other, and note what cannot follow from what
 * it was told before. What they hold at the end is held against the chain by {@link compare}.
 */

export interface Faulty {
  /** In the chain, and not held. */
  lost: number;
  /** Told twice. */
  doubled: number;
  /** Told before or after its turn, or taken back out of turn. */
  disordered: number;
  /** Held, and not in the chain: invented, or never taken back. */
  kept: number;
}

export const faultless = (): Faulty => ({ lost: 0, doubled: 0, disordered: 0, kept: 0 });

export interface Reader<Event> {
  readonly faults: Faulty;
  /** Events delivered, `removed` ones included. */
  told(): number;
  hear(event: Event): void;
  /** What is left of it, oldest first. */
  held(): readonly Held[];
  /** Descriptions of the first few faults. */
  readonly words: string[];
}

/** A log, or a block: `key` tells it from all others, `at` is the height. */
export interface Held {
  readonly key: string;
  readonly at: number;
  readonly block: Hash;
}

export const keyOf = (log: Log): string => `${log.blockHash} ${log.transactionHash} ${log.logIndex}`;

export function createLogReader(): Reader<Log> {
  const held: (Held & { readonly index: number })[] = [];
  const here = new Set<string>();
  const faults = faultless();
  const words: string[] = [];
  let told = 0;

  const note = (fault: keyof Faulty, what: string) => {
    faults[fault] += 1;
    if (words.length < 5) words.push(`${fault}: ${what}`);
  };

  function takeBack(log: Log, key: string): void {
    const at = held.findLastIndex((each) => each.key === key);
    here.delete(key);
    if (at < 0) note('doubled', `taken back and not held: ${log.blockNumber} ${key}`);
    else if (at < held.length - 1) note('disordered', `taken back out of turn: ${log.blockNumber} ${key}`);
    if (at >= 0) held.splice(at, 1);
  }

  return {
    faults,
    words,
    told: () => told,
    held: () => held,
    hear(log) {
      told += 1;
      const key = keyOf(log);
      if (log.removed === true) return takeBack(log, key);
      if (log.removed !== false) note('disordered', `neither valid nor removed: ${key}`);
      const [at, index] = [Number(log.blockNumber), Number(log.logIndex)];
      const last = held.at(-1);
      if (here.has(key)) return note('doubled', `event ${told}: ${log.blockNumber} ${key}`);
      if (last && (at < last.at || (at === last.at && index <= last.index)))
        note('disordered', `${log.blockNumber}/${index} after ${last.at}/${last.index}`);
      here.add(key);
      held.push({ key, at, index, block: log.blockHash as Hash });
    },
  };
}

/** The part of a block that is compared: a header's, or that of the hash from a block filter. */
export interface Link {
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly number: Hex;
}

export function createHeadReader(): Reader<Link> {
  let held: Held[] = [];
  const faults = faultless();
  const words: string[] = [];
  let told = 0;

  const note = (fault: keyof Faulty, what: string) => {
    faults[fault] += 1;
    if (words.length < 5) words.push(`${fault}: ${what}`);
  };

  return {
    faults,
    words,
    told: () => told,
    held: () => held,
    hear({ hash, parentHash, number }) {
      told += 1;
      const at = Number(number);
      const head = held.at(-1);
      if (held.some(({ key }) => key === hash)) return note('doubled', `${at} ${hash}`);
      const parent = held.findLastIndex(({ key }) => key === parentHash);
      // What forks off below where it began to listen starts over; anything else needs its parent.
      if (parent < 0 && held[0] && at > held[0].at)
        note('disordered', `${at} ${hash} without its parent, after ${head?.at}`);
      held = [...held.slice(0, parent + 1), { key: hash, at, block: hash }];
    },
  };
}

/**
 * What is held against what should be. `from` is the lowest height whose events must have been told; a fork
 * from below may have brought earlier ones, and then all from its first one on.
 */
export function compare(
  reader: Pick<Reader<never>, 'held' | 'faults' | 'words'>,
  chain: readonly Held[],
  from: number,
): void {
  const { faults, words } = reader;
  const held = reader.held();
  const start = Math.min(from, held[0]?.at ?? from);
  const expected = chain.filter(({ at }) => at >= start);
  const [has, should] = [keys(held), keys(expected)];
  const lost = expected.filter(({ key }) => !has.has(key));
  const kept = held.filter(({ key }) => !should.has(key));
  faults.lost += lost.length;
  faults.kept += kept.length;
  for (const { at, key } of lost.slice(0, 3)) words.push(`lost: ${at} ${key}`);
  for (const { at, key } of kept.slice(0, 3)) words.push(`kept: ${at} ${key}`);
}

const keys = (all: readonly Held[]) => new Set(all.map(({ key }) => key));
