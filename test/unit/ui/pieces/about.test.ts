// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { about } from '../../../../src/ui/pieces/about.js';
import { english } from '../../../support/english.js';
import { fc } from '../../../support/property.js';
import { rendered } from '../../../support/render.js';

const text = (units: bigint, usd: bigint, age?: number, decimals = 18) =>
  rendered(about(units, decimals, { usd: `${usd}`, age }, english)).textContent;
const coin = 10n ** 18n;

test.each<[string, bigint, bigint]>([
  ['About 0.00 USD', 0n, 98_765n * coin],
  ['Less than 0.01 USD', 1n, 98_765n * coin],
  ['About 0.01 USD', coin, coin / 200n],
  ['Less than 0.01 USD', coin, coin / 200n - 1n],
  ['About 1.50 USD', coin, (3n * coin) / 2n],
  ['About 98,765.43 USD', coin, 98_765_430_000_000_000_000_000n],
  ['About 49,382.72 USD', coin / 2n, 98_765_431_000_000_000_000_000n],
])('%s', (expected, units, usd) => {
  expect(text(units, usd)).toBe(expected);
});

test('the age of the price stands beside it', () => {
  expect(text(coin, coin, 1_234)).toBe('About 1.00 USDBy a price 1,234 blocks old');
});

test('it is the exact amount, rounded to the nearest cent', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 26n }),
      fc.bigInt({ min: 1n, max: 10n ** 24n }),
      fc.integer({ min: 0, max: 36 }),
      (units, usd, decimals) => {
        const shown = text(units, usd, undefined, decimals) as string;
        // Both in units of 10^-(decimals + 18) US dollars.
        const exact = units * usd;
        const cent = 10n ** BigInt(decimals + 16);
        if (shown.startsWith('Less')) return exact < cent;
        const cents = BigInt(shown.replace(/\D/g, ''));
        const distance = cents * cent - exact;
        return 2n * (distance < 0n ? -distance : distance) <= cent;
      },
    ),
  );
});
