import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeContents, encodeContents } from '../../../../src/keyring/vault/contents.js';
import type { Address } from '../../../../src/rpc/schema.js';

const account = fc.record({
  address: fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes): Address => `0x${Buffer.from(bytes).toString('hex')}`),
  privateKey: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  path: fc.option(fc.constantFrom("m/44'/137'/0'/0/0", 'm/1', "m/44'/37310'/0'/0/2147483647")),
});
const contents = fc.record({
  mnemonics: fc.array(fc.uint8Array({ minLength: 16, maxLength: 32 }), { maxLength: 4 }),
  accounts: fc.array(account, { maxLength: 40 }),
});

describe('contents', () => {
  test('contents survive encoding and decoding, padded to 1 KiB', () => {
    fc.assert(
      fc.property(contents, (value) => {
        const bytes = encodeContents(value);
        expect(bytes.length % 1_024).toBe(0);
        expect(decodeContents(bytes)).toEqual(value);
      }),
      { numRuns: 200 },
    );
  });

  test('one account and ten have the same size', () => {
    const one = { address: `0x${'11'.repeat(20)}`, privateKey: new Uint8Array(32), path: 'm/1' } as const;
    const size = (count: number) =>
      encodeContents({ mnemonics: [], accounts: new Array(count).fill(one) }).length;
    expect([size(0), size(1), size(10), size(100)]).toEqual([1_024, 1_024, 1_024, 6 * 1_024]);
  });

  test('wiping the bytes wipes the decoded contents', () => {
    const bytes = encodeContents({
      mnemonics: [new Uint8Array(16).fill(1)],
      accounts: [{ address: `0x${'11'.repeat(20)}`, privateKey: new Uint8Array(32).fill(2), path: null }],
    });
    const decoded = decodeContents(bytes);
    bytes.fill(0);
    expect(decoded.mnemonics[0]).toEqual(new Uint8Array(16));
    expect(decoded.accounts[0]?.privateKey).toEqual(new Uint8Array(32));
  });

  test('a kind of a later version, and a length over the end', () => {
    const bytes = encodeContents({ mnemonics: [new Uint8Array(16)], accounts: [] });
    const later = Uint8Array.from(bytes);
    later[4] = 9;
    expect(() => decodeContents(later)).toThrow(expect.objectContaining({ code: -32002 }));
    const long = Uint8Array.from(bytes);
    long[2] = 255;
    expect(() => decodeContents(long)).toThrow(RangeError);
  });
});
