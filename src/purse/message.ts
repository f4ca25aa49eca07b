import type { PermissionTerms } from '../rpc/permission-terms.js';
import type { Address } from '../rpc/schema.js';

/** A message of the wallet's window to the wallet's frame that has opened it. No other document gets one. */
export type PurseMessage =
  /** Hands over the key of a purse. */
  | {
      readonly t: 'purse';
      readonly address: Address;
      readonly chainId: number;
      readonly terms: readonly PermissionTerms[];
      readonly key: Uint8Array;
    }
  /** The purse has ended, and the frame forgets its key. */
  | { readonly t: 'purse-ended'; readonly address: Address };
