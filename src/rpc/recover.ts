import { keccak_256 } from '@noble/hashes/sha3.js';
import { Signature as RecoveredSignature, recoverPublicKey } from '@noble/secp256k1';
import { bytesToHex } from './hex.js';
import { own } from './own.js';
import type { Address } from './schema.js';
import type { Signature } from './transaction.js';

const recovering = own({ prehash: false, isCompressed: false } as const);

/** The address whose key made the signature. @throws Error for an invalid signature */
export const recoverAddress = (digest: Uint8Array, signature: Signature): Address =>
  addressOfPublicKey(recoverUncompressed(digest, signature));

/** The public key that belongs to the signature, 65 bytes in the uncompressed form of SEC 1. @throws Error as above */
export function recoverUncompressed(digest: Uint8Array, { r, s, yParity }: Signature): Uint8Array {
  const bytes = new RecoveredSignature(r, s, yParity).toBytes('recovered');
  return recoverPublicKey(bytes, digest, recovering);
}

/** The last 20 bytes of keccak256 over the uncompressed point without its 0x04. */
export const addressOfPublicKey = (uncompressed: Uint8Array): Address =>
  bytesToHex(keccak_256(uncompressed.subarray(1)).subarray(12));
