import type { Address, Hex } from '../rpc/schema.js';
import type { DecodedCall, TokenLabel } from './decode-call.js';

/**
 * A right that a signature over typed data gives to somebody, other than the allowances in `Permit`. Amounts (base
 * units), ids and times (unix seconds) are decimal strings.
 */
export type Right = TransferRight | CollectibleRight | CollectionRight | CallRight | OrderRight | OtherRight;

/** EIP-3009: anybody with the signature can transfer the amount from the signer to `to`, once. */
export interface TransferRight {
  /** Which right this is. */
  readonly kind: 'transfer';
  /** Who gets the tokens. */
  readonly to: Address;
  /** The token. */
  readonly token: TokenLabel;
  /** Base units, decimal. */
  readonly amount: string;
  /** Unix seconds, decimal; `null` for none. */
  readonly deadline: string | null;
}

/** ERC-4494: `spender` may transfer one collectible. */
export interface CollectibleRight {
  /** Which right this is. */
  readonly kind: 'collectible';
  /** Who may transfer it. */
  readonly spender: Address;
  /** The collection. */
  readonly token: TokenLabel;
  /** Decimal. */
  readonly tokenId: string;
  /** Unix seconds, decimal; `null` for none. */
  readonly deadline: string | null;
}

/** `operator` may transfer every token of a collection, now and later. Not `approved`: that right ends. */
export interface CollectionRight {
  /** Which right this is. */
  readonly kind: 'collection';
  /** Who may transfer. */
  readonly operator: Address;
  /** Whether the right is given; `false` ends it. */
  readonly approved: boolean;
  /** The collection. */
  readonly token: TokenLabel;
  /** Unix seconds, decimal; `null` for none. */
  readonly deadline: string | null;
}

/**
 * A call that somebody else sends in the signer's name: through a forwarder (EIP-2771, RIF Relay, Biconomy), or from a
 * Safe that the signer owns.
 */
export interface CallRight {
  /** Which right this is. */
  readonly kind: 'call';
  /** Who makes the call: a forwarder contract, or a Safe. */
  readonly by: 'forwarder' | 'safe';
  /** `null` for the deployment of a contract. */
  readonly to: Address | null;
  /** wei */
  readonly value: string;
  /** The call's data. */
  readonly data: Hex;
  /** The decoded call where it is one of the common token calls, else `null`. */
  readonly call: DecodedCall | null;
  /** The Safe runs the code of `to` as its own (delegatecall), which may change anything in the Safe. */
  readonly delegated: boolean;
  /** Unix seconds, decimal; `null` for none. */
  readonly deadline: string | null;
}

/** Orders on an exchange: who fills one takes `gives`, and must deliver `takes`. */
export interface OrderRight {
  /** Which right this is. */
  readonly kind: 'orders';
  /** How many orders the signature covers. */
  readonly count: number;
  /** What the signer gives. */
  readonly gives: readonly OrderItem[];
  /** What the signer receives. */
  readonly takes: readonly OrderItem[];
  /** Unix seconds, decimal; `null` for none. */
  readonly deadline: string | null;
}

/** What one side of an order gives. */
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
  /** Which right this is. */
  readonly kind: 'other';
  /** The fields that name an address which may act, such as `operator`. */
  readonly holders: readonly { readonly path: string; readonly address: Address }[];
}
