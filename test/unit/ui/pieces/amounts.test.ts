import fc from 'fast-check';
import { formatUnits } from 'viem';
import { describe, expect, test } from 'vitest';
import { formatAmount, formatAtMost, formatTime } from '../../../../src/ui/pieces/amounts.js';
import { english } from '../../../../src/ui/words/english.js';

describe('formatAmount', () => {
  test.each([
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [10n ** 18n, 18, '1'],
    [1234567_500000000000000000n, 18, '1,234,567.5'],
    [999n, 0, '999'],
    [1000n, 0, '1,000'],
    [
      2n ** 256n - 1n,
      0,
      '115,792,089,237,316,195,423,570,985,008,687,907,853,269,984,665,640,564,039,457,584,007,913,129,639,935',
    ],
    [5n, 77, `0.${'0'.repeat(76)}5`],
  ])('%s of 10^-%i', (units, decimals, text) => {
    expect(formatAmount(units, decimals, english)).toBe(text);
  });

  test('parsing the formatted amount gives the same units', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        fc.integer({ min: 0, max: 40 }),
        (units, decimals) => {
          expect(formatAmount(units, decimals, english).replaceAll(',', '')).toBe(
            formatUnits(units, decimals),
          );
        },
      ),
    );
  });

  test('the separators are those of the language', () => {
    expect(formatAmount(1234_5n, 1, { ...english, group: '.', point: ',' })).toBe('1.234,5');
  });
});

describe('formatAtMost', () => {
  test.each([
    [1368444000000n, 18, '0.00000137'],
    [1360000000000n, 18, '0.00000136'],
    [1n, 18, '0.000000000000000001'],
    [10n ** 10n, 18, '0.00000001'],
    [1999999999999999999n, 18, '2'],
    [123n, 2, '1.23'],
  ])('%s of 10^-%i is rounded up', (units, decimals, text) => {
    expect(formatAtMost(units, decimals, english)).toBe(text);
  });
});

describe('formatTime', () => {
  test('a unix time is formatted with its year', () => {
    expect(formatTime('1793638800', english)).toContain('2026');
  });

  test('a time after the year 9999 is null', () => {
    expect(formatTime(`${2n ** 256n - 1n}`, english)).toBeNull();
  });
});
