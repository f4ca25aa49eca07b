import { toQuantity } from '../rpc/hex.js';
import type { Hash, Hex } from '../rpc/schema.js';
import type { Context } from './context.js';
import { blockNotFound, Failure, internal, invalidParam } from './failure.js';
import { paramText, readBlockHashField, readQuantityField } from './params.js';

/** Blocks as requests name them: by tag, number or hash, alone or in an object (EIP-1898). */

export type Tag = 'latest' | 'earliest' | 'pending';

export interface Reference {
  /** A number may be beyond the head. */
  readonly at: Tag | number | { readonly hash: Hash; readonly canonical: boolean };
  /** How the node names the block when it has none: `Block … not found`. */
  readonly named: string;
}

export const isTag = (value: string): value is Tag => /^(latest|earliest|pending)$/.test(value);
/** Any tag in any case. The node's validation accepts all of these, its methods only those of `isTag`. */
export const isAnyTag = (value: string): boolean => /^(latest|earliest|pending|safe|finalized)$/i.test(value);
const isNumber = (value: string) => /^([0-9]+|0x[0-9a-fA-F]+)$/.test(value);
const isHash = (value: string) => /^0x[0-9a-f]{63,64}$/.test(value);

export const invalidIdentifier = (given: string) => invalidParam(`Invalid block identifier '${given}'`);

/** A parameter that names a block by tag or number, checked for its form alone. */
export function readIdentifier(value: unknown): string {
  const given = paramText(value);
  if (given === '') throw invalidParam('Invalid block identifier: empty or null.');
  if (!isAnyTag(given) && !isNumber(given)) throw invalidIdentifier(given);
  return given;
}

/** The number in a text, by its lowest 64 bits; negative ones name no block. */
export const blockNumberOf = (given: string): number => Number(BigInt.asIntN(64, BigInt(given)));

/** What the node makes of an identifier in most methods: a tag, a hash, or a number in hex. */
export function parseIdentifier(given: string): Reference {
  if (isTag(given)) return { at: given, named: given };
  if (isHash(given)) {
    const hash: Hash = `0x${given.slice(2).padStart(64, '0')}`;
    return { at: { hash, canonical: false }, named: given };
  }
  if (given.length > 66) throw invalidParam(`invalid block identifier ${given.slice(0, 66)}...`);
  if (!/^0x[0-9a-fA-F]+$/.test(given)) throw invalidParam(`invalid blocknumber ${given}`);
  return { at: blockNumberOf(given), named: given };
}

export const readBlock = (value: unknown): Reference => parseIdentifier(readIdentifier(value));

/** A parameter that is an identifier, alone or as `blockNumber`, checked for its form alone; or has `blockHash`. */
export function readIdentifierOrMap(value: unknown): string | Reference {
  if (value === null || value === undefined) throw internal();
  if (typeof value === 'object' && !Array.isArray(value)) return readMap(value as Record<string, unknown>);
  if (typeof value !== 'string') throw invalidParam('Invalid input');
  if (!isTag(value) && !isNumber(value)) throw invalidIdentifier(value);
  return value;
}

export function readReference(value: unknown): Reference {
  const read = readIdentifierOrMap(value);
  return typeof read === 'string' ? parseIdentifier(read) : read;
}

function readMap(map: Record<string, unknown>): string | Reference {
  const { blockHash, blockNumber, requireCanonical } = map;
  if (blockHash === undefined && blockNumber === undefined) throw invalidParam('Invalid block input');
  for (const field of [requireCanonical, blockHash, blockNumber])
    if (field !== undefined && field !== null && typeof field !== 'string') throw internal();
  if (requireCanonical !== undefined && !/^(true|false)$/i.test(String(requireCanonical)))
    throw invalidParam('Invalid input: requireCanonical must be a String "true" or "false"');
  if (blockHash !== undefined) {
    const hash = readBlockHashField(blockHash);
    const canonical = /^true$/i.test(String(requireCanonical));
    return { at: { hash, canonical }, named: `with hash ${blockHash}` };
  }
  readQuantityField(blockNumber);
  return String(blockNumber);
}

/** The engine's selector for a block reference, or null when the block is unknown and the seed says null. */
export async function resolve(
  { at, named }: Reference,
  context: Context,
): Promise<Hex | 'latest' | 'pending' | null> {
  const { chain, blocks, switches } = context;
  const unknown = () => {
    if (switches.unknownBlock === 'null') return null;
    throw blockNotFound(named);
  };
  if (at === 'latest' || at === 'pending') return at;
  if (at === 'earliest') return '0x0';
  if (typeof at === 'number') return at < 0 || at > chain.head() ? unknown() : toQuantity(at);
  if (chain.besideChain(at.hash)) {
    if (at.canonical)
      throw new Failure(-32600, `Block with hash ${at.hash} is not canonical and it is required`);
    return unknown();
  }
  const block = await blocks.find(at.hash);
  return block === null ? unknown() : block.number;
}
