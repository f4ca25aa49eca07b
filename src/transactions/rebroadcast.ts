import type { Hash } from '../rpc/schema.js';
import { reasonOf } from '../service/errors/errors.js';
import type { Service } from '../service/service.js';
import type { Broadcast, Delivery } from './delivery.js';
import { deferred, type Journal, refused, replaced } from './journal.js';
import { haveSameNonce, isMined, isOpen, isPending, type JournalEntry } from './journal-entry.js';
import { highestPriced, maxNoncesAhead } from './nonces.js';
import { readQuantity } from './prepare.js';

/** Rebroadcasts the open transactions of one chain, and settles those whose nonce the chain has used. */
export interface Rebroadcast {
  /**
   * One run at a time: calls during a run cause one more run after it. Never rejects.
   * @param which all open transactions, or only those that no mempool is known to have
   */
  run(which: 'all' | 'signed'): Promise<void>;
  isRunning(): boolean;
  /** Whether the nonce of this transaction is used by an unknown transaction: check it again at each block. */
  isSuspect(hash: Hash): boolean;
  /** Drops all observations. */
  clear(): void;
  stop(): void;
}

/** Blocks after which no mempool has a refused transaction any more: mempools drop transactions after ten. */
export const mempoolBlocks = 12;
/** Milliseconds between two deferrals of a transaction that waits for earlier ones. */
const deferralInterval = 60_000;
/**
 * A transaction counts as replaced or refused without further proof when this was observed at so many heads, the first
 * and the last so many blocks apart.
 */
const headsForProof = 3;
const blocksToReplace = 6;

/** The heights at which something was observed, by transaction. */
type Observations = Map<Hash, Set<number>>;

export function createRebroadcast(options: createRebroadcast.Options): Rebroadcast {
  const { journal, service, delivery, broadcast, mayBeSent, onMined, height, now } = options;
  const refusals: Observations = new Map();
  /** The nonce was used, and neither this transaction nor the one that used it was found. */
  const absences: Observations = new Map();
  let running: Promise<void> | null = null;
  let nextRun: 'all' | 'signed' | null = null;
  let stopped = false;

  /** Adds the present height. @returns whether there are enough heights, at least `span` blocks apart */
  const observe = (observations: Observations, hash: Hash, span: number): boolean => {
    const heights = (observations.get(hash) ?? new Set()).add(height());
    observations.set(hash, heights);
    return heights.size >= headsForProof && Math.max(...heights) - Math.min(...heights) >= span;
  };

  const run = async (which: 'all' | 'signed'): Promise<void> => {
    if (running !== null) {
      nextRun = nextRun === 'all' ? 'all' : which;
      return running;
    }
    running = sendOpen(which).finally(() => {
      running = null;
    });
    await running.catch(() => {
      // The storage failed: the next block starts another run.
    });
    const next = nextRun;
    nextRun = null;
    if (next && !stopped) await run(next);
  };

  /**
   * Reads the next nonce of each account, settles the transactions below it, and sends the others in the order of their
   * nonces, except those that are too far ahead.
   */
  const sendOpen = async (which: 'all' | 'signed') => {
    const entries = (await journal.entries()).filter(({ chainId }) => chainId === service.network.chainId);
    const open = entries
      .filter((entry) => isPending(entry, now()))
      .sort((a, b) => Number(BigInt(a.nonce) - BigInt(b.nonce)));
    const counts = new Map<string, bigint>();
    /** Accounts with a transaction that is being sent for the first time: if it is refused, later ones must not be sent. */
    const waiting = new Set<string>();
    for (const entry of open) {
      if (stopped) return;
      if (broadcast.isInFlight(entry.raw)) {
        if (entry.state === 'signed') waiting.add(entry.from);
        continue;
      }
      if (waiting.has(entry.from)) continue;
      try {
        if (!(await mayBeSent(entry))) continue;
        const used = counts.get(entry.from) ?? (await countOf(entry.from));
        counts.set(entry.from, used);
        if (BigInt(entry.nonce) < used) {
          await settle(entry, entries);
          continue;
        }
        // This node does not count the nonce as used: earlier observations prove nothing.
        absences.delete(entry.hash);
        if (BigInt(entry.nonce) >= used + maxNoncesAhead) await defer(entry);
        else if ((which === 'signed' && entry.state === 'sent') || !isHighestPriced(entry, open)) continue;
        else await send(entry);
      } catch {
        // The request failed: the entry stays open until the next run.
      }
    }
  };

  const isHighestPriced = (entry: JournalEntry, open: readonly JournalEntry[]) =>
    highestPriced(open.filter((other) => haveSameNonce(other, entry)))?.hash === entry.hash;

  /** Keeps an entry that waits for earlier nonces from being held as `old`. */
  const defer = async (entry: JournalEntry) => {
    if (now() - Math.max(entry.createdAt, entry.deferredAt ?? 0) > deferralInterval)
      await journal.change(entry, deferred(now()));
  };

  const countOf = async (from: string) =>
    BigInt(await readQuantity(service, 'eth_getTransactionCount', [from, 'latest']));

  /** Settles an entry whose nonce is used: as mined, or as replaced once the other one is found or enough observed. */
  const settle = async (entry: JournalEntry, entries: readonly JournalEntry[]) => {
    const { entry: after, isFound } = await delivery.resolve(entry, service, 1);
    if (isMined(after)) await onMined(after, entries);
    if (isFound) absences.delete(entry.hash);
    else if (observe(absences, entry.hash, blocksToReplace)) {
      await journal.change(entry, replaced());
      absences.delete(entry.hash);
    }
  };

  const send = async (entry: JournalEntry) => {
    // A replacement may have been signed since the journal was read.
    const rivals = await journal.entriesOf(entry.chainId, entry.from, entry.nonce);
    if (
      !isHighestPriced(
        entry,
        rivals.filter((rival) => isPending(rival, now())),
      )
    )
      return;
    const { entry: after, isAccepted, refusal } = await delivery.send(entry, service);
    if (isAccepted || !refusal || !isOpen(after)) {
      refusals.delete(entry.hash);
      return;
    }
    // A transaction with the same nonce and a higher price is in the mempool, or mined: wait for its block.
    const reason = reasonOf(refusal);
    if (reason === 'replacement-underpriced' || reason === 'nonce-too-low') return;
    if (observe(refusals, entry.hash, mempoolBlocks))
      await journal.change(entry, refused(refusal.message, true));
  };

  return {
    run,
    isRunning: () => running !== null,
    isSuspect: (hash) => absences.has(hash),
    clear() {
      refusals.clear();
      absences.clear();
    },
    stop() {
      stopped = true;
    },
  };
}

export declare namespace createRebroadcast {
  interface Options {
    readonly journal: Journal;
    readonly service: Service;
    readonly delivery: Delivery;
    /** The one that `delivery` uses, to skip transactions in flight. */
    readonly broadcast: Broadcast;
    /** Whether an entry belongs to this chain. @throws ProviderRpcError as the service's request */
    readonly mayBeSent: (entry: JournalEntry) => Promise<boolean>;
    /** Called with a mined entry, to settle those of `entries` with the same nonce. */
    readonly onMined: (entry: JournalEntry, entries: readonly JournalEntry[]) => Promise<void>;
    /** Height of the newest processed block. */
    readonly height: () => number;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
