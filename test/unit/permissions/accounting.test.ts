import { describe, expect, test } from 'vitest';
import { coversMore, spendingOf, unexplained } from '../../../src/permissions/accounting.js';
import type { Grant } from '../../../src/permissions/grant.js';
import { fc } from '../../support/property.js';
import {
  accounted,
  before,
  context,
  grant,
  hour,
  other,
  settled,
  spent,
  start,
  unfolded,
} from './counted.js';

describe('the spending of a permission', () => {
  test('is the sum over its nonces', () => {
    expect(spent([accounted(1, 5), accounted(2, 7)])).toEqual([12, 12, 2]);
    expect(spendingOf(grant, unfolded([accounted(1, 5), accounted(2, 7)]), 0).inAll.fees).toBe(2n);
  });

  test('has none of another permission, and none of the person', () => {
    expect(spent([accounted(1, 5, { permission: other }), accounted(2, 7, { permission: null })])).toEqual([
      0, 0, 0,
    ]);
  });

  test('has what a permission in whose place it came has spent', () => {
    expect(spent([accounted(1, 5, { permission: before })])).toEqual([5, 5, 1]);
  });

  test('counts the highest amount and the highest fees of several with one nonce', () => {
    const rivals = [accounted(1, 5, { fees: 9n }), accounted(1, 7, { fees: 2n })];
    for (const each of [rivals, [...rivals].reverse()])
      expect(spendingOf(grant, unfolded(each), 0)).toEqual({
        inPeriod: { amount: 7n, fees: 9n },
        inAll: { amount: 7n, fees: 9n },
        uses: 1,
      });
  });

  test('counts one that is not settled in its period and in each later one', () => {
    for (const period of [0, 1, 9]) expect(spent([accounted(1, 5)], period)).toEqual([5, 5, 1]);
  });

  test('counts one that is settled for its cost, until the period of its block is over', () => {
    const all = [accounted(1, 50, settled(5, start + hour))];
    expect(spent(all, 1)).toEqual([5, 5, 1]);
    expect(spent(all, 2)).toEqual([0, 5, 1]);
  });

  test('counts one that was mined before its own period, by the times of the blocks, in that of its signature', () => {
    const all = [accounted(1, 50, { period: 2, ...settled(5, start + hour) })];
    expect(spent(all, 2)).toEqual([5, 5, 1]);
    expect(spent(all, 3)).toEqual([0, 5, 1]);
  });

  test('counts one of a replaced permission by its block alone, whose periods were others', () => {
    const all = [accounted(1, 50, { permission: before, period: 7, ...settled(5, start + hour) })];
    expect(spent(all, 1)).toEqual([5, 5, 1]);
    expect(spent(all, 2)).toEqual([0, 5, 1]);
  });

  test('has nothing of those whose nonce another one has taken', () => {
    const cancel = accounted(1, 0, { permission: null, ...settled(0, start) });
    expect(spent([accounted(1, 50), cancel])).toEqual([0, 0, 0]);
    expect(spent([accounted(1, 50), accounted(1, 60, settled(5, start)), accounted(2, 1)])).toEqual([
      6, 6, 2,
    ]);
  });

  test('does not depend on the order, never falls by another transaction, and in a period is at most all', () => {
    const each = fc.record({
      nonce: fc.bigInt({ min: 0n, max: 5n }),
      permission: fc.constantFrom(context, before, other, null),
      period: fc.nat(3),
      amount: fc.bigInt({ min: 0n, max: 50n }),
      fees: fc.bigInt({ min: 0n, max: 50n }),
      at: fc.constant(null),
    });
    fc.assert(
      fc.property(fc.array(each), each, fc.nat(4), (all, more, period) => {
        const { inPeriod, inAll, uses } = spendingOf(grant, unfolded(all), period);
        expect(spendingOf(grant, unfolded([...all].reverse()), period)).toEqual({ inPeriod, inAll, uses });
        expect(inPeriod.amount <= inAll.amount && inPeriod.fees <= inAll.fees).toBe(true);
        const after = spendingOf(grant, unfolded([...all, more]), period);
        expect(after.inPeriod.amount >= inPeriod.amount && after.inAll.fees >= inAll.fees).toBe(true);
      }),
    );
  });
});

