import type { PermittedTransaction } from '../approvals/cover.js';
import { own } from '../rpc/own.js';
import type { Address, Hash } from '../rpc/schema.js';
import type { Journal } from '../transactions/journal.js';
import type { JournalEntry } from '../transactions/journal-entry.js';
import type { Accounted, CountedTransactions } from './accounting.js';
import type { LedgerCheckpoint } from './checkpoint.js';
import { costAsBefore, costUnder } from './coverage.js';
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
  const seen = new Map<bigint, 'pending' | 'mined'>();
  const accounted: Accounted[] = [];
  for (const entry of entries) {
    const nonce = BigInt(entry.nonce);
    if (nonce < granted || isFolded(nonce)) continue;
    const read = await ledger.read(entry);
    if (!read) continue;
    accounted.push(read);
    if (read.settled || read.isSeen || witness.hasMined(entry.hash)) seen.set(read.nonce, 'mined');
    else if (!seen.has(read.nonce) && witness.hasPending(read.nonce, entry.hash))
      seen.set(read.nonce, 'pending');
  }
  for (const [nonce, transaction] of found) {
    if (isFolded(nonce) || seen.get(nonce) === 'mined') continue;
    accounted.push(...accountFound(grant, nonce, transaction));
    seen.set(nonce, 'mined');
  }
  return {
    ...{ accounted, folded, first, next },
    explains: (nonce, isUsed) => isFolded(nonce) || (isUsed ? seen.get(nonce) === 'mined' : seen.has(nonce)),
  };
}

/** Knowledge of the chain that this page has got itself. */
export interface Witness {
  /** Whether it has seen a transaction mined. */
  hasMined(hash: Hash): boolean;
  /** Whether the node has a transaction, or this page has signed none with its nonce after it. */
  hasPending(nonce: bigint, hash: Hash): boolean;
}

/** Counts a transaction without an entry, which may be of another device, if the permission would cover it. */
export function accountFound(
  grant: Grant,
  nonce: bigint,
  transaction: PermittedTransaction,
): readonly Accounted[] {
  if (nonce < BigInt(grant.firstNonce)) return [];
  const cost = costUnder(grant, transaction) ?? costAsBefore(grant, transaction);
  return cost ? [own({ nonce, permission: grant.context, period: 0, ...cost, isFound: true })] : [];
}

/** Seals that an account's entries were seen mined, for pages that come after this one. Never rejects. */
export async function sealSeen(
  chainId: number,
  account: Address,
  { journal, ledger, witness }: sealSeen.Options,
): Promise<void> {
  try {
    for (const entry of await journal.entriesOf(chainId, account)) {
      const { hash, ledger: mark } = entry;
      if (!mark || mark.mined || mark.settled || !witness.hasMined(hash)) continue;
      if (!(await ledger.read(entry))) continue;
      const { mined } = await ledger.see({ ...entry, ledger: mark });
      await journal.change(entry, (current) =>
        current.ledger?.mac === mark.mac ? { ...current, ledger: { ...current.ledger, mined } } : null,
      );
    }
  } catch {
    // The storage failed: the next page asks the node.
  }
}

export declare namespace sealSeen {
  interface Options {
    readonly journal: Journal;
    readonly ledger: Ledger;
    readonly witness: Pick<Witness, 'hasMined'>;
  }
}

export declare namespace readHistory {
  interface Sources {
    /** The journal's entries of the account. */
    readonly entries: readonly JournalEntry[];
    readonly checkpoint: LedgerCheckpoint | null;
    /** Transactions of nonces that the journal does not explain, as found on the chain. */
    readonly found: ReadonlyMap<bigint, PermittedTransaction>;
    readonly witness: Witness;
    readonly ledger: Pick<Ledger, 'read'>;
  }
}
