import type { Address, Block, Hash, Hex } from '../rpc/schema.js';
import type { UnsignedTransaction } from '../rpc/transaction.js';
import type { Warning } from './warning.js';

/** A transaction to sign, without its nonce. */
export type PermittedTransaction = Omit<UnsignedTransaction, 'nonce' | 'maxPriorityFeePerGas'>;

/** The permissions of one site for one account on one chain, for one request. */
export interface Cover {
  /**
   * The context of a permission that covers all of these transactions; `null` where the person has to be asked. The keys must
   * be unlocked. Never rejects.
   */
  find(transactions: readonly PermittedTransaction[], facts: Cover.Facts): Promise<Hash | null>;
}

export declare namespace Cover {
  interface Site {
    readonly origin: string;
    readonly chainId: number;
    /** The account that pays. */
    readonly from: Address;
    /** The recipients and contracts of the transactions; `null` for a deployment. */
    readonly recipients: readonly (Address | null)[];
  }
  /** Facts about the transactions, found out before they would be shown. They can only keep them from being covered. */
  interface Facts {
    readonly warnings: readonly Warning[];
    /** The newest block. */
    readonly head: Block;
    /** The account's next nonce on the chain. */
    readonly latest: Hex;
    /** The nonces that they would get. */
    readonly nonces: readonly Hex[];
  }
}