describe('a permission', () => {
  const spending = (inPeriod: [number, number], inAll: [number, number] = inPeriod, uses = 0) => ({
    inPeriod: { amount: BigInt(inPeriod[0]), fees: BigInt(inPeriod[1]) },
    inAll: { amount: BigInt(inAll[0]), fees: BigInt(inAll[1]) },
    uses,
  });
  const cost = (amount: number, fees: number) => ({ amount: BigInt(amount), fees: BigInt(fees) });

  test.each([
    ['the amount of a period', spending([60, 0]), cost(40, 0), cost(41, 0)],
    ['the fees of a period', spending([0, 30]), cost(0, 20), cost(0, 21)],
    ['the amount of the whole term', spending([0, 0], [999, 0]), cost(1, 0), cost(2, 0)],
    ['the fees of the whole term', spending([0, 0], [0, 499]), cost(0, 1), cost(0, 2)],
  ])('covers all of %s, and no more', (_name, before, all, over) => {
    expect([coversMore(grant, before, [all]), coversMore(grant, before, [over])]).toEqual([true, false]);
  });

  test('covers a batch by its sum', () => {
    expect(coversMore(grant, spending([0, 0]), [cost(50, 0), cost(50, 0)])).toBe(true);
    expect(coversMore(grant, spending([0, 0]), [cost(50, 0), cost(51, 0)])).toBe(false);
  });

  test('covers 10,000 nonces', () => {
    expect(coversMore(grant, spending([0, 0], [0, 0], 9_998), [cost(0, 0), cost(0, 0)])).toBe(true);
    expect(coversMore(grant, spending([0, 0], [0, 0], 9_999), [cost(0, 0), cost(0, 0)])).toBe(false);
  });

  test('covers no fees beside the amount where it names none', () => {
    const { fees: _fees, ...coins } = grant;
    expect(coversMore(coins as Grant, spending([0, 0]), [cost(100, 0)])).toBe(true);
    expect(coversMore(coins as Grant, spending([0, 0]), [cost(1, 1)])).toBe(false);
  });

  test('without periods covers its amount once', () => {
    const once = { ...grant, period: undefined };
    expect(coversMore(once, spending([60, 0]), [cost(40, 0)])).toBe(true);
    expect(coversMore(once, spending([0, 0], [60, 0]), [cost(41, 0)])).toBe(false);
  });

  test('has a last period that is shorter', () => {
    const uneven = { ...grant, end: start + 9 * hour + 1 };
    expect(coversMore(uneven, spending([0, 0], [999, 0]), [cost(1, 0)])).toBe(true);
    expect(coversMore({ ...grant, end: start + 9 * hour }, spending([0, 0], [899, 0]), [cost(2, 0)])).toBe(
      false,
    );
  });
});

describe('the nonces without an explanation', () => {
  const none = () => false;
  const nonces = (first: number, latest: number, next: number) => ({
    first: BigInt(first),
    latest: BigInt(latest),
    next: BigInt(next),
  });

  test('are those from the first to below the next one', () => {
    expect(unexplained(nonces(3, 5, 6), () => false, none)).toEqual([3n, 4n, 5n]);
    expect(unexplained(nonces(3, 5, 6), (nonce) => nonce !== 4n, none)).toEqual([4n]);
    expect(unexplained(nonces(3, 5, 3), () => false, none)).toEqual([]);
  });

  test('are asked about with whether the chain has used them', () => {
    const asked: [bigint, boolean][] = [];
    unexplained(nonces(3, 5, 7), (...each) => asked.push(each) > 0, none);
    expect(asked).toEqual([
      [3n, true],
      [4n, true],
      [5n, false],
      [6n, false],
    ]);
  });

  test('are too many from 17 on that have no marked entry', () => {
    expect(unexplained(nonces(0, 0, 16), () => false, none)).toHaveLength(16);
    expect(unexplained(nonces(0, 0, 1e9), () => false, none)).toBe(null);
    const isMarked = (nonce: bigint) => nonce >= 16n;
    expect(unexplained(nonces(0, 0, 200), () => false, isMarked)).toHaveLength(200);
  });
});
