import type { Hash } from '../rpc/schema.js';
import type { JournalEntry } from '../transactions/journal-entry.js';
import type { Accounted, CountedTransactions } from './accounting.js';
import type { LedgerCheckpoint } from './checkpoint.js';
import type { Grant } from './grant.js';
import type { Ledger } from './ledger.js';

/** The transactions of an account since a permission was granted, as far as they are known. */
export interface History extends CountedTransactions {
  /** The first nonce that is known in any way. */
  readonly first: bigint;
  /** The first one that no checkpoint has. */
  readonly next: bigint;
  /** Entries that this page has seen mined, and whose marks do not say so yet. */
  readonly unsealed: readonly JournalEntry[];
  /**
   * Whether the transaction of a nonce is known. Any script of the origin can delete an entry, or write that another one was sent or
   * mined: so a nonce that the chain has used is explained by a transaction that was seen mined, any other by one that the node
   * has or that this page has signed last.
   */
  explains(nonce: bigint, isUsed: boolean): boolean;
}

/** Reads an account's transactions: by the marks of its entries, by its checkpoint, and as found on the chain. */
export async function readHistory(
  grant: Grant,
  { entries, checkpoint, found, witness, ledger }: readHistory.Sources,
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
    const isSealed = read.isSeen || read.at !== null;
    const isSeen = witness.hasMined(entry);
    if (isSealed || isSeen) mined.add(nonce);
    if (isSeen && !isSealed) unsealed.push(entry);
    if (witness.hasPending(nonce, entry.hash)) pending.add(nonce);
  }
  for (const [nonce, accountedBy] of found) {
    if (isFolded(nonce) || mined.has(nonce)) continue;
    accounted.push(...accountedBy(grant));
    mined.add(nonce);
  }
  return {
    ...{ accounted, folded, first, next, unsealed },
    explains: (nonce, isUsed) => isFolded(nonce) || mined.has(nonce) || (!isUsed && pending.has(nonce)),
  };
}

/** Knowledge of an account's transactions on the chain that this page has got itself. */
export interface Witness {
  /** Whether it has seen a transaction mined. */
  hasMined(entry: JournalEntry): boolean;
  /** Whether the node has a transaction, or this page has signed none with its nonce after it. */
  hasPending(nonce: bigint, hash: Hash): boolean;
}

/** A transaction without an entry, which may be of another device, as a permission counts it: not at all if it would not cover it. */
export type FoundTransaction = (grant: Grant) => readonly Accounted[];

export declare namespace readHistory {
  interface Sources {
    /** The journal's entries of the account. */
    readonly entries: readonly JournalEntry[];
    readonly checkpoint: LedgerCheckpoint | null;
    /** Transactions of nonces that the journal does not explain, as found on the chain. */
    readonly found: ReadonlyMap<bigint, FoundTransaction>;
    readonly witness: Witness;
    readonly ledger: Pick<Ledger, 'read'>;
  }
}
