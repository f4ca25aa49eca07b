import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '../rpc/hex.js';
import { concatBytes } from '../rpc/rlp.js';
import type { Hex } from '../rpc/schema.js';
import { checksumLength, encodeBase58 } from './base58-check.js';
import type { BitcoinNetwork } from './network.js';

/** SHA-256 of SHA-256, which Bitcoin uses for checksums and for the ids of transactions. */
export const doubleSha256 = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));

/** A public key in the compressed form of SEC 1, 33 bytes. @param uncompressed 65 bytes */
export const compressKey = (uncompressed: Uint8Array): Uint8Array =>
  concatBytes(Uint8Array.of(2 + ((uncompressed[64] as number) & 1)), uncompressed.subarray(1, 33));

/** RIPEMD-160 of SHA-256 of a compressed public key: the 20 bytes that its address has. */
export const hashOfKey = (compressed: Uint8Array): Uint8Array => ripemd160(sha256(compressed));

/** The P2PKH address of such a hash. The bridge pays peg-outs to that of the compressed key. */
export function addressOfHash(hash: Uint8Array, { addressVersion }: BitcoinNetwork): string {
  const payload = concatBytes(Uint8Array.of(addressVersion), hash);
  const bytes = concatBytes(payload, doubleSha256(payload).subarray(0, checksumLength));
  return encodeBase58(bytes, bytes.length);
}

/** The output script that pays to such a hash: OP_DUP OP_HASH160 <hash> OP_EQUALVERIFY OP_CHECKSIG. */
export const scriptOfHash = (hash: Uint8Array): Hex => `0x76a914${bytesToHex(hash).slice(2)}88ac`;
