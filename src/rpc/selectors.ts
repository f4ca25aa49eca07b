import { invalidParams } from './errors.js';
import { membersOf } from './own-data.js';
import { hash, quantityUpTo, type Reader, record, refuse } from './params.js';
import type { BlockReference, BlockSelector } from './schema.js';

/** Readers of block selectors (docs/notes/service.md#encodings). */

const tags: readonly unknown[] = ['latest', 'earliest', 'pending'];

/** Nodes use signed 64-bit block numbers; a longer value is probably a hash. */
const blockNumber = quantityUpTo(63, 'a block number (QUANTITY)');

/** A block number or one of the three tags of the chain. */
export const blockSelector: Reader<BlockSelector> = (value, path) => {
  if (tags.includes(value)) return value as BlockSelector;
  if (value === 'safe' || value === 'finalized')
    throw invalidParams(`${path}: the tag "${value}" is not known on this proof-of-work chain; use "latest"`);
  if (typeof value !== 'string')
    throw refuse(path, 'a block number (QUANTITY) or "latest", "earliest" or "pending"', value);
  return blockNumber(value, path);
};

/** `requireCanonical` as a boolean (EIP-1898) or as the node's strings. */
const canonicalWords: readonly unknown[] = [undefined, true, false, 'true', 'false'];

/** For some methods also a block hash, or an object with `blockHash` or `blockNumber` (EIP-1898). */
export const blockReference: Reader<BlockReference> = (value, path) => {
  if (typeof value === 'string' && value.length === 66 && /^0x[0-9a-fA-F]{64}$/.test(value))
    return hash(value, path);
  if (typeof value !== 'object' || value === null) return blockSelector(value, path);
  const map = record(value, path, ['blockHash', 'blockNumber', 'requireCanonical']);
  if (map.blockHash !== undefined && map.blockNumber !== undefined)
    throw invalidParams(`${path}: blockHash and blockNumber exclude each other`);
  if (!canonicalWords.includes(map.requireCanonical))
    throw refuse(`${path}.requireCanonical`, 'a boolean', map.requireCanonical ?? null);
  if (map.blockNumber !== undefined)
    return { blockNumber: blockNumber(map.blockNumber, `${path}.blockNumber`) };
  if (map.blockHash === undefined) throw refuse(path, 'blockHash or blockNumber', value);
  // `requireCanonical` is dropped: as a boolean (EIP-1898) it crashes the node, and for canonical blocks the result is the
  // same without it (docs/notes/node.md#form-of-params).
  return { blockHash: hash(map.blockHash, `${path}.blockHash`) };
};

/** The height of a selector; `undefined` for `latest` and `pending`, and without a selector. */
export const heightOfSelector = (selector: BlockSelector | undefined): number | undefined =>
  selector === 'earliest' ? 0 : selector?.startsWith('0x') ? Number(selector) : undefined;

/** The height of a mined block, transaction or receipt, or of the last of an array of logs or traces; else NaN. */
export function heightIn(result: unknown): number {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  const { blockNumber, number = blockNumber, hash, blockHash = hash } = membersOf(last);
  // Pending transactions have an all-zero block hash.
  const isMined = blockHash !== null && !/^0x0{64}$/.test(`${blockHash}`);
  return isMined && /^(0x[0-9a-f]{1,16}|\d{1,15})$/i.test(`${number}`) ? Number(number) : Number.NaN;
}
