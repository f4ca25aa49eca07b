import { describe, expect, test } from 'vitest';
import {
  decodeContents,
  encodeContents,
  optionalRecords,
  secretIn,
  withOptionalRecords,
} from '../../../../src/keyring/vault/contents.js';
import type { Address } from '../../../../src/rpc/schema.js';
import { fc } from '../../../support/property.js';

const account = fc.record({
  address: fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes): Address => `0x${Buffer.from(bytes).toString('hex')}`),
  privateKey: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  path: fc.option(fc.constantFrom("m/44'/137'/0'/0/0", 'm/1', "m/44'/37310'/0'/0/2147483647")),
});
const mnemonic = fc.record({
  entropy: fc.uint8Array({ minLength: 16, maxLength: 32 }),
  passphrase: fc.uint8Array({ maxLength: 1_024 }),
});
const contents = fc.record(
  {
    mnemonics: fc.array(mnemonic, { maxLength: 4 }),
    accounts: fc.array(account, { maxLength: 40 }),
    note: fc.uint8Array({ minLength: 1, maxLength: 3_000 }),
  },
  { requiredKeys: ['mnemonics', 'accounts'] },
);

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

  test('a mnemonic without a passphrase is encoded as in version 1', () => {
    const plain = { entropy: new Uint8Array(16), passphrase: new Uint8Array(0) };
    const secret = { entropy: new Uint8Array(16), passphrase: new Uint8Array(2) };
    expect(encodeContents({ mnemonics: [plain], accounts: [] }).slice(0, 7)).toEqual(
      Uint8Array.of(0, 0, 0, 19, 1, 0, 16),
    );
    expect(encodeContents({ mnemonics: [secret], accounts: [] }).slice(0, 8)).toEqual(
      Uint8Array.of(0, 0, 0, 22, 3, 0, 19, 16),
    );
  });

  test('a note that is longer than a record is put together again', () => {
    const note = Uint8Array.from({ length: 150_000 }, (_, at) => at);
    expect(decodeContents(encodeContents({ mnemonics: [], accounts: [], note }))).toEqual({
      mnemonics: [],
      accounts: [],
      note,
    });
  });

  test('wiping the bytes wipes the decoded contents', () => {
    const bytes = encodeContents({
      mnemonics: [
        { entropy: new Uint8Array(16).fill(1), passphrase: new Uint8Array(0) },
        { entropy: new Uint8Array(16).fill(1), passphrase: new Uint8Array(4).fill(1) },
      ],
      accounts: [{ address: `0x${'11'.repeat(20)}`, privateKey: new Uint8Array(32).fill(2), path: null }],
    });
    const decoded = decodeContents(bytes);
    bytes.fill(0);
    expect(decoded.mnemonics).toEqual([
      { entropy: new Uint8Array(16), passphrase: new Uint8Array(0) },
      { entropy: new Uint8Array(16), passphrase: new Uint8Array(4) },
    ]);
    expect(decoded.accounts[0]?.privateKey).toEqual(new Uint8Array(32));
  });

  test('optional records of any kind from 128 on keep their bytes and their order', () => {
    const optional = fc.record({
      kind: fc.integer({ min: 128, max: 255 }),
      bytes: fc.uint8Array({ maxLength: 300 }),
    });
    fc.assert(
      fc.property(fc.array(optional, { minLength: 1, maxLength: 8 }), (records) => {
        const contents = { mnemonics: [], accounts: [], optional: records };
        expect(decodeContents(encodeContents(contents, new Uint8Array(32)))).toEqual(contents);
      }),
      { seed: 1 },
    );
    const bytes = new Uint8Array(0xffff).fill(7);
    const contents = withOptionalRecords({ mnemonics: [], accounts: [] }, 200, [bytes, new Uint8Array(0)]);
    expect(optionalRecords(decodeContents(encodeContents(contents)), 200)).toEqual([
      bytes,
      new Uint8Array(0),
    ]);
  });

  test('records of a kind are put in place of the earlier ones, those of other kinds stay', () => {
    const [a, b, c] = [1, 2, 3].map((n) => Uint8Array.of(n)) as [Uint8Array, Uint8Array, Uint8Array];
    const first = withOptionalRecords({ mnemonics: [], accounts: [] }, 128, [a]);
    const second = withOptionalRecords(first, 255, [b]);
    expect(withOptionalRecords(second, 128, [c, c]).optional).toEqual([
      { kind: 255, bytes: b },
      { kind: 128, bytes: c },
      { kind: 128, bytes: c },
    ]);
    expect(withOptionalRecords(second, 128, []).optional).toEqual([{ kind: 255, bytes: b }]);
    for (const [kind, bytes] of [
      [127, a],
      [5, a],
      [256, a],
      [128, new Uint8Array(0x10000)],
    ] as const)
      expect(() => withOptionalRecords(first, kind, [bytes])).toThrow(RangeError);
  });

  test("the vault's secret is beside the contents, never among them", () => {
    const secret = new Uint8Array(32).fill(9);
    const contents = { mnemonics: [], accounts: [] };
    const bytes = encodeContents(contents, secret);
    expect([secretIn(bytes), secretIn(encodeContents(contents))]).toEqual([secret, null]);
    expect(decodeContents(bytes)).toEqual(contents);
  });

  test('a kind of a later version, and a length over the end', () => {
    const mnemonics = [{ entropy: new Uint8Array(16), passphrase: new Uint8Array(0) }];
    const bytes = encodeContents({ mnemonics, accounts: [] });
    const later = Uint8Array.from(bytes);
    later[4] = 9;
    expect(() => decodeContents(later)).toThrow(expect.objectContaining({ code: -32002 }));
    const long = Uint8Array.from(bytes);
    long[2] = 255;
    expect(() => decodeContents(long)).toThrow(RangeError);
  });
});
