import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
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
interface Stored {
  readonly text: string;
  /** HMAC-SHA-256 over `text`. */
  readonly mac: Hex;
}

const kind = 'graft/checkpoint/1';

export async function writeCheckpoint(
  { first, next, folded }: LedgerCheckpoint,
  chainId: number,
  account: Address,
  ledger: Pick<Ledger, 'seal'>,
): Promise<Stored> {
  const rows = folded.map(({ permission, uses, period, at, amount, fees }) => [
    ...[permission, uses, period, at],
    ...[toQuantity(amount), toQuantity(fees)],
  ]);
  const text = JSON.stringify([kind, chainId, account, toQuantity(first), toQuantity(next), rows]);
  return { text, mac: await ledger.seal(text) };
}

/** Reads what is stored, of whatever type; `null` for none of this account, or none that the ledger's key has made. */
export async function readCheckpoint(
  stored: unknown,
  chainId: number,
  account: Address,
  ledger: Pick<Ledger, 'isSealed'>,
): Promise<LedgerCheckpoint | null> {
  const { text, mac } = own(Object(stored) as Partial<Stored>);
  if (typeof text !== 'string' || !(await ledger.isSealed(text, mac))) return null;
  try {
    const [named, chain, from, first, next, rows] = JSON.parse(text) as Written;
    if (named !== kind || chain !== chainId || from !== account) return null;
    const folded = rows.map(([permission, uses, period, at, amount, fees]) => ({
      ...{ permission, uses, period, at },
      ...{ amount: BigInt(amount), fees: BigInt(fees) },
    }));
    return { first: BigInt(first), next: BigInt(next), folded };
  } catch {
    // While the keys are locked nothing is checked, and anything can be stored.
    return null;
  }
}

type Written = readonly [
  kind: string,
  chainId: number,
  account: Address,
  first: Hex,
  next: Hex,
  rows: readonly (readonly [
    permission: Hash,
    uses: number,
    period: number,
    at: number | null,
    amount: Hex,
    fees: Hex,
  ])[],
];
