import type { Address, Hex } from '../rpc/schema.js';
import type { DecodedCall, TokenLabel } from './decoded-call.js';

/**
 * What a signature over typed data lets somebody do, beside the allowances that `Permit` describes. Amounts and ids
 * are base units and numbers, decimal strings; times are unix seconds, decimal strings.
 */
export type Right = TransferRight | CollectibleRight | CollectionRight | CallRight | OrderRight | OtherRight;

/** EIP-3009: tokens of the signer move once, to `to`, when somebody hands the signature in. */
export interface TransferRight {
  readonly kind: 'transfer';
  readonly to: Address;
  readonly token: TokenLabel;
  readonly amount: string;
  readonly deadline: string | null;
}

/** ERC-4494: one collectible. */
export interface CollectibleRight {
  readonly kind: 'collectible';
  readonly spender: Address;
  readonly token: TokenLabel;
  readonly tokenId: string;
  readonly deadline: string | null;
}

/** Every token of a collection, now and later; not `approved`: the end of that right. */
export interface CollectionRight {
  readonly kind: 'collection';
  readonly operator: Address;
  readonly approved: boolean;
  readonly token: TokenLabel;
  readonly deadline: string | null;
}

/**
 * A call that somebody else sends and that counts as the signer's: by a forwarder (EIP-2771, RIF Relay, Biconomy), or
 * by a Safe that the signer owns.
 */
export interface CallRight {
  readonly kind: 'call';
  readonly by: 'forwarder' | 'safe';
  /** `null`: a contract is deployed. */
  readonly to: Address | null;
  /** wei */
  readonly value: string;
  readonly data: Hex;
  readonly call: DecodedCall | null;
  /** A Safe runs the code of `to` as its own: it may change anything in the Safe. */
  readonly delegated: boolean;
  readonly deadline: string | null;
}

/** Orders of an exchange: whoever accepts one takes what it gives, for what it asks. */
export interface OrderRight {
  readonly kind: 'orders';
  readonly count: number;
  readonly gives: readonly OrderItem[];
  /** What comes back to the signer. */
  readonly takes: readonly OrderItem[];
  readonly deadline: string | null;
}

export interface OrderItem {
  /** `null`: the network's own coins. */
  readonly token: TokenLabel | null;
  /** At most of what is given, at least of what comes back. */
  readonly amount: string;
  /** Of a collectible. */
  readonly tokenId?: string;
}

/** A form that is not known, which names somebody and what may be done or until when. */
export interface OtherRight {
  readonly kind: 'other';
  /** The fields that name somebody, such as `operator`. */
  readonly holders: readonly { readonly path: string; readonly address: Address }[];
}
