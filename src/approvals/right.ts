import type { Address, Hex } from '../rpc/schema.js';
import type { DecodedCall, TokenLabel } from './decode-call.js';

/**
 * A right that a signature over typed data gives to somebody, other than the allowances in `Permit`. Amounts (base
 * units), ids and times (unix seconds) are decimal strings.
 */
export type Right = TransferRight | CollectibleRight | CollectionRight | CallRight | OrderRight | OtherRight;

/** EIP-3009: anybody with the signature can transfer the amount from the signer to `to`, once. */
export interface TransferRight {
  readonly kind: 'transfer';
  readonly to: Address;
  readonly token: TokenLabel;
  readonly amount: string;
  readonly deadline: string | null;
}

/** ERC-4494: `spender` may transfer one collectible. */
export interface CollectibleRight {
  readonly kind: 'collectible';
  readonly spender: Address;
  readonly token: TokenLabel;
  readonly tokenId: string;
  readonly deadline: string | null;
}

/** `operator` may transfer every token of a collection, now and later. Not `approved`: that right ends. */
export interface CollectionRight {
  readonly kind: 'collection';
  readonly operator: Address;
  readonly approved: boolean;
  readonly token: TokenLabel;
  readonly deadline: string | null;
}

/**
 * A call that somebody else sends in the signer's name: through a forwarder (EIP-2771, RIF Relay, Biconomy), or from a
 * Safe that the signer owns.
 */
export interface CallRight {
  readonly kind: 'call';
  readonly by: 'forwarder' | 'safe';
  /** `null` for the deployment of a contract. */
  readonly to: Address | null;
  /** wei */
  readonly value: string;
  readonly data: Hex;
  readonly call: DecodedCall | null;
  /** The Safe runs the code of `to` as its own (delegatecall), which may change anything in the Safe. */
  readonly delegated: boolean;
  readonly deadline: string | null;
}

/** Orders on an exchange: who fills one takes `gives`, and must deliver `takes`. */
export interface OrderRight {
  readonly kind: 'orders';
  readonly count: number;
  readonly gives: readonly OrderItem[];
  /** What the signer receives. */
  readonly takes: readonly OrderItem[];
  readonly deadline: string | null;
}

export interface OrderItem {
  /** `null` for the native currency. */
  readonly token: TokenLabel | null;
  /** In smallest units: at most this much of what the signer gives, at least this much of what it receives. */
  readonly amount: string;
  /** For a collectible. */
  readonly tokenId?: string;
}

/** An unknown form that names an address, and an amount or a deadline. */
export interface OtherRight {
  readonly kind: 'other';
  /** The fields that name an address which may act, such as `operator`. */
  readonly holders: readonly { readonly path: string; readonly address: Address }[];
}
