import type { Hash } from '../rpc/schema.js';
import type { JournalEntry } from '../transactions/journal-entry.js';
import { type Accounted, type Cost, type CountedTransactions, isUnder } from './accounting.js';
import type { LedgerCheckpoint } from './checkpoint.js';
import type { Grant } from './grant.js';
import type { Ledger } from './ledger.js';
import { isFinal, isInChain, type Sightings } from './sightings.js';

/** The transactions of an account since a permission was granted, as far as they are known. */
export interface History extends CountedTransactions {
  /** The first nonce that is known in any way. */
  readonly first: bigint;
  /** The first one that no checkpoint has. */
  readonly next: bigint;
  /** Entries that were seen mined with twelve blocks on top, and whose marks do not say so yet. */
  readonly unsealed: readonly JournalEntry[];
  /**
   * Whether the transaction of a nonce is known. Any script of the origin can delete an entry, or write that another one was sent or
   * mined: so a nonce that the chain has used is explained by a transaction that was seen mined, any other by one that a node
   * has.
   */
  explains(nonce: bigint, isUsed: boolean): boolean;
}

/** Reads an account's transactions: by the marks of its entries, by its checkpoint, and as found on the chain. */
export async function readHistory(
  grant: Grant,
  { entries, checkpoint, seen, head, claim, ledger }: readHistory.Sources,
): Promise<History> {
  const granted = BigInt(grant.firstNonce);
  // An older one ends before the permission was granted.
  const past = checkpoint && checkpoint.next >= granted ? checkpoint : null;
  const { first, next, folded } = past ?? { first: granted, next: granted, folded: [] };
  const isFolded = (nonce: bigint) => nonce >= first && nonce < next;
  const mined = new Set<bigint>();
  const pending = new Set<bigint>();
  const accounted: Accounted[] = [];
  const unsealed: JournalEntry[] = [];
  for (const entry of entries) {
    const nonce = BigInt(entry.nonce);
    if (nonce < granted || isFolded(nonce)) continue;
    const read = await ledger.read(entry);
    if (!read) continue;
    accounted.push(read);
    // Two permissions sign the same bytes for the same payment: then a script can show each of them the mark of the other one.
    if (read.permission !== null && !isUnder(grant, read.permission)) {
      const cost = await claim(grant, entry);
      if (cost === undefined) continue;
      if (cost) accounted.push({ ...read, ...cost, permission: grant.context, period: 0, isClaim: true });
    }
    const isSealed = read.isSeen || read.at !== null;
    const last = seen.pending.get(nonce);
    if (isSealed || isInChain(seen, entry.hash, head)) mined.add(nonce);
    if (!isSealed && isFinal(seen, entry.hash)) unsealed.push(entry);
    if (last?.hash === entry.hash && last.isThere()) pending.add(nonce);
  }
  for (const [nonce, accountedBy] of seen.found) {
    if (isFolded(nonce) || mined.has(nonce)) continue;
    accounted.push(...accountedBy(grant));
    mined.add(nonce);
  }
  return {
    ...{ accounted, folded, first, next, unsealed },
    explains: (nonce, isUsed) => isFolded(nonce) || mined.has(nonce) || (!isUsed && pending.has(nonce)),
  };
}

/** Transactions of an account that this page has seen. */
export interface Seen extends Sightings {
  /** By nonce: the one that it has signed last, or that a node has shown. */
  readonly pending: Map<bigint, PendingTransaction>;
  /** Transactions of nonces that the journal does not explain, as found on the chain. */
  readonly found: Map<bigint, FoundTransaction>;
}

export interface PendingTransaction {
  readonly hash: Hash;
  /** When it was signed, or shown by a node. Milliseconds since 1970. */
  readonly at: number;
  /** Whether a node has shown that it has it, or has taken its bytes from this page, a short time ago. */
  readonly isThere: () => boolean;
}

/** A transaction without an entry, which may be of another device, as a permission counts it: not at all if it would not cover it. */
export type FoundTransaction = (grant: Grant) => readonly Accounted[];

export declare namespace readHistory {
  interface Sources {
    /** The journal's entries of the account. */
    readonly entries: readonly JournalEntry[];
    readonly checkpoint: LedgerCheckpoint | null;
    readonly seen: Seen;
    /** Hash of the newest block. With `null` only transactions with twelve blocks on top count as mined. */
    readonly head: Hash | null;
    /**
     * The cost to a permission of an entry that is marked for another one; `null` where it would not cover it, and `undefined`
     * where the signed bytes are not there.
     */
    readonly claim: (grant: Grant, entry: JournalEntry) => Promise<Cost | null | undefined>;
    readonly ledger: Pick<Ledger, 'read'>;
  }
}
