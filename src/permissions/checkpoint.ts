import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Folded } from './accounting.js';
import type { Ledger } from './ledger.js';

/**
 * The transactions of an account with the nonces from `first` to below `next`, added up, so that their entries need not be read any
 * more. A script that writes the storage can delete it, or put an older one back, and can make none: an older one explains fewer
 * nonces, and the entries of the others are needed again.
 */
export interface LedgerCheckpoint {
  readonly first: bigint;
  readonly next: bigint;
  readonly folded: readonly Folded[];
}

/** A checkpoint as it is stored. */
export interface StoredCheckpoint {
  /** JSON of {@link WrittenCheckpoint}. */
  readonly text: string;
  /** HMAC-SHA-256 over the text with chain and account. */
  readonly mac: Hex;
}

/** A checkpoint in JSON. */
export interface WrittenCheckpoint {
  readonly first: Hex;
  readonly next: Hex;
  readonly folded: readonly (Omit<Folded, 'amount' | 'fees'> & {
    readonly amount: Hex;
    readonly fees: Hex;
  })[];
}

/** The text under the code of a checkpoint, which is of one account. Its kind names the form of the JSON as well. */
export const sealedTextOf = (chainId: number, account: Address, text: string): string =>
  JSON.stringify(['graft/checkpoint/2', chainId, account, text]);

/** Reads what is stored, of whatever type; `null` for none of this account, or none that the ledger's key has made. */
export async function readCheckpoint(
  stored: unknown,
  chainId: number,
  account: Address,
  ledger: Pick<Ledger, 'isSealed'>,
): Promise<LedgerCheckpoint | null> {
  const { text, mac } = own(Object(stored) as Partial<StoredCheckpoint>);
  if (typeof text !== 'string' || !(await ledger.isSealed(sealedTextOf(chainId, account, text), mac)))
    return null;
  try {
    const { first, next, folded } = JSON.parse(text) as WrittenCheckpoint;
    return {
      ...{ first: BigInt(first), next: BigInt(next) },
      folded: folded.map((each) => ({ ...each, amount: BigInt(each.amount), fees: BigInt(each.fees) })),
    };
  } catch {
    // While the keys are locked nothing is checked, and anything can be stored.
    return null;
  }
}
