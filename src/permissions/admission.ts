import { periodAt } from '../rpc/permission-terms.js';
import type { AccountLedger } from '../transactions/account-ledger.js';
import { higher } from '../transactions/gas.js';
import type { JournalEntry } from '../transactions/journal-entry.js';
import { type Cost, type CountedTransactions, coversMore, spendingOf, unexplained } from './accounting.js';
import { costUnder } from './coverage.js';
import type { Grant } from './grant.js';
import type { History } from './history.js';

/** Whether a permission covers some transactions. */
export type Coverage =
  | {
      readonly kind: 'covered';
      readonly costs: readonly Cost[];
      readonly period: number;
      /** As in {@link History}. */
      readonly unsealed: readonly JournalEntry[];
    }
  /** The nonces that nothing explains yet. */
  | { readonly kind: 'unexplained'; readonly missing: readonly bigint[] }
  /** Not so much is left, as far as is known. */
  | { readonly kind: 'short' }
  | { readonly kind: 'refused' };

/**
 * Judges, from what is known, whether a permission covers the transactions.
 * @param clock Unix seconds
 */
export function admit(
  grant: Grant,
  {
    transactions,
    nonces,
    head,
    latest,
  }: Pick<AccountLedger.Signing, 'transactions' | 'nonces' | 'head' | 'latest'>,
  history: History,
  clock: number,
): Coverage {
  const costs: Cost[] = [];
  for (const transaction of transactions) {
    const cost = costUnder(grant, transaction);
    if (!cost) return { kind: 'refused' };
    costs.push(cost);
  }
  const first = BigInt(grant.firstNonce);
  const wanted = nonces.map(BigInt);
  // The chain has used those that a checkpoint has, whatever a node says.
  if (wanted.some((nonce) => nonce < history.next)) return { kind: 'refused' };
  const missing = unexplained(
    { first, latest: BigInt(latest), next: wanted.reduce(higher, first) },
    (nonce, isUsed) => wanted.includes(nonce) || history.explains(nonce, isUsed),
    (nonce) => history.accounted.some((each) => each.nonce === nonce),
  );
  if (!missing) return { kind: 'refused' };
  if (missing.length > 0) return { kind: 'unexplained', missing };
  const period = periodNow(grant, history, { clock, headTime: Number(head.timestamp) });
  if (period === null) return { kind: 'refused' };
  if (!coversMore(grant, spendingOf(grant, history, period), costs)) return { kind: 'short' };
  return { kind: 'covered', costs, period, unsealed: history.unsealed };
}

/** The present period; `null` before the start and after the end. It never goes back. */
export function periodNow(
  grant: Grant,
  { accounted, folded }: CountedTransactions,
  { clock, headTime }: { readonly clock: number; readonly headTime: number },
): number | null {
  if (Math.max(clock, headTime) >= grant.end) return null;
  const period = periodAt(grant, Math.min(clock, headTime));
  if (period < 0) return null;
  const own = [...accounted, ...folded].filter(({ permission }) => permission === grant.context);
  return own.reduce((latest, each) => Math.max(latest, each.period), period);
}
