import { Bytes, partOf, setBytes, subtle, wipe } from '../keyring/builtins.js';
import { checksumLength, encodeBase58 } from './base58-check.js';
import type { BitcoinNetwork } from './network.js';

/** Bytes before the checksum: the version, the key, and 1 for a compressed public key. */
const payloadLength = 34;

/**
 * A private key in Bitcoin's wallet import format, for its compressed public key. It hashes with WebCrypto as the page had it
 * first, so that no script sees the key, and wipes its copies.
 *
 * @param privateKey 32 bytes, which the caller wipes
 */
export async function encodeWif(privateKey: Uint8Array, { wifVersion }: BitcoinNetwork): Promise<string> {
  const bytes = new Bytes(payloadLength + checksumLength);
  try {
    bytes[0] = wifVersion;
    setBytes(bytes, privateKey, 1);
    bytes[payloadLength - 1] = 1;
    const once = await subtle.digest('SHA-256', partOf(bytes, 0, payloadLength));
    const twice = new Bytes(await subtle.digest('SHA-256', once));
    setBytes(bytes, partOf(twice, 0, checksumLength), payloadLength);
    return encodeBase58(bytes, payloadLength + checksumLength);
  } finally {
    wipe(bytes);
  }
}
