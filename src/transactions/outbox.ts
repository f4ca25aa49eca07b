import type { Follower } from '../chain/follower.js';
import type { Block, Hash } from '../rpc/schema.js';
import { proven, reopened, replaced } from './journal.js';
import { haveSameNonce, isMined, isOpen, isPending, isUnproven, type JournalEntry } from './journal-entry.js';
import { createRebroadcast, mempoolBlocks } from './rebroadcast.js';
import { createSendCheck } from './send-check.js';

/**
 * Rebroadcasts the open transactions of one chain until they are settled, and reopens those that a reorg affects. It
 * sends no requests while nothing is open.
 */
export interface Outbox {
  /** Reads the journal again. Call it at the start and after recording an entry. */
  wake(): void;
  stop(): void;
}

/** The mempool drops a transaction after 10 blocks, so the same bytes are sent again well before that. */
const blocksBetweenSends = 5;
/** A settled transaction is followed for this many more blocks, so that a reorg reopens it. */
const confirmations = 3;
/** Blocks with work on top of a transaction from which on it is proven, and after how many it stays as it is. */
const blocksForProof = 12;
const blocksWithoutProof = 20;
/** Milliseconds for which a mempool may keep a transaction that another node has refused; see {@link mempoolBlocks}. */
const mempoolLifetime = 650_000;

