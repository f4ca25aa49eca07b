import { describe, expect, test } from 'vitest';
import { choosePrice, gasPrices, replacementPrice, withinRange } from '../../../src/transactions/gas.js';
import type { TransactionRequest } from '../../../src/transactions/request.js';
import { fc } from '../../support/property.js';

const lowest = 59_240_000n;
const request: TransactionRequest = { from: `0x${'01'.repeat(20)}`, to: null, value: '0x0', data: '0x' };

describe('gasPrices', () => {
  test('slow is the least, normal the suggestion, fast half as much again', () => {
    expect(gasPrices(lowest + 10n, lowest)).toEqual({
      slow: lowest,
      normal: lowest + 10n,
      fast: 88_860_015n,
      minimum: lowest,
      maximum: 80n * lowest,
    });
  });

  test('a suggestion below the least, and a network without a least', () => {
    expect(gasPrices(1n, lowest)).toMatchObject({ slow: lowest, normal: lowest });
    expect(gasPrices(0n, 0n)).toEqual({ slow: 0n, normal: 0n, fast: 0n, minimum: 0n, maximum: 10n ** 12n });
  });

  test('whatever the service says, they ascend within the bounds', () => {
    const price = fc.bigInt(0n, 10n ** 10n);
    fc.assert(
      fc.property(price, price, price, price, (suggested, minimum, floor, ceiling) => {
        const all = withinRange(gasPrices(suggested, minimum), { minimum: floor, maximum: ceiling });
        fc.pre(all.minimum <= all.maximum);
        expect(all.minimum <= all.slow && all.slow <= all.normal).toBe(true);
        expect(all.normal <= all.fast && all.fast <= all.maximum).toBe(true);
      }),
    );
  });
});

test.each([
  ['0x64', 140n],
  ['0x65', 142n],
  ['0x0', 0n],
] as const)('replacing %s takes %i', (price, needed) => {
  expect(replacementPrice(price)).toBe(needed);
});

describe('choosePrice of a replacement', () => {
  const replacing = (price: bigint) => ({ ...request, replacementPrice: `0x${price.toString(16)}` as const });

  test('the price is that which the replacement takes, or the present one where that is higher', () => {
    expect(choosePrice(replacing(2n * lowest), lowest, lowest)).toBe(2n * lowest);
    expect(choosePrice(replacing(lowest), 3n * lowest, lowest)).toBe(3n * lowest);
  });

  test('more than the network takes is refused', () => {
    expect(() => choosePrice(replacing(80n * lowest + 1n), lowest, lowest)).toThrow(
      expect.objectContaining({
        code: -32003,
        message: expect.stringContaining('replacement transaction underpriced'),
      }),
    );
  });
});
