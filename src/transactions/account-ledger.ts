import type { PermittedTransaction } from '../approvals/cover.js';
import type { Mutex } from '../async/mutex.js';
import type { Address, Block, Hash, Hex } from '../rpc/schema.js';
import type { JournalEntry } from './journal-entry.js';

/** By account: while it is held, no other tab of this browser chooses one of its nonces. Held for no request. */
export type NonceLocks = (chainId: number, from: Address) => Mutex;

/** Accounts for what is signed for an account that has permissions. Used under the lock of its nonces. */
export interface AccountLedger {
  /**
   * Checks for the last time whether a permission covers the transactions. It sends no request.
   * @returns the marks of their entries, or `null` if it does not, or not any more: then the person is asked
   */
  admit(signing: AccountLedger.Signing): Promise<AccountLedger.Admission | null>;
}

export declare namespace AccountLedger {
  interface Signing {
    readonly transactions: readonly PermittedTransaction[];
    readonly nonces: readonly Hex[];
    /** Context of the permission that covers them; absent where the person has agreed. */
    readonly permission: Hash | undefined;
    /** The journal's entries of the account. */
    readonly entries: readonly JournalEntry[];
    /** The newest block when they were prepared. */
    readonly head: Block;
    /** The account's next nonce on the chain, as it was read then. */
    readonly latest: Hex;
  }
  /** Adds the marks to the signed entries, which are in the order of the transactions. */
  type Admission = (entries: readonly JournalEntry[]) => Promise<readonly JournalEntry[]>;
}
