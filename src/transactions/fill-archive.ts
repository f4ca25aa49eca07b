import { recipientOf } from '../approvals/decode-call.js';
import type { Mutex } from '../async/mutex.js';
import { own } from '../rpc/own.js';
import type { Hash } from '../rpc/schema.js';
import type { Storage } from '../storage/storage.js';
import {
  type ArchivedCount,
  archiveKeys,
  isMined,
  isOpen,
  type JournalEntry,
  keyOf,
  newestFirst,
  newestKept,
  nonceOf,
  type Party,
} from './journal-entry.js';

/** Settled transactions kept for each chain and origin; older ones are deleted. */
const kept = 1_000;
/** How many more there may be before those are deleted. */
const slack = 200;
/** Milliseconds that a settled transaction is kept at least. */
const minimumAge = 86_400_000;
/** Milliseconds for which a settled transaction stays in the journal: nodes lag, and blocks leave the chain. */
const settlingPeriod = 600_000;
/** Blocks below the highest one that an entry is in, whose entries stay as well: a reorganisation may reopen them. */
const shallow = 12;
/** Entries moved in one step, and those deleted. */
const step = 200;

/**
 * Moves the entries that nothing can change any more from the journal to its archive, where no payment reads them, and deletes
 * the oldest of those. An entry is in the archive before it leaves the journal, and one that has changed meanwhile stays, so this
 * can end anywhere. Between two steps an erasure may get the lock; then nothing more is moved.
 *
 * @param lock shared by all tabs
 * @param now milliseconds since 1970
 * @param isNeeded whether an entry has to stay all the same
 */
export async function fillArchive(
  storage: Storage,
  lock: Mutex,
  now: number,
  isNeeded: (entry: JournalEntry) => boolean = () => false,
): Promise<void> {
  const entries = ((await storage.all('journal')) as JournalEntry[]).map(own);
  const settled = settledForGood(entries, now).filter((group) => !group.some(isNeeded));
  for (const some of stepsOf(settled)) await lock(() => move(storage, some));
  const moved = new Set(settled.flat());
  const left = entries.filter((entry) => !moved.has(entry) && !isNeeded(entry));
  await lock(() => prune(storage, left, now));
}

/** The groups in steps of about {@link step} entries: none is in two, or one part might be alone for good. */
function stepsOf(groups: readonly (readonly JournalEntry[])[]): readonly (readonly JournalEntry[])[] {
  const steps: JournalEntry[][] = [];
  for (const group of groups) {
    const last = steps.at(-1);
    if (last && last.length < step) last.push(...group);
    else steps.push([...group]);
  }
  return steps;
}

/**
 * Those of the entries that nothing can change any more, and that no payment needs, in groups of one nonce: once one of them was
 * mined, or each is known to be replaced.
 *
 * @param entries the journal
 * @param now milliseconds since 1970
 */
export function settledForGood(
  entries: readonly JournalEntry[],
  now: number,
): readonly (readonly JournalEntry[])[] {
  const staying = new Set<JournalEntry>();
  for (const some of groupsOf(entries, ({ chainId }) => `${chainId}`)) {
    const byHeight = some.filter(({ blockNumber }) => blockNumber !== undefined).sort(highestFirst);
    const top = Number(byHeight[0]?.blockNumber ?? 0);
    for (const each of [...some].sort(newestFirst).slice(0, newestKept)) staying.add(each);
    for (const [at, each] of byHeight.entries())
      if (at < newestKept || Number(each.blockNumber) > top - shallow) staying.add(each);
  }
  return groupsOf(entries, ({ chainId, from }) => `${chainId}:${from}`).flatMap((some) => {
    const newest = [...some].sort(newestFirst)[0] as JournalEntry;
    let highest = -1n;
    for (const entry of some)
      if (isMined(entry) && nonceOf(entry.nonce) > highest) highest = nonceOf(entry.nonce);
    const isSettled = (entry: JournalEntry) =>
      !isOpen(entry) &&
      !staying.has(entry) &&
      entry !== newest &&
      entry.createdAt < now - settlingPeriod &&
      // Questions mention a correction until something else is signed.
      (entry.correctedAt === undefined || entry.correctedAt < newest.createdAt);
    const isProven = (group: readonly JournalEntry[]) =>
      group.some(isMined) || group.every(({ replacedBy }) => replacedBy !== undefined);
    return groupsOf(some, ({ nonce }) => `${nonceOf(nonce)}`).filter(
      (group) =>
        group.every(isSettled) &&
        isProven(group) &&
        // The count of the account's transactions is compared with it.
        nonceOf((group[0] as JournalEntry).nonce) !== highest,
    );
  });
}

