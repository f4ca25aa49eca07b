import { invalidParams } from './errors.js';
import { hash, quantityUpTo, type Reader, record, refuse } from './params.js';
import type { BlockReference, BlockSelector } from './schema.js';

/** Readers of what names a block (docs/notes/service.md#encodings). */

const tags: readonly unknown[] = ['latest', 'earliest', 'pending'];

/** Nodes count blocks in 64 bits, one of them the sign; what is longer is a hash where none is taken. */
const blockNumber = quantityUpTo(63, 'a block number (QUANTITY)');

/** A block number or one of the chain's three tags. */
export const blockSelector: Reader<BlockSelector> = (value, path) => {
  if (tags.includes(value)) return value as BlockSelector;
  if (value === 'safe' || value === 'finalized')
    throw invalidParams(`${path}: the tag "${value}" is not known on this proof-of-work chain; use "latest"`);
  if (typeof value !== 'string')
    throw refuse(path, 'a block number (QUANTITY) or "latest", "earliest" or "pending"', value);
  return blockNumber(value, path);
};

/** EIP-1898's booleans, and the node's own words for them. */
const canonicalWords: readonly unknown[] = [undefined, true, false, 'true', 'false'];

/** Where a method says so: also a block hash, or a map with `blockHash` or `blockNumber` (EIP-1898). */
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
  // `requireCanonical` is left out: as a boolean (EIP-1898) it crashes the node, and without it the node
  // answers for canonical blocks the same (docs/notes/node.md#form-of-params).
  return { blockHash: hash(map.blockHash, `${path}.blockHash`) };
};

/** The height that a selector names; `undefined` for the tags that move, and for none. */
export const heightOfSelector = (selector: BlockSelector | undefined): number | undefined =>
  selector === 'earliest' ? 0 : selector?.startsWith('0x') ? Number(selector) : undefined;
