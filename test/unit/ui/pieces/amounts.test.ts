import { formatUnits } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  formatAmount,
  formatAtMost,
  formatBalance,
  formatTime,
  parseAmount,
  readAmount,
} from '../../../../src/ui/pieces/amounts.js';
import { english } from '../../../support/english.js';
import { fc } from '../../../support/property.js';

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

describe('readAmount', () => {
  const spanish = { ...english, group: '.', point: ',' };
  test.each<[string, number, bigint | string]>([
    ['0.25', 18, 250000000000000000n],
    [' 1 ', 0, 1n],
    ['.5', 1, 5n],
    ['5.', 1, 50n],
    ['0,25', 2, 25n],
    ['1.2300', 2, 123n],
    ['1.234', 2, 'decimals'],
    ['1,234', 18, 'ambiguous'],
    ['12,345', 18, 'ambiguous'],
    ['0,123', 3, 123n],
    ['1,23', 18, 1230000000000000000n],
    ['1,234.5', 18, 'format'],
    ['1e18', 18, 'format'],
    ['-1', 18, 'format'],
    ['', 18, 'format'],
    ['.', 18, 'format'],
    ['0x10', 18, 'format'],
    ['٣', 18, 'format'],
  ])('"%s" with %i decimals', (text, decimals, amount) => {
    expect(readAmount(text, decimals, english)).toBe(amount);
  });

  test('which mark may be of thousands depends on the language', () => {
    expect(readAmount('1.234', 18, spanish)).toBe('ambiguous');
    expect(readAmount('1,234', 3, spanish)).toBe(1234n);
    expect(parseAmount('1.234', 18, spanish)).toBeNull();
  });

  test('an amount formatted without marks of thousands is read as the same amount', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 128n }),
        fc.integer({ min: 0, max: 30 }),
        (units, decimals) => {
          const text = formatAmount(units, decimals, { ...english, group: '' });
          expect(readAmount(text, decimals, english)).toBe(units);
        },
      ),
    );
  });
});

describe('formatBalance', () => {
  test.each([
    [1999999999999999999n, 18, '1.99999999'],
    [10n ** 18n, 18, '1'],
    [1n, 18, '< 0.00000001'],
    [0n, 18, '0'],
    [123n, 2, '1.23'],
  ])('%s of 10^-%i is rounded down', (units, decimals, text) => {
    expect(formatBalance(units, decimals, english)).toBe(text);
  });
});
