import type { PermittedTransaction } from '../approvals/cover.js';
import { isMined, type JournalEntry } from '../transactions/journal-entry.js';
import type { Accounted, CountedTransactions } from './accounting.js';
import type { LedgerCheckpoint } from './checkpoint.js';
import { costUnder } from './coverage.js';
import type { Grant } from './grant.js';
import type { Ledger } from './ledger.js';

/** Blocks on top of a transaction from which on its cost is taken as final. */
export const settledDepth = 12;

/** The transactions of an account since a permission was granted, as far as they are known. */
export interface History extends CountedTransactions {
  /** The first nonce that is known in any way. */
  readonly first: bigint;
  /** The first one that no checkpoint has. */
  readonly next: bigint;
  /**
   * Whether the transaction of a nonce is known. One that the chain has used is explained by a transaction that is known to be
   * mined, any other by one that can be.
   */
  explains(nonce: bigint, isUsed: boolean): boolean;
}

/** Reads an account's transactions: by the marks of its entries, by its checkpoint, and as found on the chain. */
export async function readHistory(
  grant: Grant,
  { entries, checkpoint, found, ledger }: readHistory.Sources,
): Promise<History> {
  const granted = BigInt(grant.firstNonce);
  // An older one ends before the permission was granted.
  const past = checkpoint && checkpoint.next >= granted ? checkpoint : null;
  const { first, next, folded } = past ?? { first: granted, next: granted, folded: [] };
  const marked = new Map<bigint, 'signed' | 'mined'>();
  const accounted: Accounted[] = [];
  for (const entry of entries) {
    if (BigInt(entry.nonce) < next) continue;
    const read = await ledger.read(entry);
    if (!read) continue;
    accounted.push(read);
    if (marked.get(read.nonce) !== 'mined') marked.set(read.nonce, isMined(entry) ? 'mined' : 'signed');
  }
  for (const [nonce, transaction] of found) {
    if (nonce < next || marked.get(nonce) === 'mined') continue;
    accounted.push(...accountFound(grant, nonce, transaction));
    marked.set(nonce, 'mined');
  }
  const isFolded = (nonce: bigint) => nonce >= first && nonce < next;
  return {
    ...{ accounted, folded, first, next },
    explains: (nonce, isUsed) =>
      isFolded(nonce) || marked.get(nonce) === 'mined' || (!isUsed && marked.has(nonce)),
  };
}

/** Counts a transaction without an entry, which may be of another device, if the permission would cover it. */
export function accountFound(
  grant: Grant,
  nonce: bigint,
  transaction: PermittedTransaction,
): readonly Accounted[] {
  const cost = costUnder(grant, transaction);
  return cost ? [{ nonce, permission: grant.context, period: 0, ...cost }] : [];
}

export declare namespace readHistory {
  interface Sources {
    /** The journal's entries of the account. */
    readonly entries: readonly JournalEntry[];
    readonly checkpoint: LedgerCheckpoint | null;
    /** Transactions of nonces that the journal does not explain, as found on the chain. */
    readonly found: ReadonlyMap<bigint, PermittedTransaction>;
    readonly ledger: Pick<Ledger, 'read'>;
  }
}
