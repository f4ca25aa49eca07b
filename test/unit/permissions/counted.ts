import { type Accounted, type Folded, spendingOf } from '../../../src/permissions/accounting.js';
import type { Grant } from '../../../src/permissions/grant.js';
import type { Hash } from '../../../src/rpc/schema.js';

/** Transactions of an account as a permission counts them, in amounts that a test can add up. */

const named = (digits: string): Hash => `0x${digits.repeat(32)}`;
export const [context, before, other] = [named('aa'), named('bb'), named('cc')];
export const start = 1_000_000;
export const hour = 3_600;
export const grant = {
  ...{ context, replaced: [before], start, end: start + 10 * hour, period: hour },
  ...{ amount: '0x64', fees: '0x32' },
} as unknown as Grant;

export const accounted = (nonce: number, amount: number, over: Partial<Accounted> = {}): Accounted => ({
  ...{ nonce: BigInt(nonce), amount: BigInt(amount), fees: 1n, permission: context, period: 0, at: null },
  ...over,
});
export const settled = (amount: number, at: number, fees = 0) => ({
  ...{ amount: BigInt(amount), fees: BigInt(fees), at },
});
export const unfolded = (all: readonly Accounted[]) => ({ accounted: all, folded: [] });
/** The spending in a period and in all, and the number of nonces. */
export const spent = (all: readonly Accounted[], period = 0, folded: readonly Folded[] = []) => {
  const { inPeriod, inAll, uses } = spendingOf(grant, { accounted: all, folded }, period);
  return [Number(inPeriod.amount), Number(inAll.amount), uses];
};
