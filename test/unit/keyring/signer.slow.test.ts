import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import {
  addPrivateKeys,
  addressOf,
  buildTables,
  compressedPublicKey,
  isPrivateKey,
  sign,
} from '../../../src/keyring/signer.js';
import { recoverAddress } from '../../../src/rpc/recover.js';
import { rfc6979 } from '../../support/vectors.js';

const bytes = (hex: string) => hexToBytes(hex.replace('0x', ''));
const order = secp256k1.Point.CURVE().n;
const bytesOf = (scalar: bigint) => bytes(scalar.toString(16).padStart(64, '0'));

describe('sign', () => {
  test.each(rfc6979)('RFC 6979, "$message"', ({ privateKey, message, r, s }) => {
    const signature = sign(sha256(utf8ToBytes(message)), bytes(privateKey));
    expect(signature.r).toBe(BigInt(r));
    expect(signature.s).toBe(BigInt(s));
  });

  test('2,000 random digests and keys sign as @noble/curves signs them, and recover', () => {
    for (let i = 0; i < 2_000; i++) {
      const key = secp256k1.utils.randomSecretKey();
      const digest = randomBytes(32);
      const { r, s, yParity } = sign(digest, key);
      const theirs = secp256k1.Signature.fromBytes(
        secp256k1.sign(digest, key, { prehash: false, lowS: true, format: 'recovered' }),
        'recovered',
      );
      expect({ r, s, yParity }).toEqual({ r: theirs.r, s: theirs.s, yParity: theirs.recovery });
      expect(s <= order / 2n).toBe(true);
      if (i % 20 === 0) expect(recoverAddress(digest, { r, s, yParity })).toBe(addressOf(key));
    }
  });

  test('the smallest and the largest key, the digests of zeros and ones', () => {
    for (const key of [bytesOf(1n), bytesOf(order - 1n)])
      for (const digest of [new Uint8Array(32), new Uint8Array(32).fill(255)]) {
        const { r, s } = sign(digest, key);
        const theirs = secp256k1.Signature.fromBytes(secp256k1.sign(digest, key, { prehash: false }));
        expect({ r, s }).toEqual({ r: theirs.r, s: theirs.s });
      }
  });

  test('a digest of another length than 32 bytes', () => {
    for (const length of [0, 20, 31, 33, 64])
      expect(() => sign(new Uint8Array(length), bytesOf(1n))).toThrow('32 bytes');
  });
});

describe('keys', () => {
  test('public keys as @noble/curves has them', () => {
    for (let i = 0; i < 100; i++) {
      const key = secp256k1.utils.randomSecretKey();
      expect(bytesToHex(compressedPublicKey(key))).toBe(bytesToHex(secp256k1.getPublicKey(key, true)));
    }
  });

  test('a key is 32 bytes from 1 to n − 1', () => {
    expect([1n, order - 1n].map((scalar) => isPrivateKey(bytesOf(scalar)))).toEqual([true, true]);
    expect([0n, order, order + 1n, 2n ** 256n - 1n].map((scalar) => isPrivateKey(bytesOf(scalar)))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect([0, 31, 33].map((length) => isPrivateKey(new Uint8Array(length).fill(1)))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('adding keys wraps at the order, and has no sum at zero or for a tweak over it', () => {
    expect(addPrivateKeys(bytesOf(order - 1n), bytesOf(3n))).toEqual(bytesOf(2n));
    expect(addPrivateKeys(bytesOf(order - 1n), bytesOf(1n))).toBeNull();
    expect(addPrivateKeys(bytesOf(5n), bytesOf(order))).toBeNull();
    expect(addPrivateKeys(bytesOf(5n), bytesOf(0n))).toEqual(bytesOf(5n));
  });

  test('warming up twice costs once', () => {
    buildTables();
    const took = Array.from({ length: 5 }, () => {
      const start = performance.now();
      buildTables();
      return performance.now() - start;
    });
    // The shortest: a machine that does something else at the time takes longer.
    expect(Math.min(...took)).toBeLessThan(10);
  });
});
