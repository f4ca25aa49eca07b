import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  getPublicKey,
  hashes,
  Point,
  Signature as RecoveredSignature,
  sign as signPrehashed,
} from '@noble/secp256k1';
import { bytesToInteger, hexToBytes, wordOf } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { addressOfPublicKey } from '../rpc/recover.js';
import type { Address } from '../rpc/schema.js';
import type { Signature } from '../rpc/transaction.js';

/** secp256k1 with private keys. Recovery needs none: `rpc/recover.ts`. */

const order = Point.CURVE().n;
const signing = own({ prehash: false, lowS: true, format: 'recovered' } as const);

/**
 * Sets the hash functions that the library's synchronous calls need; those are three times as fast as the asynchronous
 * ones (docs/notes/performance.md#signing). Called at use, so that importing this file has no side effect.
 */
function fillHashes(): void {
  hashes.sha256 ??= sha256;
  hashes.hmacSha256 ??= (key, message) => hmac(sha256, key, message);
}

/**
 * Signs a 32-byte digest. Without `prehash: false` the library would hash it again (docs/notes/security.md#signing-library).
 * The signature is deterministic (RFC 6979), with `s` in the lower half, since the node refuses others
 * (docs/notes/node.md#undecodable-transactions).
 */
export function sign(digest: Uint8Array, privateKey: Uint8Array): Signature {
  if (digest.length !== 32) throw new RangeError('A digest has 32 bytes');
  fillHashes();
  const bytes = signPrehashed(digest, privateKey, signing);
  const { r, s, recovery } = RecoveredSignature.fromBytes(bytes, 'recovered');
  // 2 and 3 (r ≥ n, probability 2⁻¹²⁷) cannot be encoded in a transaction.
  if (recovery !== 0 && recovery !== 1) throw new RangeError('The signature cannot be represented');
  return { r, s, yParity: recovery };
}

export const addressOf = (privateKey: Uint8Array): Address =>
  addressOfPublicKey(getPublicKey(privateKey, false));

/** The public key in the compressed form of SEC 1, 33 bytes. */
export const compressedPublicKey = (privateKey: Uint8Array): Uint8Array => getPublicKey(privateKey, true);

/** Whether the bytes are a private key: 32 bytes, from 1 to the order of the curve minus one. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  const scalar = bytesToInteger(bytes);
  return bytes.length === 32 && scalar > 0n && scalar < order;
}

/** (key + tweak) mod n, 32 bytes; `null` if BIP-32 defines no child key (`tweak` ≥ n, or a sum of zero). */
export function addPrivateKeys(key: Uint8Array, tweak: Uint8Array): Uint8Array | null {
  const added = bytesToInteger(tweak);
  if (added >= order) return null;
  const sum = (bytesToInteger(key) + added) % order;
  return sum === 0n ? null : hexToBytes(`0x${wordOf(sum)}`);
}

/** Builds the library's point tables, which takes tens of milliseconds at the first signature otherwise. */
export function buildTables(): void {
  getPublicKey(Uint8Array.from({ length: 32 }, () => 1));
}
