import { hexToBytes } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';
import { encodeSignature, messageDigest } from './message.js';
import { buildTables, sign } from './signer.js';

/**
 * Signatures of messages and typed data, in a chunk with the curve: it loads while the person reads the question. Each function
 * hashes at once, and returns a function that signs with the key that it is lent.
 */

export type SignWith<T> = (privateKey: Uint8Array) => T;

/** 65 bytes r‖s‖v (v 27/28) for the bytes of a message (ERC-191). */
export const signMessage = (bytes: Hex): SignWith<Hex> => signDigest(messageDigest(hexToBytes(bytes)));

/** The same for the digest of typed data. */
export const signTypedData = (digest: Hex): SignWith<Hex> => signDigest(hexToBytes(digest));

const signDigest =
  (digest: Uint8Array): SignWith<Hex> =>
  (privateKey) =>
    encodeSignature(sign(digest, privateKey));

/** Makes the first signature as fast as later ones. */
export const warmUp = (): void => buildTables();
