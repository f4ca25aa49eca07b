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

/** A transaction of an account, as its mark says. */
export interface Accounted extends Cost {
  readonly nonce: bigint;
  /** Context of the permission that it was signed under; `null` where the person agreed. */
  readonly permission: Hash | null;
  /** The period of its signature. */
  readonly period: number;
  /** Whether a page of the wallet has seen it mined. */
  readonly isSeen?: boolean | undefined;
  /** Whether it is of another device, as far as is known. */
  readonly isFound?: boolean | undefined;
  /** The proven cost, and the time of the block (Unix seconds): no other transaction has taken the nonce. */
  readonly settled?: (Cost & { readonly at: number }) | undefined;
}

/** Transactions of an account that nothing can change any more, added up for a checkpoint. */
export interface Folded extends Cost {
  readonly permission: Hash;
  /** How many they are. */
  readonly uses: number;
  /** The latest period of a signature. */
  readonly period: number;
  /** Time of the latest block, Unix seconds; `null` where it is not proven: then they count in each later period. */
  readonly at: number | null;
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
  const isOfGrant = ({ permission }: Pick<Accounted, 'permission'>) =>
    permission !== null && (permission === grant.context || grant.replaced.includes(permission));
  const byNonce = new Map<bigint, { inPeriod: Cost; inAll: Cost }>();
  const settled = new Set<bigint>();
  for (const each of accounted) if (each.settled) settled.add(each.nonce);
  for (const each of accounted) {
    if (!isOfGrant(each) || (settled.has(each.nonce) && !each.settled)) continue;
    const cost = each.settled ?? each;
    const isOver = each.settled && lastPeriodOf(grant, { ...each, at: each.settled.at }) < period;
    const before = byNonce.get(each.nonce) ?? { inPeriod: nothing, inAll: nothing };
    byNonce.set(each.nonce, {
      inPeriod: isOver ? before.inPeriod : higherOf(before.inPeriod, cost),
      inAll: higherOf(before.inAll, cost),
    });
  }
  const nonces = [...byNonce.values()];
  const past = folded.filter(isOfGrant);
  const present = past.filter(
    ({ at, ...rest }) => at === null || lastPeriodOf(grant, { ...rest, at }) >= period,
  );
  return {
    inPeriod: sumOf([...nonces.map(({ inPeriod }) => inPeriod), ...present]),
    inAll: sumOf([...nonces.map(({ inAll }) => inAll), ...past]),
    uses: past.reduce((uses, each) => uses + each.uses, nonces.length),
  };
}

export type Schedule = Pick<Grant, 'context' | 'replaced' | 'start' | 'end' | 'period'>;

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
  const periods = BigInt(periodsIn(grant));
  const [amount, fees] = [BigInt(grant.amount), BigInt(grant.fees ?? 0)];
  return (
    uses + costs.length <= maxUses &&
    inPeriod.amount + more.amount <= amount &&
    inAll.amount + more.amount <= amount * periods &&
    inPeriod.fees + more.fees <= fees &&
    inAll.fees + more.fees <= fees * periods
  );
}

/**
 * The nonces from `first` to below `next` that no mark explains. One that the chain has used is explained by a transaction that
 * is known to be mined, any other by one that can be.
 *
 * @param latest the account's next nonce on the chain
 */
export function unexplained(
  nonces: { readonly first: bigint; readonly latest: bigint; readonly next: bigint },
  explained: (nonce: bigint, isUsed: boolean) => boolean,
): readonly bigint[] {
  const missing: bigint[] = [];
  for (let nonce = nonces.first; nonce < nonces.next && missing.length <= maxUnexplained; nonce++)
    if (!explained(nonce, nonce < nonces.latest)) missing.push(nonce);
  return missing;
}

/** Nonces whose transactions are read from the chain; with more, the person is asked. */
export const maxUnexplained = 16;

export const nothing: Cost = { amount: 0n, fees: 0n };

export const higherOf = (a: Cost, b: Cost): Cost => ({
  amount: higher(a.amount, b.amount),
  fees: higher(a.fees, b.fees),
});

export const sumOf = (costs: readonly Cost[]): Cost =>
  costs.reduce((all, { amount, fees }) => ({ amount: all.amount + amount, fees: all.fees + fees }), nothing);