export function createOutbox(options: createOutbox.Options): Outbox {
  const { journal, service, follower, delivery, broadcast, now, since } = options;
  const { chainId } = service.network;
  /** Transactions that were seen in a block and have no receipt yet. */
  const unread = new Set<Hash>();
  /** Hashes of the newest blocks, by height. */
  const recentBlocks = new Map<number, Hash>();
  let unwatch: (() => void) | null = null;
  let blocksSinceSend = 0;
  let wakes = 0;
  let stopped = false;
  let hasCheckedEarlier = false;

  const entriesOfChain = async () => (await journal.entries()).filter((entry) => entry.chainId === chainId);
  /** Height of the newest processed block, which may be below the follower's head. */
  const height = () => Math.max(0, ...recentBlocks.keys());
  const mayBeSent = createSendCheck({ journal, service, since, now });
  const rebroadcast = createRebroadcast({
    journal,
    service,
    delivery,
    broadcast,
    mayBeSent,
    onMined: (entry, entries) => replaceOthers(entry, entries),
    height,
    now,
  });

  /** Whether a new block or a reorg may still change the entry. */
  const needsWatching = (entry: JournalEntry): boolean => {
    if (isOpen(entry) && entry.held !== 'page') return isPending(entry, now());
    if (entry.state === 'refused' || entry.state === 'abandoned' || entry.held === 'page')
      return (
        now() - entry.createdAt < mempoolLifetime &&
        height() - Number(entry.anchor?.number ?? 0) < mempoolBlocks
      );
    return depthOf(entry) < (mayBeProven(entry) ? blocksWithoutProof : confirmations);
  };

  /** How many blocks are on top of its block, Infinity for one in none. */
  const depthOf = ({ blockNumber }: JournalEntry): number =>
    blockNumber === undefined ? Number.POSITIVE_INFINITY : height() - Number(blockNumber);

  const mayBeProven = (entry: JournalEntry): boolean =>
    service.verification !== undefined && isMined(entry) && entry.proven === undefined;

  /** Holds the mined transactions against Bitcoin's work, once there is enough on top of them. Never rejects. */
  const prove = async (entries: readonly JournalEntry[]): Promise<void> => {
    for (const entry of entries) {
      const { hash, blockHash } = entry;
      const depth = depthOf(entry);
      if (!blockHash || !mayBeProven(entry) || depth < blocksForProof || depth >= blocksWithoutProof)
        continue;
      try {
        const found = await (await service.verification?.())?.verdictOf(hash, blocksForProof);
        if (found?.verdict === 'proven' && found.confirmations >= blocksForProof)
          await journal.change(entry, proven(blockHash));
      } catch {
        // The service or the storage failed: the next block is another chance.
      }
    }
  };

  const onStep: Follower.Listener = async ({ removed, added, missed }) => {
    const wakesBefore = wakes;
    const entries = await entriesOfChain();
    for (const { number } of removed) recentBlocks.delete(Number(number));
    for (const { number, hash } of added) if (hash !== null) recentBlocks.set(Number(number), hash);
    await reopenOrphans(entries);
    for (const block of added) await recordIncluded(entries, block);
    blocksSinceSend += added.length;
    const after = await entriesOfChain();
    const isUrgent = after.some(({ state, hash }) => state === 'signed' || rebroadcast.isSuspect(hash));
    // Not awaited: a slow node must not delay the processing of blocks.
    void prove(after);
    if (missed !== undefined || blocksSinceSend >= blocksBetweenSends) {
      blocksSinceSend = 0;
      void rebroadcast.run('all');
    } else if (isUrgent && added.length > 0) void rebroadcast.run('signed');
    if (wakesBefore === wakes && !rebroadcast.isRunning() && !after.some(needsWatching)) unwatchHead();
  };

  /**
   * Reopens transactions whose block is not on the chain (any more). The block is compared with the present one at its
   * height, because a receipt may come from a node on a fork that the follower never saw.
   */
  const reopenOrphans = async (entries: readonly JournalEntry[]) => {
    const lowest = height() - (service.verification ? blocksWithoutProof : 2 * confirmations);
    for (const number of recentBlocks.keys()) if (number < lowest) recentBlocks.delete(number);
    for (const entry of entries) {
      const { blockHash, blockNumber } = entry;
      if (!blockHash || !blockNumber) continue;
      const present = recentBlocks.get(Number(blockNumber));
      if (present !== undefined && present !== blockHash) await journal.change(entry, reopened(blockHash));
    }
  };

  /** Reads the receipts of journaled transactions in a block, whatever their state. */
  const recordIncluded = async (
    entries: readonly JournalEntry[],
    { hash: blockHash, transactions }: Block,
  ) => {
    const inBlock = new Set(transactions.map((item) => (typeof item === 'string' ? item : item.hash)));
    for (const entry of entries) {
      if (!inBlock.has(entry.hash) && !unread.has(entry.hash)) continue;
      if (isMined(entry) && entry.blockHash === blockHash) continue;
      unread.add(entry.hash);
      await checkReceipt(entry, entries);
    }
  };

  /** Reads the receipt of an entry. A mined transaction replaces the others with its nonce. */
  const checkReceipt = async (entry: JournalEntry, entries: readonly JournalEntry[]): Promise<void> => {
    const after = await delivery.check(entry, service);
    if (isMined(after)) await replaceOthers(after, entries);
  };

  const replaceOthers = async (mined: JournalEntry, entries: readonly JournalEntry[]) => {
    const { hash, blockHash, blockNumber } = mined;
    unread.delete(hash);
    if (!blockHash || !blockNumber) return;
    for (const other of entries)
      if (other.hash !== hash && haveSameNonce(other, mined))
        await journal.change(other, replaced({ hash, blockHash, blockNumber }));
  };

  /** Reads the receipts of transactions that may have been mined before the first followed block. */
  const checkEarlier = async () => {
    const entries = await entriesOfChain();
    for (const entry of entries) {
      if (entry.held === 'other-chain') await mayBeSent(entry).catch(() => false);
      else if (entry.state === 'sent' || entry.maybeSent || isUnproven(entry, now()))
        await checkReceipt(entry, entries);
    }
    if ((await entriesOfChain()).some(({ state }) => state === 'signed')) await rebroadcast.run('all');
  };

  const begin = async () => {
    const entries = await entriesOfChain();
    if (stopped || unwatch !== null) return;
    const isIdle = !entries.some(needsWatching);
    const mayHaveChanged = (entry: JournalEntry) =>
      isUnproven(entry, now()) || (entry.held !== undefined && entry.held !== 'page');
    if (isIdle && (hasCheckedEarlier || !entries.some(mayHaveChanged))) return;
    hasCheckedEarlier = true;
    if (!isIdle) unwatch = follower.watch(onStep);
    await follower.catchUp().catch(() => {});
    const head = follower.head();
    if (head) recentBlocks.set(Number(head.number), head.hash);
    await checkEarlier();
    // The check may have released a held transaction.
    if (isIdle && !stopped && (await entriesOfChain()).some(needsWatching))
      unwatch ??= follower.watch(onStep);
  };

  const unwatchHead = () => {
    unwatch?.();
    unwatch = null;
    rebroadcast.clear();
    unread.clear();
    recentBlocks.clear();
  };

  return {
    wake() {
      if (stopped) return;
      wakes++;
      begin().catch(() => {
        // The storage failed: open transactions stay open, and the next wake reads the journal again.
      });
    },
    stop() {
      stopped = true;
      rebroadcast.stop();
      unwatchHead();
    },
  };
}

export declare namespace createOutbox {
  interface Options
    extends createSendCheck.Options,
      Pick<createRebroadcast.Options, 'delivery' | 'broadcast'> {
    readonly follower: Follower;
  }
}
