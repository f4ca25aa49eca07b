import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type AbiSignature, parseSignature, typesOf } from './abi-parameters.js';

/** Signatures that `readSignatures` has normalised, by their selectors (`0x` and 8 digits). */
export const bySelector = (signatures: readonly string[]): ReadonlyMap<string, AbiSignature> =>
  new Map(
    signatures.map((text) => {
      const signature = parseSignature(text);
      const selector = keccak_256(utf8ToBytes(typesOf(signature))).subarray(0, 4);
      return [`0x${bytesToHex(selector)}`, signature];
    }),
  );
