import type { Address, Hex } from '../rpc/schema.js';
import type { DecodedCall, TokenLabel } from './decode-call.js';

/**
 * A right that a signature over typed data gives to somebody, other than the allowances in `Permit`. Amounts (base
 * units), ids and times (unix seconds) are decimal strings.
 */
export type Right =
  | TransferRight
  | CollectibleRight
  | CollectionRight
  | CallRight
  | CallsRight
  | OrderRight
  | OtherRight
  | UnclearRight;

/** EIP-3009: any holder of the signature can transfer the amount from the signer to `to`, once. */
export interface TransferRight {
  /** Which right this is. */
  readonly kind: 'transfer';
  /** Recipient of the tokens. */
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
  /** Address that may transfer the collectible. */
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
  /** Address that may transfer the tokens. */
  readonly operator: Address;
  /** Whether the right is given; `false` ends it. */
  readonly approved: boolean;
  /** The collection. */
  readonly token: TokenLabel;
  /** Unix seconds, decimal; `null` for none. */
  readonly deadline: string | null;
}

/**
 * A call that another party sends in the signer's name: through a forwarder (EIP-2771, RIF Relay, Biconomy), from a Safe that
 * the signer owns, or from a smart account (ERC-4337). `TypedDataQuestion.calls` has the calls inside it.
 */
export interface CallRight {
  /** Which right this is. */
  readonly kind: 'call';
  /** The caller: a forwarder contract, a Safe, or a smart account. */
  readonly by: CallsRight['by'];
  /** `null` for the deployment of a contract, and where the data does not say. */
  readonly to: Address | null;
  /** wei */
  readonly value: string;
  /** The call's data. */
  readonly data: Hex;
  /** The decoded call where it amounts to one of the common token calls, else `null`. */
  readonly call: DecodedCall | null;
  /** Whether the code of `to` runs as the caller's own (delegatecall), which may change anything in it. */
  readonly delegated: boolean;
  /** Unix seconds, decimal; `null` for none. */
  readonly deadline: string | null;
}

/** Several calls that another party sends in the signer's name. `TypedDataQuestion.calls` has them. */
export interface CallsRight {
  /** Which right this is. */
  readonly kind: 'calls';
  /** The caller: a forwarder contract, a Safe, or a smart account. */
  readonly by: 'forwarder' | 'safe' | 'account';
  /** Unix seconds, decimal; `null` for none. */
  readonly deadline: string | null;
}

/** Orders on an exchange: the party that fills one takes `gives`, and must deliver `takes`. */
export interface OrderRight {
  /** Which right this is. */
  readonly kind: 'orders';
  /** How many orders the signature covers. */
  readonly count: number;
  /** Items that the signer gives. */
  readonly gives: readonly OrderItem[];
  /** Items that the signer receives. */
  readonly takes: readonly OrderItem[];
  /** One of several orders gives something and takes nothing. */
  readonly free?: true | undefined;
  /** It may give more than is listed: there are too many items, or amounts whose token or side is not clear. */
  readonly more?: true | undefined;
  /** Unix seconds, decimal; `null` for none. */
  readonly deadline: string | null;
}

/** An item of one side of an order, or of a permit for several tokens. */
export interface OrderItem {
  /** `null` for the native currency. */
  readonly token: TokenLabel | null;
  /** In smallest units: at most this much of what the signer gives, at least this much of what it receives. */
  readonly amount: string;
  /** For a collectible. */
  readonly tokenId?: string | undefined;
  /** The amount is a number of collectibles, and the other side chooses which ones of the collection. */
  readonly any?: true | undefined;
}

/** An unknown form that gives a right: by its name, or by naming an address that may act. */
export interface OtherRight {
  /** Which right this is. */
  readonly kind: 'other';
  /** Fields whose address may act, such as `operator`; without such a field, those of every other address. */
  readonly holders: readonly NamedAddress[];
  /** No amount limits the right, and no end in the coming ten years. */
  readonly endless?: true | undefined;
}

/** A right of an unknown form, whose effect the wallet cannot determine. */
export interface UnclearRight {
  /** Which right this is. */
  readonly kind: 'unclear';
  /** The fields that name addresses other than the signer's and the contract's. */
  readonly holders: readonly NamedAddress[];
  /** It has an amount without a limit. */
  readonly endless?: true | undefined;
}

/** A field of typed data with the address that it names. */
export interface NamedAddress {
  /** For example `order.items[0].recipient`. */
  readonly path: string;
  /** Lower case. */
  readonly address: Address;
}
