import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import {
  getPublicKey,
  hashes,
  Point,
  Signature as RecoveredSignature,
  recoverPublicKey,
  sign as signPrehashed,
} from '@noble/secp256k1';
import { bytesToHex, bytesToInteger, hexToBytes } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Signature } from '../rpc/transaction.js';

/** secp256k1: the one file that knows the curve's library. */

const order = Point.CURVE().n;
const signing = own({ prehash: false, lowS: true, format: 'recovered' } as const);

/**
 * The library's synchronous calls need its hash slots filled (three times as fast as its own asynchronous
 * ones: docs/notes/performance.md#signing). Filled at use, so that an import changes nothing.
 */
function fillHashes(): void {
  hashes.sha256 ??= sha256;
  hashes.hmacSha256 ??= (key, message) => hmac(sha256, key, message);
}

/**
 * Signs 32 bytes as they are: `prehash` must be off, the library would hash them once more (docs/notes/security.md#signing-library). Deterministic (RFC 6979), `s` in the lower half (the node refuses others, docs/notes/node.md#undecodable-transactions).
 */
export function sign(digest: Uint8Array, privateKey: Uint8Array): Signature {
  if (digest.length !== 32) throw new RangeError('A digest has 32 bytes');
  fillHashes();
  const bytes = signPrehashed(digest, privateKey, signing);
  const { r, s, recovery } = RecoveredSignature.fromBytes(bytes, 'recovered');
  // 2 and 3 (r ≥ n, chance 2⁻¹²⁷) have no form in a transaction.
  if (recovery !== 0 && recovery !== 1) throw new RangeError('The signature cannot be represented');
  return { r, s, yParity: recovery };
}

/** Whose key made this signature. @throws Error when no key can have made it. */
export function recoverAddress(digest: Uint8Array, { r, s, yParity }: Signature): Address {
  fillHashes();
  const bytes = new RecoveredSignature(r, s, yParity).toBytes('recovered');
  return addressOfPublicKey(recoverPublicKey(bytes, digest, own({ prehash: false, isCompressed: false })));
}

/** The last 20 bytes of keccak256 over the uncompressed point without its 0x04. */
const addressOfPublicKey = (uncompressed: Uint8Array): Address =>
  bytesToHex(keccak_256(uncompressed.subarray(1)).subarray(12));

export const addressOf = (privateKey: Uint8Array): Address =>
  addressOfPublicKey(getPublicKey(privateKey, false));

/** SEC 1, 33 bytes. */
export const compressedPublicKey = (privateKey: Uint8Array): Uint8Array => getPublicKey(privateKey, true);

/** 32 bytes, from 1 to the curve's order less one. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  const scalar = bytesToInteger(bytes);
  return bytes.length === 32 && scalar > 0n && scalar < order;
}

/** (a + b) mod n, 32 bytes, or `null` where BIP-32 has no child: `tweak` ≥ n, or a sum of zero. */
export function addPrivateKeys(key: Uint8Array, tweak: Uint8Array): Uint8Array | null {
  const added = bytesToInteger(tweak);
  if (added >= order) return null;
  const sum = (bytesToInteger(key) + added) % order;
  return sum === 0n ? null : hexToBytes(`0x${sum.toString(16).padStart(64, '0')}`);
}

/** Builds the point tables (tens of milliseconds), which the first signature would otherwise wait for. */
export function warmUp(): void {
  getPublicKey(Uint8Array.from({ length: 32 }, () => 1));
}
