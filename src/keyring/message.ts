import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { invalidParams } from '../rpc/errors.js';
import { bytesToHex, hexToBytes, wordOf } from '../rpc/hex.js';
import { recoverAddress } from '../rpc/recover.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Signature } from '../rpc/transaction.js';

/** The digest that `personal_sign` and `eth_sign` sign: ERC-191, version 0x45, with the length in bytes. */
export const messageDigest = (message: Uint8Array): Uint8Array =>
  keccak_256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${message.length}`), message));

/** 65 bytes r‖s‖v, v being 27 or 28 (docs/notes/service.md#methods-with-full-parameter-and-result-shape). */
export function encodeSignature({ r, s, yParity }: Signature): Hex {
  return `0x${wordOf(r)}${wordOf(s)}${(27 + yParity).toString(16)}`;
}

/**
 * The address whose key signed `message` (ERC-191), for `personal_ecRecover`. `v` may be 27/28 or 0/1. A high `s` is
 * accepted, as in geth.
 *
 * @param path of the signature in the request, for errors
 * @throws ProviderRpcError -32602
 */
export function recoverMessage(message: Hex, signature: Hex, path = 'params[1]'): Address {
  const bytes = hexToBytes(signature);
  if (bytes.length !== 65) throw invalidParams(`${path}: a signature has 65 bytes, received ${bytes.length}`);
  const v = bytes[64] as number;
  if (v !== 0 && v !== 1 && v !== 27 && v !== 28)
    throw invalidParams(`${path}: a signature ends in v = 0, 1, 27 or 28, received ${v}`);
  const scalar = (at: number) => BigInt(bytesToHex(bytes.subarray(at, at + 32)));
  try {
    const yParity = v === 1 || v === 28 ? 1 : 0;
    return recoverAddress(messageDigest(hexToBytes(message)), { r: scalar(0), s: scalar(32), yParity });
  } catch {
    throw invalidParams(`${path}: no key can have made this signature`);
  }
}
