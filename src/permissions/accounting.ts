import { periodAt, periodsIn } from '../rpc/permission-terms.js';
import type { Hash } from '../rpc/schema.js';
import { higher } from '../transactions/gas.js';
import type { Grant } from './grant.js';

/** The cost of a transaction to a permission: of its amount, and of its fees. */
export interface Cost {
  /** wei with the fee; for a token its base units. */
  readonly amount: bigint;
  /** wei for the fee of a token's transfer; 0 for coins, whose amount has it. */
  readonly fees: bigint;
}

/** A cost that counts under a permission from the period of its signature on. */
export interface Counted extends Cost {
  /** Context of the permission that it was signed under; `null` where the person agreed. */
  readonly permission: Hash | null;
  /** The latest period of a signature. */
  readonly period: number;
  /**
   * Time of the latest block, Unix seconds, where the cost is proven; `null` where it is the most that it can be: then it counts in
   * each later period.
   */
  readonly at: number | null;
}

/** A transaction of an account, as its mark says. Where its cost is proven, no other transaction has taken the nonce. */
export interface Accounted extends Counted {
  readonly nonce: bigint;
  /** Whether a page of the wallet has seen it mined. */
  readonly isSeen?: boolean | undefined;
  /** Whether it is of another device, as far as is known. */
  readonly isFound?: boolean | undefined;
  /** Whether it is marked for another permission, and counts for this one too. */
  readonly isClaim?: boolean | undefined;
}

/** Transactions of an account that nothing can change any more, added up for a checkpoint. */
export interface Folded extends Counted {
  readonly permission: Hash;
  /** How many they are. */
  readonly uses: number;
}

/** The transactions of an account, as a permission counts them. */
export interface CountedTransactions {
  readonly accounted: readonly Accounted[];
  readonly folded: readonly Folded[];
}

/** The most that a permission may have spent. */
export interface Spending {
  readonly inPeriod: Cost;
  readonly inAll: Cost;
  /** Nonces that a transaction of it may take, or has taken. */
  readonly uses: number;
}

/** Blocks on top of a transaction from which on its cost is taken as final. */
export const settledDepth = 12;

/** Transactions of one permission. */
const maxUses = 10_000;

/**
 * Adds up what a permission may have spent. Each nonce counts the most that can be mined there; a transaction counts in the
 * period of its signature and in each later one until its block is proven.
 *
 * @param period the present one
 */
export function spendingOf(
  grant: Schedule,
  { accounted, folded }: CountedTransactions,
  period: number,
): Spending {
  const proven = new Set<bigint>();
  for (const { nonce, at } of accounted) if (at !== null) proven.add(nonce);
  const present = accounted.filter(
    (each) => isUnder(grant, each.permission) && (each.at !== null || !proven.has(each.nonce)),
  );
  const past = folded.filter((each) => isUnder(grant, each.permission));
  const isInPeriod = ({ at, ...each }: Counted) =>
    at === null || lastPeriodOf(grant, { ...each, at }) >= period;
  return {
    inPeriod: sumOf([...highestOf(present.filter(isInPeriod)), ...past.filter(isInPeriod)]),
    inAll: sumOf([...highestOf(present), ...past]),
    uses: past.reduce((sum, { uses }) => sum + uses, highestOf(present).length),
  };
}

/** The highest cost of each nonce: any of its transactions may be mined. */
function highestOf(accounted: readonly Accounted[]): readonly Cost[] {
  const byNonce = new Map<bigint, Cost>();
  for (const each of accounted) byNonce.set(each.nonce, higherOf(each, byNonce.get(each.nonce) ?? nothing));
  return [...byNonce.values()];
}

export type Schedule = Pick<Grant, 'context' | 'replaced' | 'start' | 'end' | 'period'>;

/** Whether what was signed under a permission counts under this one: it is this one, or was replaced by it. */
export const isUnder = (
  { context, replaced }: Pick<Grant, 'context' | 'replaced'>,
  permission: Hash | null,
): boolean => [context, ...replaced].some((each) => each === permission);

/**
 * The last period in which a mined transaction counts: that of its block or of its signature. A replaced permission was counted by
 * another schedule: then the block alone decides.
 */
export const lastPeriodOf = (
  grant: Schedule,
  { permission, period, at }: Pick<Accounted, 'permission' | 'period'> & { readonly at: number },
): number => Math.max(periodAt(grant, at), permission === grant.context ? period : -1);

/** Whether a permission covers further costs beside what it has spent. */
export function coversMore(
  grant: Grant,
  { inPeriod, inAll, uses }: Spending,
  costs: readonly Cost[],
): boolean {
  const more = sumOf(costs);
  const fits = (part: keyof Cost, limit: bigint) =>
    inPeriod[part] + more[part] <= limit && inAll[part] + more[part] <= limit * BigInt(periodsIn(grant));
  return (
    uses + costs.length <= maxUses &&
    fits('amount', BigInt(grant.amount)) &&
    fits('fees', BigInt(grant.fees ?? 0))
  );
}

/**
 * The nonces from `first` to below `next` that no mark explains. One that the chain has used is explained by a transaction that
 * is known to be mined, any other by one that a node has.
 *
 * @param latest the account's next nonce on the chain
 * @returns `null` if more than {@link maxUnexplained} have no marked entry
 */
export function unexplained(
  nonces: { readonly first: bigint; readonly latest: bigint; readonly next: bigint },
  explained: (nonce: bigint, isUsed: boolean) => boolean,
  marked: (nonce: bigint) => boolean,
): readonly bigint[] | null {
  const missing: bigint[] = [];
  let unknown = 0;
  for (let nonce = nonces.first; nonce < nonces.next; nonce++) {
    if (explained(nonce, nonce < nonces.latest)) continue;
    missing.push(nonce);
    if (!marked(nonce) && ++unknown > maxUnexplained) return null;
  }
  return missing;
}

/** Nonces without an entry whose transactions are searched for on the chain; with more, the person is asked. */
const maxUnexplained = 16;

export const nothing: Cost = { amount: 0n, fees: 0n };

export const higherOf = (a: Cost, b: Cost): Cost => ({
  amount: higher(a.amount, b.amount),
  fees: higher(a.fees, b.fees),
});

export const sumOf = (costs: readonly Cost[]): Cost =>
  costs.reduce((all, { amount, fees }) => ({ amount: all.amount + amount, fees: all.fees + fees }), nothing);
