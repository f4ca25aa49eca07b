import { isQuantityResult } from '../rpc/results.js';
import type { Hash, Hex } from '../rpc/schema.js';
import { reasonOf } from '../service/errors.js';
import type { Service } from '../service/service.js';
import type { Broadcast } from './broadcast.js';
import type { Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import { haveSameNonce, holdOf, isMined, isOpen, type JournalEntry } from './journal-entry.js';
import { dearest, slots } from './nonces.js';
import { deferred, refused, replaced } from './transitions.js';

/** Sends the open transactions of one chain again, and settles those whose nonce the chain has used. */
export interface Rebroadcast {
  /**
   * Once at a time: what is asked for meanwhile is done once more afterwards. Never rejects.
   * @param which all, or only those that no pool is known to hold
   */
  run(which: 'all' | 'signed'): Promise<void>;
  isRunning(): boolean;
  /** The nonce of this transaction is used, and nobody has shown by what: it is looked at in each block. */
  isDoubted(hash: Hash): boolean;
  /** Forgets what was observed. */
  clear(): void;
  stop(): void;
}

/** Blocks after which no pool holds a transaction any more that nodes refuse: a pool drops it after ten. */
export const poolBlocks = 12;
/** Milliseconds. */
const aMinute = 60_000;
/** Without the rival itself a used nonce is proven by the missing receipt, at so many heads, over so many blocks. */
const headsForProof = 3;
const blocksToReplace = 6;

/** The heights at which something was seen of a transaction that one sight does not prove. */
type Observed = Map<Hash, Set<number>>;

export function createRebroadcast(options: createRebroadcast.Options): Rebroadcast {
  const { journal, service, delivery, broadcast, mayBeSent, mined, height, now } = options;
  const refusals: Observed = new Map();
  const absences: Observed = new Map();
  let sending: Promise<void> | null = null;
  let wanted: 'all' | 'signed' | null = null;
  let stopped = false;

  /** Notes a sight at the present height. @returns whether it was seen at enough heights, far enough apart */
  const observe = (seen: Observed, hash: Hash, span: number): boolean => {
    const heights = (seen.get(hash) ?? new Set()).add(height());
    seen.set(hash, heights);
    return heights.size >= headsForProof && Math.max(...heights) - Math.min(...heights) >= span;
  };

  const run = async (which: 'all' | 'signed'): Promise<void> => {
    if (sending !== null) {
      wanted = wanted === 'all' ? 'all' : which;
      return sending;
    }
    sending = sendAgain(which).finally(() => {
      sending = null;
    });
    await sending.catch(() => {
      // The storage does not answer: the next step tries again.
    });
    const next = wanted;
    wanted = null;
    if (next && !stopped) await run(next);
  };

  /**
   * Asks how many nonces of each account are used, and sends those that are not again, in the order of their nonces:
   * all, or only what no pool is known to hold. What the chain takes only later is not sent before.
   */
  const sendAgain = async (which: 'all' | 'signed') => {
    const entries = (await journal.entries()).filter(({ chainId }) => chainId === service.network.chainId);
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
        if (BigInt(entry.nonce) < used) {
          await settle(entry, entries);
          continue;
        }
        // Another node contradicts who said that the nonce is used.
        absences.delete(entry.hash);
        if (BigInt(entry.nonce) >= used + slots) await postpone(entry);
        else if ((which === 'signed' && entry.state === 'sent') || !isDearest(entry, open)) continue;
        else await offer(entry);
      } catch {
        // Not answered now: the entry stays open, and the next round asks again.
      }
    }
  };

  const isDearest = (entry: JournalEntry, open: readonly JournalEntry[]) =>
    dearest(open.filter((other) => haveSameNonce(other, entry)))?.hash === entry.hash;

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
    const after = await delivery.resolve(entry, service, 1);
    if (isMined(after)) await mined(after, entries);
    else if (isOpen(after) && observe(absences, entry.hash, blocksToReplace))
      await journal.change(entry, replaced());
    if (!isOpen(after)) absences.delete(entry.hash);
  };

  const offer = async (entry: JournalEntry) => {
    // A dearer one may have been signed since the journal was read.
    const open = (await journal.entriesOf(entry.chainId, entry.from)).filter(isOpen);
    if (!isDearest(entry, open)) return;
    const { entry: after, isAccepted, refusal } = await delivery.send(entry, service);
    if (isAccepted || !refusal || !isOpen(after)) {
      refusals.delete(entry.hash);
      return;
    }
    // A dearer transaction with its nonce is in the pool: one of the two will be mined.
    const reason = reasonOf(refusal);
    if (reason === 'replacement-underpriced' || reason === 'nonce-too-low') return;
    if (observe(refusals, entry.hash, poolBlocks))
      await journal.change(entry, refused(refusal.message, true));
  };

  return {
    run,
    isRunning: () => sending !== null,
    isDoubted: (hash) => absences.has(hash),
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
    /** The one that `delivery` sends with: what it is sending is not asked about meanwhile. */
    readonly broadcast: Broadcast;
    /** @throws ProviderRpcError as the service's request */
    readonly mayBeSent: (entry: JournalEntry) => Promise<boolean>;
    /** Settles the others of `entries` that have the nonce of a mined one. */
    readonly mined: (entry: JournalEntry, entries: readonly JournalEntry[]) => Promise<void>;
    /** Of the chain. */
    readonly height: () => number;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
