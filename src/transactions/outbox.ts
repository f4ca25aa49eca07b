import type { Follower } from '../chain/follower.js';
import type { Block, Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Broadcast } from './broadcast.js';
import type { Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import { haveSameNonce, holdOf, isMined, isOpen, isUnproven, type JournalEntry } from './journal-entry.js';
import { createRebroadcast, poolBlocks } from './rebroadcast.js';
import { createSendCheck } from './send-check.js';
import { reopened, replaced } from './transitions.js';

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
/** Milliseconds for which a pool may keep the bytes of a transaction that its node has refused; see {@link poolBlocks}. */
const poolMemory = 650_000;
export function createOutbox(options: createOutbox.Options): Outbox {
  const { journal, service, follower, delivery, broadcast, now, since } = options;
  const { chainId } = service.network;
  /** Seen in a block whose receipt no node has shown yet. */
  const unread = new Set<Hash>();
  /** The newest blocks of the chain, by height. */
  const followed = new Map<number, Hash>();
  let unwatch: (() => void) | null = null;
  let blocksSinceSend = 0;
  let wakes = 0;
  let stopped = false;
  let isReviewed = false;

  const ours = async () => (await journal.entries()).filter((entry) => entry.chainId === chainId);
  /** Of the newest step that was processed: steps may lag behind the follower's head. */
  const height = () => Math.max(0, ...followed.keys());
  const mayBeSent = createSendCheck({ journal, service, since });
  const rebroadcast = createRebroadcast({
    ...{ service, delivery, broadcast, now, journal, mayBeSent, height },
    mined: (entry, entries) => settleOthers(entry, entries),
  });

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
    const before = wakes;
    const entries = await ours();
    for (const { number } of removed) followed.delete(Number(number));
    for (const { number, hash } of added) if (hash !== null) followed.set(Number(number), hash);
    await reopenOrphans(entries);
    for (const block of added) await find(entries, block);
    blocksSinceSend += added.length;
    const now = await ours();
    const isUrgent = now.some(({ state, hash }) => state === 'signed' || rebroadcast.isDoubted(hash));
    // Not awaited: a service that is slow to take a transaction must not hold up what its blocks say.
    if (missed !== undefined || blocksSinceSend >= blocksBetweenSends) {
      blocksSinceSend = 0;
      void rebroadcast.run('all');
    } else if (isUrgent && added.length > 0) void rebroadcast.run('signed');
    if (before === wakes && !rebroadcast.isRunning() && !now.some(needsWatching)) rest();
  };

  /**
   * Opens again what was settled by a block that is not on the chain (any more). A receipt may come from a node on a
   * fork whose blocks the follower never saw, so what counts is the block that stands at that height now.
   */
  const reopenOrphans = async (entries: readonly JournalEntry[]) => {
    const lowest = height() - 2 * depthToRest;
    for (const number of followed.keys()) if (number < lowest) followed.delete(number);
    for (const entry of entries) {
      const { blockHash, blockNumber } = entry;
      if (!blockHash || !blockNumber) continue;
      const standing = followed.get(Number(blockNumber));
      if (standing !== undefined && standing !== blockHash) await journal.change(entry, reopened(blockHash));
    }
  };

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

  /** What was mined before the first step is in none of the steps: its receipt shows it. */
  const review = async () => {
    const entries = await ours();
    for (const entry of entries) {
      if (entry.held === 'other-chain') await mayBeSent(entry).catch(() => false);
      else if (entry.state === 'sent' || entry.maybeSent || isUnproven(entry, now()))
        await read(entry, entries);
    }
    if ((await ours()).some(({ state }) => state === 'signed')) await rebroadcast.run('all');
  };

  const begin = async () => {
    const entries = await ours();
    if (stopped || unwatch !== null) return;
    const isQuiet = !entries.some(needsWatching);
    if (isQuiet && (isReviewed || !entries.some((entry) => entry.held || isUnproven(entry, now())))) return;
    isReviewed = true;
    if (!isQuiet) unwatch = follower.watch(onStep);
    await follower.catchUp().catch(() => {});
    const head = follower.head();
    if (head) followed.set(Number(head.number), head.hash);
    await review();
    // The review may have opened what was held back.
    if (isQuiet && !stopped && (await ours()).some(needsWatching)) unwatch ??= follower.watch(onStep);
  };

  const rest = () => {
    unwatch?.();
    unwatch = null;
    rebroadcast.clear();
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
      rebroadcast.stop();
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
