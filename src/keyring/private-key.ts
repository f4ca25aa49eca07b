import { hexToBytes } from '@noble/hashes/utils.js';
import { invalidParams } from '../rpc/errors.js';
import { isPrivateKey } from './signer.js';

/**
 * Reads a private key: 64 hexadecimal digits, with or without `0x`, from 1 to the order of the curve minus one.
 * @throws ProviderRpcError -32602; the message never contains the input
 */
export function readPrivateKey(text: string): Uint8Array {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text.trim())?.[1];
  if (digits === undefined) throw invalidParams('The private key must be 32 bytes as hexadecimal digits');
  const bytes = hexToBytes(digits);
  if (!isPrivateKey(bytes))
    throw invalidParams('The private key is out of range: zero, or not below the order of secp256k1');
  return bytes;
}
