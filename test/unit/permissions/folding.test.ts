import { describe, expect, test } from 'vitest';
import { type Folded, spendingOf } from '../../../src/permissions/accounting.js';
import { fold } from '../../../src/permissions/folding.js';
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

describe('the sum of old transactions', () => {
  const options = { next: 0n, found: () => undefined, grants: [grant] };

  test('ends at the first nonce that can still change', () => {
    const all = [accounted(0, 9, settled(5, start)), accounted(1, 7), accounted(2, 9, settled(5, start))];
    const { folded, next } = fold(unfolded(all), options);
    expect(next).toBe(1n);
    expect(folded).toEqual([{ permission: context, uses: 1, period: 0, at: start, amount: 5n, fees: 0n }]);
  });

  test('has what another device has sent, in each later period', () => {
    const found = (nonce: bigint) => (nonce === 0n ? [accounted(0, 9)] : undefined);
    const { folded, next } = fold(unfolded([]), { ...options, found });
    expect(next).toBe(1n);
    for (const period of [0, 1, 9]) expect(spent([], period, folded)).toEqual([9, 9, 1]);
  });

  test('has nothing of what was found where one of this browser has the nonce', () => {
    const found = () => [accounted(0, 1)];
    expect(fold(unfolded([accounted(0, 9)]), { ...options, found })).toEqual({ folded: [], next: 0n });
  });

  test('counts as before, however often and in whatever parts it is added up', () => {
    const each = fc.record({
      nonce: fc.bigInt({ min: 0n, max: 12n }),
      permission: fc.constantFrom(context, before, other, null),
      period: fc.nat(9),
      amount: fc.bigInt({ min: 0n, max: 50n }),
      fees: fc.bigInt({ min: 0n, max: 50n }),
      at: fc.option(fc.integer({ min: start, max: start + 9 * hour }), { freq: 12 }),
    });
    fc.assert(
      fc.property(fc.array(each, { maxLength: 40 }), fc.array(fc.nat(12), { maxLength: 4 }), (some, ends) => {
        // The chain mines one of each nonce.
        const all = some.filter(
          ({ nonce, at }, index) =>
            at === null || some.findIndex((other) => other.at !== null && other.nonce === nonce) === index,
        );
        let state = { folded: [] as readonly Folded[], next: 0n };
        for (const end of [...ends, 13]) {
          const accounted = all.filter(({ nonce }) => nonce >= state.next && nonce < BigInt(end));
          state = fold({ accounted, folded: state.folded }, { ...options, next: state.next });
        }
        const left = all.filter(({ nonce }) => nonce >= state.next);
        const latest = Math.max(
          ...all.map(({ period, at }) => Math.max(period, at === null ? 0 : (at - start) / hour)),
          0,
        );
        for (let period = 0; period < 11; period++) {
          const whole = spendingOf(grant, unfolded(all), period);
          const parts = spendingOf(grant, { accounted: left, folded: state.folded }, period);
          expect(parts.inAll).toEqual(whole.inAll);
          expect(parts.uses).toBe(whole.uses);
          if (period >= Math.floor(latest)) expect(parts.inPeriod).toEqual(whole.inPeriod);
          expect(parts.inPeriod.amount >= whole.inPeriod.amount).toBe(true);
          expect(parts.inPeriod.fees >= whole.inPeriod.fees).toBe(true);
        }
        expect(state.folded.length).toBeLessThanOrEqual(3 * 5);
      }),
    );
  });
});
