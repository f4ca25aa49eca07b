import { describe, expect, test } from 'vitest';
import {
  address,
  boolean,
  chainId,
  data,
  hash,
  index,
  optional,
  positions,
  quantity,
  record,
  text,
} from '../../../src/rpc/params.js';
import { fc } from '../../support/property.js';

const refused = (read: () => unknown, place = 'at') =>
  expect(read).toThrow(expect.objectContaining({ code: -32602, message: expect.stringContaining(place) }));

describe('positions', () => {
  const read = positions(text, optional(boolean, false));

  test('a value is read at each position', () => {
    expect(read(['a', true])).toEqual(['a', true]);
  });

  test('fills in missing and null params, because the node requires all', () => {
    expect(read(['a'])).toEqual(['a', false]);
    expect(read(['a', null])).toEqual(['a', false]);
  });

  test('refuses missing and surplus params and non-arrays', () => {
    refused(() => read([]), 'params[0]: required');
    refused(() => read([null]), 'params[0]: required');
    refused(() => read(['a', true, 1]), 'at most 2 expected, received 3');
    refused(() => read({ 0: 'a' }), 'params: expected an array');
    refused(() => read(['a', 1]), 'params[1]');
  });
});

describe('quantity', () => {
  test('leading zeros and upper case of any quantity are normalised', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.nat(3), (value, zeros) => {
        const digits = value.toString(16);
        expect(quantity(`0x${'0'.repeat(zeros)}${digits.toUpperCase()}`, 'at')).toBe(`0x${digits}`);
      }),
    );
  });

  test.each([
    ['0x'],
    ['10'],
    ['0x-1'],
    ['0X1'],
    ['0xg'],
    [10],
    [true],
    [null],
    [[]],
    [`0x1${'0'.repeat(64)}`],
  ])('%j', (value) => refused(() => quantity(value, 'at')));
});

describe('index', () => {
  test('an index up to 0x7fffffff is accepted', () => {
    expect(index('0x0', 'at')).toBe('0x0');
    expect(index('0x7fffffff', 'at')).toBe('0x7fffffff');
  });

  test('returns lower-case digits, which the node requires', () => {
    expect(index('0x0A', 'at')).toBe('0xa');
  });

  test.each([['0x80000000'], ['0x'], [1], ['1']])('%j', (value) => refused(() => index(value, 'at')));
});

describe('other readers', () => {
  test('values of each kind get their one form', () => {
    expect(data('0xAB', 'at')).toBe('0xab');
    expect(data('0x', 'at')).toBe('0x');
    expect(hash(`0x${'AB'.repeat(32)}`, 'at')).toBe(`0x${'ab'.repeat(32)}`);
    expect(chainId('0x1e', 'at')).toBe(30);
    // EIP-1191 for chain 30, and EIP-55 of the same address.
    for (const written of [
      '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    ])
      expect(address(written, 'at')).toBe(written.toLowerCase());
  });

  test('refuses mixed case without a valid checksum', () => {
    refused(() => address('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'at'), 'checksum');
  });

  test.each([['0x01e'], ['0x0'], ['30'], [30], ['0x20000000000000']])('chain id %j', (value) =>
    refused(() => chainId(value, 'at')),
  );

  test('names an unknown key and the known ones', () => {
    expect(record({ a: 1 }, 'at', ['a', 'b'])).toEqual({ a: 1 });
    refused(() => record({ c: 1 }, 'at', ['a', 'b']), 'at.c: unknown key (known: a, b)');
    refused(() => record([], 'at', ['a']));
  });
});
