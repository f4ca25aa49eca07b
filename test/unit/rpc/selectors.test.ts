import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/rpc/message.js';
import { blockReference, blockSelector } from '../../../src/rpc/selectors.js';
import { fc } from '../../support/property.js';

const hash = `0x${'aB'.repeat(32)}`;
const wrong = (read: () => unknown) => expect(read).toThrow(expect.objectContaining({ code: -32602 }));

describe('blockSelector', () => {
  test.each(['latest', 'earliest', 'pending'])('%s', (tag) => {
    expect(blockSelector(tag, 'params[0]')).toBe(tag);
  });

  test('returns a number in its shortest, lower-case form', () => {
    expect(blockSelector('0x00Ff', 'params[0]')).toBe('0xff');
    expect(blockSelector('0x0', 'params[0]')).toBe('0x0');
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.nat(4), (number, zeros) => {
        const written = `0x${'0'.repeat(zeros)}${number.toString(16).toUpperCase()}`;
        expect(blockSelector(written, 'params[0]')).toBe(`0x${number.toString(16)}`);
      }),
    );
  });

  test.each(['safe', 'finalized'])('%s, with the tag to use instead', (tag) => {
    expect(() => blockSelector(tag, 'params[1]')).toThrow(/^params\[1\]: the tag .* use "latest"$/);
    wrong(() => blockSelector(tag, 'params[1]'));
  });

  test.each([
    ['LATEST'],
    ['Pending'],
    ['0x'],
    ['5'],
    [5],
    [null],
    [true],
    [{}],
    [hash],
    ['0x8000000000000000'],
    ['0X1'],
  ])('%j', (value) => wrong(() => blockSelector(value, 'params[0]')));
});

describe('blockReference', () => {
  test.each<[Json, unknown]>([
    ['latest', 'latest'],
    ['0x05', '0x5'],
    [hash, hash.toLowerCase()],
    [{ blockHash: hash }, { blockHash: hash.toLowerCase() }],
    [{ blockNumber: '0x05' }, { blockNumber: '0x5' }],
  ])('%j', (value, read) => expect(blockReference(value, 'params[1]')).toEqual(read));

  test.each([true, false, 'true', 'false'])(
    'requireCanonical %j is taken, and not sent: as a boolean it crashes the node',
    (requireCanonical) => {
      const read = blockReference({ blockHash: hash, requireCanonical }, 'params[1]');
      expect(read).toEqual({ blockHash: hash.toLowerCase() });
    },
  );

  test.each<[Json]>([
    [{}],
    [[]],
    [null],
    ['safe'],
    [{ blockHash: hash, blockNumber: '0x1' }],
    [{ blockHash: '0x1' }],
    [{ blockNumber: 'latest' }],
    [{ blockNumber: hash }],
    [{ blockhash: hash }],
    [{ requireCanonical: true }],
    [{ blockHash: hash, requireCanonical: 1 }],
    [{ blockHash: hash, requireCanonical: null }],
  ])('%j', (value) => wrong(() => blockReference(value, 'params[1]')));
});
