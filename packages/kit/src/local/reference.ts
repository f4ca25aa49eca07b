import { toQuantity } from '../../../../src/rpc/hex.js';
import type { Hash, Hex } from '../../../../src/rpc/schema.js';
import type { Context } from './context.js';
import { blockNotFound, Failure, internal, invalidParam } from './failure.js';
import { paramText, readBlockHashField, readQuantityField } from './params.js';

export type Tag = 'latest' | 'earliest' | 'pending';

/** A block reference of a request: a tag, a number or a hash (EIP-1898). */
export interface Reference {
  /** A number may be higher than the head. */
  readonly at: Tag | number | { readonly hash: Hash; readonly canonical: boolean };
  /** The block's name in the node's error `Block … not found`. */
  readonly named: string;
}

export const isTag = (value: string): value is Tag => /^(latest|earliest|pending)$/.test(value);
/** Whether a text is any tag in any case. The node's validation accepts these, its methods only those of `isTag`. */
export const isAnyTag = (value: string): boolean => /^(latest|earliest|pending|safe|finalized)$/i.test(value);
const isNumber = (value: string) => /^([0-9]+|0x[0-9a-fA-F]+)$/.test(value);
const isHash = (value: string) => /^0x[0-9a-f]{63,64}$/.test(value);

const invalidIdentifier = (text: string) => invalidParam(`Invalid block identifier '${text}'`);

/** Reads a tag or number and checks only its form. */
export function readIdentifier(value: unknown): string {
  const text = paramText(value);
  if (text === '') throw invalidParam('Invalid block identifier: empty or null.');
  if (!isAnyTag(text) && !isNumber(text)) throw invalidIdentifier(text);
  return text;
}

/** The block number in a text, from its lowest 64 bits. It may be negative, which matches no block. */
export const blockNumberOf = (text: string): number => Number(BigInt.asIntN(64, BigInt(text)));

/** Parses an identifier as most methods of the node do: a tag, a hash, or a hex number. */
export function parseIdentifier(text: string): Reference {
  if (isTag(text)) return { at: text, named: text };
  if (isHash(text)) {
    const hash: Hash = `0x${text.slice(2).padStart(64, '0')}`;
    return { at: { hash, canonical: false }, named: text };
  }
  if (text.length > 66) throw invalidParam(`invalid block identifier ${text.slice(0, 66)}...`);
  if (!/^0x[0-9a-fA-F]+$/.test(text)) throw invalidParam(`invalid blocknumber ${text}`);
  return { at: blockNumberOf(text), named: text };
}

export const readBlock = (value: unknown): Reference => parseIdentifier(readIdentifier(value));

/** Reads an identifier or a block object (EIP-1898). An identifier is returned as text, checked only for its form. */
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

/** The engine's selector for a block reference; null for an unknown block in the seed dialect. @throws Failure in the node dialect */
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
  if (chain.findNonCanonical(at.hash)) {
    if (at.canonical)
      throw new Failure(-32600, `Block with hash ${at.hash} is not canonical and it is required`);
    return unknown();
  }
  const block = await blocks.find(at.hash);
  return block === null ? unknown() : block.number;
}
