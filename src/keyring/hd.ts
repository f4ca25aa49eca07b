import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { excerpt } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { Bytes, partOf, sliceBytes, subtle, wipe } from './builtins.js';
import { addPrivateKeys, compressedPublicKey, isPrivateKey } from './signer.js';

/** BIP-32 key derivation, private keys only. */

const hardened = 0x8000_0000;
const maxDepth = 10;

/**
 * Reads a path such as `m/44'/137'/0'/0/0`: 1 to 10 decimal indexes below 2^31 without leading zeros, `'` for hardened.
 * @throws ProviderRpcError -32602 naming `path`
 */
export function readPath(path: string): readonly number[] {
  const [root, ...levels] = path.split('/');
  const refuse = (rule: string) =>
    invalidParams(`path: ${rule}, such as m/44'/137'/0'/0/0; received ${excerpt(path)}`);
  if (root !== 'm' || levels.length === 0) throw refuse('expected "m/" and indexes');
  if (levels.length > maxDepth) throw refuse(`expected at most ${maxDepth} levels`);
  return levels.map((level) => {
    const index = /^(0|[1-9][0-9]{0,9})('?)$/.exec(level);
    if (index === null || Number(index[1]) >= hardened)
      throw refuse(`expected indexes below 2^31, each optionally followed by '`);
    return Number(index[1]) + (index[2] === '' ? 0 : hardened);
  });
}

interface Node {
  readonly privateKey: Uint8Array;
  readonly chainCode: Uint8Array;
}

/**
 * The private key at `path` for a seed of 16 to 64 bytes. The caller wipes the result (32 bytes).
 * @throws ProviderRpcError -32602 for an invalid path, or (probability 2⁻¹²⁷) one without a key
 */
export async function derivePrivateKey(seed: Uint8Array, path: string): Promise<Uint8Array> {
  const indexes = readPath(path);
  if (seed.length < 16 || seed.length > 64) throw new RangeError('A BIP-32 seed has 16 to 64 bytes');
  const whole = await hmacSha512(utf8ToBytes('Bitcoin seed'), seed);
  let node: Node = { privateKey: sliceBytes(whole, 0, 32), chainCode: sliceBytes(whole, 32) };
  wipe(whole);
  if (!isPrivateKey(node.privateKey)) throw invalidParams('mnemonic: it has no master key');
  for (const index of indexes) {
    const next = await child(node, index);
    wipe(node.privateKey);
    wipe(node.chainCode);
    if (next === null) throw invalidParams(`path: no key exists at ${excerpt(path)}`);
    node = next;
  }
  wipe(node.chainCode);
  return node.privateKey;
}

async function child({ privateKey, chainCode }: Node, index: number): Promise<Node | null> {
  const parent =
    index >= hardened ? concatBytes(Uint8Array.of(0), privateKey) : compressedPublicKey(privateKey);
  const data = concatBytes(parent, Uint8Array.of(index >>> 24, index >>> 16, index >>> 8, index));
  const whole = await hmacSha512(chainCode, data);
  const key = addPrivateKeys(privateKey, partOf(whole, 0, 32));
  const node = key === null ? null : { privateKey: key, chainCode: sliceBytes(whole, 32) };
  for (const bytes of [parent, data, whole]) wipe(bytes);
  return node;
}

/** Uses WebCrypto, since a script for SHA-512 would be larger than the rest of the derivation. */
async function hmacSha512(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-512' };
  const imported = await subtle.importKey('raw', key as BufferSource, algorithm, false, ['sign']);
  return new Bytes(await subtle.sign('HMAC', imported, message as BufferSource));
}