const highestFirst = (a: JournalEntry, b: JournalEntry): number =>
  Number(b.blockNumber) - Number(a.blockNumber) || newestFirst(a, b);

function groupsOf<T>(items: readonly T[], keyOfItem: (item: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

/** Moves some entries, unless the journal was erased meanwhile, or another tab has moved them. */
async function move(storage: Storage, entries: readonly JournalEntry[]): Promise<void> {
  const [first] = entries;
  if (!first || (await storage.get('journal', keyOf(first))) === undefined) return;
  const parties = await addedTo(storage, partiesOf(entries));
  const counts = groupsOf(entries, ({ chainId, origin }) => archiveKeys.count(chainId, origin));
  const counted = await Promise.all(
    counts.map(async (group): Promise<[string, ArchivedCount]> => {
      const { chainId, origin } = group[0] as JournalEntry;
      const key = archiveKeys.count(chainId, origin);
      const before = (await storage.get('archive', key)) as ArchivedCount | undefined;
      return [key, { chainId, origin, count: (before?.count ?? 0) + group.length }];
    }),
  );
  const nonces = groupsOf(entries, archiveKeys.nonce).map((group): [string, readonly Hash[]] => [
    archiveKeys.nonce(group[0] as JournalEntry),
    group.map(({ hash }) => hash),
  ]);
  await storage.put('archive', [...parties, ...counted, ...nonces, ...entries.flatMap(recordsOf)]);
  await storage.remove(
    'journal',
    entries.map((entry) => [keyOf(entry), entry]),
  );
}

/** The records by which an entry is found. */
function recordsOf(entry: JournalEntry): readonly (readonly [key: string, value: unknown])[] {
  const key = archiveKeys.entry(entry);
  return [
    [key, entry],
    [archiveKeys.hash(entry.hash), key],
  ];
}

function partiesOf(entries: readonly JournalEntry[]): ReadonlyMap<string, Party> {
  const parties = new Map<string, Party>();
  for (const entry of entries) {
    const { chainId, to } = entry;
    const recipient = recipientOf(entry);
    for (const address of new Set([recipient, to])) {
      if (address === null) continue;
      const key = archiveKeys.party({ chainId, address });
      const isPaid = parties.get(key)?.isPaid || (address === recipient && isMined(entry));
      parties.set(key, { chainId, address, isPaid });
    }
  }
  return parties;
}

/** The records of parties, with what the archive has of them. */
const addedTo = (storage: Storage, parties: ReadonlyMap<string, Party>): Promise<[string, Party][]> =>
  Promise.all(
    [...parties].map(async ([key, party]): Promise<[string, Party]> => {
      const before = (await storage.get('archive', key)) as Party | undefined;
      return [key, { ...party, isPaid: party.isPaid || before?.isPaid === true }];
    }),
  );

/** Deletes the oldest settled entries of each origin, of the archive and of what has stayed in the journal without an outcome. */
async function prune(storage: Storage, journal: readonly JournalEntry[], now: number): Promise<void> {
  const oldOf = (entries: readonly JournalEntry[]) =>
    [...entries]
      .sort(newestFirst)
      .slice(kept)
      .filter(({ createdAt }) => createdAt < now - minimumAge);
  const settled = journal.filter((entry) => !isOpen(entry));
  const left = groupsOf(settled, ({ chainId, origin }) => archiveKeys.count(chainId, origin)).flatMap(oldOf);
  await storage.remove(
    'journal',
    left.map((entry) => [keyOf(entry), entry]),
  );
  for (const record of (await storage.all('archive', archiveKeys.counts)) as ArchivedCount[]) {
    const { chainId, origin, count } = own(record);
    if (count <= kept + slack) continue;
    const all = (await storage.all('archive', archiveKeys.entriesOf(chainId))) as JournalEntry[];
    const ofOrigin = all.map(own).filter((entry) => entry.origin === origin);
    const old = oldOf(ofOrigin);
    for (let at = 0; at < old.length; at += step)
      await storage.remove(
        'archive',
        old
          .slice(at, at + step)
          .flatMap((entry) => [...recordsOf(entry), [archiveKeys.nonce(entry), [entry.hash]] as const]),
      );
    await storage.put('archive', [
      [archiveKeys.count(chainId, origin), { chainId, origin, count: ofOrigin.length - old.length }],
    ]);
  }
}
