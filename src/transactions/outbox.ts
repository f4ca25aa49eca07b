import type { Follower } from '../chain/follower.js';
import { isQuantityResult } from '../rpc/results.js';
import type { Block, Hash, Hex } from '../rpc/schema.js';
import { reasonOf } from '../service/errors.js';
import type { Service } from '../service/service.js';
import type { Broadcast } from './broadcast.js';
import type { Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import {
  deferred,
  haveSameNonce,
  holdOf,
  isMined,
  isOpen,
  isUnproven,
  type JournalEntry,
  refused,
  reopened,
  replaced,
} from './journal-entry.js';
import { dearest, slots } from './nonces.js';
import { createSendCheck } from './send-check.js';

/** Sends what the journal holds until its fate is known. Idle, and silent, when nothing is open. */
export interface Outbox {
  /** Reads the journal again: call after recording an entry, and once at start. */
  wake(): void;
  stop(): void;
}

/** A pool drops a transaction after 10 blocks: the same bytes are sent again well before. */
const blocksBetweenSends = 5;
/** A settled transaction is watched this many blocks longer, so that a reorganisation reopens it. */
const depthToRest = 3;
/**
 * Milliseconds, and blocks, after which no pool holds a transaction any more that nodes refuse: some keep the bytes
 * of one that they have refused.
 */
const poolMemory = 650_000;
const poolBlocks = 12;
/** Milliseconds. */
const aMinute = 60_000;
/** Without the rival itself a used nonce is proven by the missing receipt, at so many heads, over so many blocks. */
const headsForProof = 3;
const blocksToReplace = 6;

/** At which heights something was seen of a transaction that one sight does not prove. */
interface Observed {
  readonly heights: Set<number>;
}

export function createOutbox(options: createOutbox.Options): Outbox {
  const { journal, service, follower, delivery, broadcast, now, since } = options;
  const { chainId } = service.network;
  const refusals = new Map<Hash, Observed>();
  const absences = new Map<Hash, Observed>();
  /** Seen in a block whose receipt no node has shown yet. */
  const unread = new Set<Hash>();
  /** The newest blocks of the chain, by height. */
  const followed = new Map<number, Hash>();
  const mayBeSent = createSendCheck({ journal, service, since });
  let unwatch: (() => void) | null = null;
  let blocksSinceSend = 0;
  let wakes = 0;
  let stopped = false;
  let isReviewed = false;

  const ours = async () => (await journal.entries()).filter((entry) => entry.chainId === chainId);
  const height = () => Number(follower.head()?.number ?? 0);

  /** Notes a sight at the present height. @returns whether it was seen at enough heights, far enough apart */
  const observe = (seen: Map<Hash, Observed>, hash: Hash, times: number, span: number): boolean => {
    const { heights } = seen.get(hash) ?? { heights: new Set<number>() };
    heights.add(height());
    seen.set(hash, { heights });
    return heights.size >= times && Math.max(...heights) - Math.min(...heights) >= span;
  };

  /** Whether a block that joins or leaves the chain may still change the entry. */
  const needsWatching = (entry: JournalEntry): boolean => {
    if (isOpen(entry)) return holdOf(entry, now()) === null;
    if (entry.state === 'refused' || entry.state === 'abandoned')
      return (
        now() - entry.createdAt < poolMemory && height() - Number(entry.anchor?.number ?? 0) < poolBlocks
      );
    return entry.blockNumber !== undefined && height() - Number(entry.blockNumber) < depthToRest;
  };

  const onStep: Follower.Listener = async ({ removed, added, missed }) => {
    const id = Math.random().toString(36).slice(2,5); (globalThis as any).dbg?.(`${id} step -${removed.length} +${added.length} ${Number(added.at(-1)?.number)} missed ${missed}`);
    const before = wakes;
    const entries = await ours();
    for (const { number } of removed) followed.delete(Number(number));
    for (const { number, hash } of added) if (hash !== null) followed.set(Number(number), hash);
    await reopenOrphans(entries);
    for (const block of added) await find(entries, block);
    blocksSinceSend += added.length;
    const now = await ours();
    const isUrgent = now.some(({ state, hash }) => state === 'signed' || absences.has(hash));
    if (missed !== undefined || blocksSinceSend >= blocksBetweenSends) await sendAgain('all');
    else if (isUrgent && added.length > 0) await sendAgain('signed');
    if (before === wakes && !(await ours()).some(needsWatching)) { (globalThis as any).dbg?.(`${id} rest`); rest(); }
    (globalThis as any).dbg?.(`${id} end ${(await ours()).filter(isOpen).length}`);
  };

  /**
   * Opens again what was settled by a block that is not on the chain (any more). A receipt may come from a node on a
   * fork whose blocks the follower never saw, so what counts is the block that stands at that height now.
   */
  const reopenOrphans = async (entries: readonly JournalEntry[]) => {
    for (const height of followed.keys()) if (height < lowestWatched()) followed.delete(height);
    for (const entry of entries) {
      const { blockHash, blockNumber } = entry;
      if (!blockHash || !blockNumber) continue;
      const standing = followed.get(Number(blockNumber));
      if (standing !== undefined && standing !== blockHash) await journal.change(entry, reopened(blockHash));
    }
  };
  const lowestWatched = () => height() - 2 * depthToRest;

  /** Reads the receipts of our transactions in a block, whatever the journal thought of them. */
  const find = async (entries: readonly JournalEntry[], { hash: blockHash, transactions }: Block) => {
    const inBlock = new Set(transactions.map((item) => (typeof item === 'string' ? item : item.hash)));
    for (const entry of entries) {
      if (!inBlock.has(entry.hash) && !unread.has(entry.hash)) continue;
      if (isMined(entry) && entry.blockHash === blockHash) continue;
      unread.add(entry.hash);
      await read(entry, entries);
    }
  };

  /** Looks for the receipt. One that is mined settles the others with its nonce. */
  const read = async (entry: JournalEntry, entries: readonly JournalEntry[]): Promise<JournalEntry> => {
    const after = await delivery.check(entry, service);
    if (isMined(after)) await settleOthers(after, entries);
    return after;
  };

  const settleOthers = async (mined: JournalEntry, entries: readonly JournalEntry[]) => {
    const { hash, blockHash, blockNumber } = mined;
    unread.delete(hash);
    if (!blockHash || !blockNumber) return;
    for (const other of entries)
      if (other.hash !== hash && haveSameNonce(other, mined))
        await journal.change(other, replaced({ hash, blockHash, blockNumber }));
  };

  /**
   * Asks how many nonces of each account are used, and sends those that are not again, in the order of their nonces:
   * all, or only what no pool is known to hold. What the chain takes only later is not sent before.
   */
  const sendAgain = async (which: 'all' | 'signed') => {
    if (which === 'all') blocksSinceSend = 0;
    const entries = await ours();
    const open = entries
      .filter((entry) => isOpen(entry) && holdOf(entry, now()) === null && !broadcast.isUnderWay(entry.raw))
      .sort((a, b) => Number(BigInt(a.nonce) - BigInt(b.nonce)));
    const counts = new Map<string, bigint>();
    for (const entry of open) {
      if (stopped) return;
      try {
        if (!(await mayBeSent(entry))) continue;
        const used = counts.get(entry.from) ?? (await countOf(entry.from));
        counts.set(entry.from, used);
 (globalThis as any).dbg?.(`used ${used} open ${open.length} ${which}`);
        if (BigInt(entry.nonce) < used) {
          await settle(entry, entries);
          continue;
        }
        // Another node contradicts who said that the nonce is used.
        absences.delete(entry.hash);
        if (BigInt(entry.nonce) >= used + slots) await postpone(entry);
        else if ((which === 'signed' && entry.state === 'sent') || !isDearest(entry, open)) continue;
        else await offer(entry);
      } catch (e) { (globalThis as any).dbg?.(`failed ${(e as Error).message}`);
        // Not answered now: the entry stays open, and the next round asks again.
      }
    }
  };

  const isDearest = (entry: JournalEntry, open: readonly JournalEntry[]) =>
    dearest(open.filter((other) => haveSameNonce(other, entry))) === entry;

  /** It waits for others of its account, and not for the person. */
  const postpone = async (entry: JournalEntry) => {
    if (now() - Math.max(entry.createdAt, entry.deferredAt ?? 0) > aMinute)
      await journal.change(entry, deferred(now()));
  };

  const countOf = async (from: string) =>
    BigInt(
      (await service.request('eth_getTransactionCount', [from, 'latest'], {
        check: (result) => isQuantityResult(result, undefined),
      })) as Hex,
    );

  /** The nonce is used: by this transaction, or by another one, which must be shown or outlasted. */
  const settle = async (entry: JournalEntry, entries: readonly JournalEntry[]) => {
    (globalThis as any).dbg?.(`settle ${Number(entry.nonce)}`);
    const after = await delivery.resolve(entry, service, 1);
    (globalThis as any).dbg?.(`settled ${Number(entry.nonce)} ${after.state}`);
    if (isMined(after)) await settleOthers(after, entries);
    else if (isOpen(after) && observe(absences, entry.hash, headsForProof, blocksToReplace))
      await journal.change(entry, replaced());
    if (!isOpen(after)) absences.delete(entry.hash);
  };

  const offer = async (entry: JournalEntry) => {
    (globalThis as any).dbg?.(`offer ${Number(entry.nonce)}`);
    const { entry: after, isAccepted, refusal } = await delivery.send(entry, service);
    (globalThis as any).dbg?.(`offered ${Number(entry.nonce)} ${after.state} ${isAccepted} ${refusal?.message}`);
    if (isAccepted || !refusal || !isOpen(after)) {
      refusals.delete(entry.hash);
      return;
    }
    // A dearer transaction with its nonce is in the pool: one of the two will be mined.
    const reason = reasonOf(refusal);
    if (reason === 'replacement-underpriced' || reason === 'nonce-too-low') return;
    if (observe(refusals, entry.hash, headsForProof, poolBlocks))
      await journal.change(entry, refused(refusal.message, true));
  };

  /** What was mined before the first step is in none of the steps: its receipt shows it. */
  const review = async () => {
    const entries = await ours();
    for (const entry of entries) {
      if (entry.held === 'other-chain') await mayBeSent(entry).catch(() => false);
      else if (entry.state === 'sent' || entry.maybeSent || isUnproven(entry, now()))
        await read(entry, entries);
    }
    if ((await ours()).some(({ state }) => state === 'signed')) await sendAgain('all');
  };

  const begin = async () => {
    const entries = await ours();
    if (stopped || unwatch !== null) return;
    const isQuiet = !entries.some(needsWatching);
    if (isQuiet && (isReviewed || !entries.some((entry) => entry.held || isUnproven(entry, now())))) return;
    isReviewed = true;
    if (!isQuiet) unwatch = follower.watch(onStep);
    await follower.catchUp().catch(() => {});
    await review();
    // The review may have opened what was held back.
    if (isQuiet && !stopped && (await ours()).some(needsWatching)) unwatch ??= follower.watch(onStep);
  };

  const rest = () => {
    unwatch?.();
    unwatch = null;
    refusals.clear();
    absences.clear();
    unread.clear();
    followed.clear();
  };

  return {
    wake() {
      if (stopped) return;
      wakes++;
      begin().catch(() => {
        // The storage does not answer: what is open stays open, and the next wake reads the journal again.
      });
    },
    stop() {
      stopped = true;
      rest();
    },
  };
}

export declare namespace createOutbox {
  interface Options {
    readonly journal: Journal;
    readonly service: Service;
    readonly follower: Follower;
    readonly delivery: Delivery;
    /** The one that `delivery` sends with: what it is sending is not asked about meanwhile. */
    readonly broadcast: Broadcast;
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** When this page began: only older entries may be of another chain with the same id. */
    readonly since: number;
  }
}
