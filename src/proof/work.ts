import { bytesToInteger } from '../rpc/hex.js';
import { keccak256 } from '../rpc/keccak.js';
import { concatBytes, encodeRlp } from '../rpc/rlp.js';
import type { BlockHeader } from './header.js';
import type { ChainRules } from './rules.js';
import { sha256 } from './sha256.js';
import { contradiction } from './verdict.js';

/**
 * Checks that Bitcoin's miners worked on a block, by the rules of Rootstock's nodes: a Bitcoin header whose hash is as low as the
 * block's difficulty asks, with a coinbase below its Merkle root that names the block (RSKIP-92, -110, -180).
 *
 * @throws NotProven `contradicted`
 */
export function checkWork(header: BlockHeader, rules: ChainRules): void {
  const { bitcoinHeader, coinbase, difficulty, number } = header;
  if (bytesToInteger(twice(bitcoinHeader).reverse()) > targetOf(difficulty))
    throw contradiction('The Bitcoin header has less work than the block claims.');
  if (coinbase.length < midstate) throw contradiction('The coinbase is too short.');
  const tail = coinbase.subarray(midstate);
  checkTag(tail, header, number >= rules.forkDataFrom);
  const root = rootOf(header, number >= rules.shortProofFrom ? 960 : Number.POSITIVE_INFINITY);
  if (!isSame(root, bitcoinHeader.subarray(36, 68)))
    throw contradiction('The coinbase is not in the Bitcoin block.');
}

/** The highest hash that is work of a difficulty. */
export const targetOf = (difficulty: bigint): bigint => (1n << 256n) / (difficulty < 3n ? 3n : difficulty);

/** Bytes before the tail of the coinbase: a count and a state. */
const midstate = 40;
const tag = Uint8Array.from('RSKBLOCK:', (letter) => letter.charCodeAt(0));
/** Bytes of the hash that are named, and those of fork data that take the place of the rest. */
const named = 20;
const hashLength = 32;
/** The tag begins in the first of these bytes of the tail, and no more than those follow its hash. */
const tagWithin = 64;
const maxAfterTag = 128;

const twice = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

function checkTag(tail: Uint8Array, { form, coinbase }: BlockHeader, hasForkData: boolean): void {
  const at = lastIndexOf(tail, tag);
  const length = hasForkData ? named : hashLength;
  const hash = keccak256(encodeRlp(form)).subarray(0, length);
  if (at < 0 || !isSame(tail.subarray(at + tag.length, at + tag.length + length), hash))
    throw contradiction('The coinbase does not name the block.');
  if (hasForkData && tail.length < at + tag.length + hashLength)
    throw contradiction('The coinbase has no fork data.');
  if (at >= tagWithin) throw contradiction('The coinbase names the block too late.');
  if (tail.length - at - tag.length - hashLength > maxAfterTag)
    throw contradiction('The coinbase goes on too long after the name of the block.');
  if (countOf(coinbase) + BigInt(tail.length) <= BigInt(tagWithin))
    throw contradiction('The coinbase is too short.');
}

function lastIndexOf(bytes: Uint8Array, part: Uint8Array): number {
  for (let at = bytes.length - part.length; at >= 0; at--)
    if (isSame(bytes.subarray(at, at + part.length), part)) return at;
  return -1;
}

/** How many bytes of the coinbase the state has taken. */
const countOf = (coinbase: Uint8Array): bigint => bytesToInteger(coinbase.subarray(0, 8));

/** The Merkle root above the coinbase, which is the leftmost leaf. */
function rootOf({ coinbase, merkleProof }: BlockHeader, maxLength: number): Uint8Array {
  if (merkleProof.length % 32 !== 0 || merkleProof.length > maxLength)
    throw contradiction('The Merkle proof has a wrong length.');
  let node: Uint8Array = sha256(hashOf(coinbase));
  for (let at = 0; at < merkleProof.length; at += 32)
    node = twice(concatBytes(node, merkleProof.slice(at, at + 32).reverse()));
  return node;
}

/** The hash of the whole coinbase, from the state after its beginning. */
function hashOf(coinbase: Uint8Array): Uint8Array {
  const words = new DataView(coinbase.buffer, coinbase.byteOffset + 8, 32);
  const state = Int32Array.from({ length: 8 }, (_, index) => words.getInt32(4 * index));
  return sha256(coinbase.subarray(midstate), state, Number(countOf(coinbase)));
}
