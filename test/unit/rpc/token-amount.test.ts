import { describe, expect, test } from 'vitest';
import { isClaimUnusual, isUnlimited } from '../../../src/rpc/token-amount.js';

const top = (bits: number) => 2n ** BigInt(bits) - 1n;

describe('isUnlimited', () => {
  test.each([96, 112, 120, 127, 128, 160, 192, 248, 255, 256])(
    'the greatest integer of %d bits is unlimited, whatever supply a contract claims',
    (bits) => {
      for (const supply of [undefined, 0n, 10n ** 9n, top(256)])
        expect(isUnlimited(top(bits), supply)).toBe(true);
    },
  );

  test('a thousandth less than such an integer is unlimited too', () => {
    for (const bits of [96, 112, 120, 128, 256])
      expect(isUnlimited(top(bits) - top(bits) / 2_000n, top(256))).toBe(true);
  });

  test('without a known supply, 10^30 base units are unlimited; with a greater one they are an amount', () => {
    expect(isUnlimited(10n ** 30n)).toBe(true);
    expect(isUnlimited(10n ** 30n, 10n ** 33n)).toBe(false);
    expect(isUnlimited(10n ** 27n)).toBe(false);
  });

  test('the whole supply and more is unlimited, less is not', () => {
    expect([999n, 1_000n, 1_001n].map((amount) => isUnlimited(amount, 1_000n))).toEqual([false, true, true]);
    expect(isUnlimited(0n, 0n)).toBe(false);
  });

  test('a claimed supply of nothing says nothing', () => {
    for (const amount of [10n ** 29n, 10n ** 30n, top(126), top(100)])
      expect(isUnlimited(amount, 0n)).toBe(true);
    expect(isUnlimited(10n ** 27n, 0n)).toBe(false);
  });
});

describe('isClaimUnusual', () => {
  test.each<[bigint, { decimals?: number; known?: true }, boolean]>([
    [10n ** 30n, { decimals: 36 }, true],
    [10n ** 30n, { decimals: 19 }, true],
    [10n ** 30n, { decimals: 18 }, false],
    [10n ** 14n - 1n, { decimals: 18 }, true],
    [10n ** 14n, { decimals: 18 }, false],
    [1n, { decimals: 4 }, false],
    [1n, { decimals: 5 }, true],
    [0n, { decimals: 36 }, false],
    [1n, {}, false],
    [1n, { decimals: 18, known: true }, false],
  ])('%d with %o: %s', (amount, label, expected) => {
    expect(isClaimUnusual(amount, label)).toBe(expected);
  });
});
