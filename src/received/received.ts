import type { Address, Hash, Hex } from '../rpc/schema.js';

/** A payment to an account of the wallet. */
export interface ReceivedPayment {
  /** The account that got it. */
  readonly account: Address;
  /** The sender, as the transaction or the token's contract names it. */
  readonly from: Address;
  /** The contract of the token; `null` for the chain's coin. */
  readonly token: Address | null;
  /** wei, or base units of the token; `0x1` for a collectible (ERC-721). */
  readonly amount: Hex;
  /** The id of a collectible, a QUANTITY. */
  readonly tokenId?: Hex;
  /** The hash of its transaction. */
  readonly transaction: Hash;
  /** The height of its block. */
  readonly blockNumber: Hex;
  /** The hash of its block. */
  readonly blockHash: Hash;
  /** The place of its log in the block; absent for the chain's coin. */
  readonly logIndex?: Hex;
}

/** A change of a balance in the chain's coin that no known payment explains: a contract paid, or another wallet used the key. */
export interface BalanceChange {
  /** The account whose balance changed. */
  readonly account: Address;
  /** wei, decimal; negative for what has left. */
  readonly amount: string;
  /** The first block in which it may have happened. */
  readonly fromBlock: Hex;
  /** The last one. */
  readonly toBlock: Hex;
}

/** A block, and its time. */
export interface Moment {
  /** The height of the block. */
  readonly blockNumber: Hex;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Why a payment may be meant to deceive.
 * - `nothing`: its amount is zero. Its sender may want to be copied from the list by mistake.
 * - `unlisted`: the wallet does not list its token, and no one here watches it: anyone can make a token of any name.
 * - `look-alike`: its sender begins and ends like an address that was paid from here, and is another one.
 */
export type Doubt = 'nothing' | 'unlisted' | 'look-alike';

/** A payment as the owner gets it. */
export interface ListedPayment extends ReceivedPayment {
  /** About when, milliseconds since 1970: between the times of two blocks that were read. */
  readonly at: number;
  /** Blocks on top of its own when the chain was read. */
  readonly confirmations: number;
  /** Why it may be meant to deceive; absent for any other. */
  readonly doubt?: Doubt;
}

/** A change as the owner gets it. */
export interface ListedChange extends BalanceChange {
  /** About the time of the first block in which it may have happened, milliseconds since 1970. */
  readonly from: number;
  /** About the time of the last one, milliseconds since 1970. */
  readonly to: number;
}

/** Payments to the accounts, and the blocks that were read for them. */
export interface Received {
  /** Oldest first. */
  readonly payments: readonly ListedPayment[];
  /** Oldest first. */
  readonly changes: readonly ListedChange[];
  /** The first block from which on everything is known, without a gap, to `until`; `null` if nothing could be read. */
  readonly since: Moment | null;
  /** The newest block that was read. */
  readonly until: Moment | null;
  /** Whether blocks between two visits are not read yet: what came in them is missing in the list. */
  readonly hasGap: boolean;
}
