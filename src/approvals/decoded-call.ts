import type { Address } from '../rpc/schema.js';

/** A call that could be decoded. Amounts are base units, decimal strings. */
export type DecodedCall =
  | { readonly name: 'transfer'; readonly to: Address; readonly amount: string; readonly token: TokenLabel }
  | {
      readonly name: 'transferFrom';
      readonly from: Address;
      readonly to: Address;
      readonly amount: string;
      readonly token: TokenLabel;
    }
  | {
      readonly name: 'approve' | 'increaseAllowance';
      readonly spender: Address;
      readonly amount: string;
      readonly unlimited: boolean;
      readonly token: TokenLabel;
    }
  | {
      readonly name: 'decreaseAllowance';
      readonly spender: Address;
      readonly amount: string;
      readonly token: TokenLabel;
    }
  | {
      readonly name: 'setApprovalForAll';
      readonly operator: Address;
      readonly approved: boolean;
      readonly token: TokenLabel;
    }
  | {
      readonly name: 'safeTransferFrom';
      readonly from: Address;
      readonly to: Address;
      readonly tokenId: string;
      /** ERC-1155 only */
      readonly amount?: string;
      readonly token: TokenLabel;
    };

/**
 * A token's contract. What it says of itself, through the service, is a claim: symbol, decimals, and for allowances
 * its supply and the owner's balance, in base units as decimal strings. Each only where it was answered.
 */
export interface TokenLabel {
  readonly address: Address;
  readonly symbol?: string;
  readonly decimals?: number;
  /** Symbol and decimals come from this wallet's own list. */
  readonly known?: true;
  readonly supply?: string;
  readonly balance?: string;
}
