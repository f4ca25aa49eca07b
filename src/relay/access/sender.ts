import { keccak_256 } from '@noble/hashes/sha3.js';
import { recoverPublicKey, Signature } from '@noble/secp256k1';
import { bytesToHex } from '../../rpc/hex.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import { type ParsedTransaction, signingDigest } from '../../rpc/transaction.js';

const options = own({ prehash: false, isCompressed: false } as const);

/**
 * Recovers the sender of a signed transaction, in some milliseconds; `undefined` for a signature that no key has made.
 *
 * @example
 * senderOf(parseSigned(raw, 31, 'params[0]', true)); // '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
 */
export function senderOf({
  transaction,
  signature: { r, s, yParity },
}: ParsedTransaction): Address | undefined {
  try {
    const signature = new Signature(r, s, yParity).toBytes('recovered');
    const key = recoverPublicKey(signature, signingDigest(transaction), options);
    return bytesToHex(keccak_256(key.subarray(1)).subarray(12));
  } catch {
    return undefined;
  }
}
