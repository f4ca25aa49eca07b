import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { HDKey } from '@scure/bip32';
import { describe, expect, test } from 'vitest';
import { derivePrivateKey, readPath } from '../../../src/keyring/hd.js';
import { fc } from '../../support/property.js';
import { bip32 } from '../../support/vectors.js';

const bytes = (text: string) => hexToBytes(text.slice(2));

describe('derivePrivateKey', () => {
  test.each(bip32)('BIP-32 vector $vector, $path', async ({ seed, path, privateKey }) => {
    expect(await derivePrivateKey(bytes(seed), path)).toEqual(bytes(privateKey));
  });

  test('any seed and path as @scure/bip32 derives them', async () => {
    const level = fc
      .tuple(fc.nat(0x7fff_ffff), fc.boolean())
      .map(([index, hardened]) => `${index}${hardened ? "'" : ''}`);
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 16, maxLength: 64 }),
        fc.array(level, { minLength: 1, maxLength: 6 }),
        async (seed, levels) => {
          const path = `m/${levels.join('/')}`;
          const theirs = HDKey.fromMasterSeed(seed).derive(path).privateKey as Uint8Array;
          expect(bytesToHex(await derivePrivateKey(seed, path))).toBe(bytesToHex(theirs));
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a seed of fewer than 16 or more than 64 bytes', async () => {
    for (const length of [0, 15, 65])
      await expect(derivePrivateKey(new Uint8Array(length), 'm/0')).rejects.toThrow('16 to 64');
  });
});

describe('readPath', () => {
  test('indexes, hardened ones from 2^31 up', () => {
    expect(readPath("m/44'/137'/0'/0/5")).toEqual([0x8000_002c, 0x8000_0089, 0x8000_0000, 0, 5]);
  });

  test.each([
    ['import-027', 'm'],
    ['import-028', "44'/137'/0'/0/0"],
    ['import-029', "m/44'/137'/0'/0/2147483648"],
    ['import-030', "m/44'/137'//0"],
    ['capital', "M/44'"],
    ['h for hardened', 'm/44h/0'],
    ['leading zero', 'm/044'],
    ['sign', 'm/-1'],
    ['fraction', 'm/1.5'],
    ['hexadecimal', 'm/0x1'],
    ['space', 'm/ 1'],
    ['end', 'm/1/'],
    ['two marks', "m/1''"],
    ['empty', ''],
    ['too deep', `m${'/1'.repeat(11)}`],
    ['very long', `m/${'1'.repeat(10_000)}`],
  ])('%s', (_name, path) => {
    expect(() => readPath(path)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringMatching(/^path: .{0,250}$/) }),
    );
  });
});
