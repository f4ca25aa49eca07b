import type { Address } from '../rpc/schema.js';

/** A decoded token call. Amounts are decimal strings of base units. */
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
 * A token contract and what it reports about itself, which the service may forge. Fields that could not be read are
 * absent; `supply` and `balance` are read for allowances only.
 */
export interface TokenLabel {
  readonly address: Address;
  readonly symbol?: string;
  readonly decimals?: number;
  /** Symbol and decimals come from this wallet's own list, not from the contract. */
  readonly known?: true;
  /** The symbol of a token that this wallet knows, or of the chain's coin, which this other contract bears as well. */
  readonly imitates?: string;
  /** Base units, decimal. */
  readonly supply?: string;
  /** The owner's balance, base units, decimal. */
  readonly balance?: string;
}
