import type { Address, Hash, Hex } from '../rpc/schema.js';
import { internal, invalidParam, parseFailure } from './failure.js';

/** Readers of parameters in the node's words (node-facts §1.3). All throw `Failure`. */

const hexDigits = /^[0-9a-fA-F]*$/;

/** A string, or what the node's parser makes one of; objects and arrays it cannot (node-facts §1.2). */
export function text(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') throw parseFailure();
  return String(value);
}

export function readAddress(value: unknown): Address {
  const given = text(value) ?? '';
  const digits = given.replace(/^0x/, '');
  if (digits.length !== 40 && !(given.startsWith('0X') && given.length === 42))
    throw invalidParam('Invalid address: null, empty or invalid hex value.');
  if (!hexDigits.test(digits)) throw invalidParam('Invalid address format: invalid hex value.');
  return `0x${digits.toLowerCase()}`;
}

const readWord =
  (name: string, formatEnd: string) =>
  (value: unknown): Hash => {
    const digits = (text(value) ?? '').replace(/^0x/, '');
    if (digits.length !== 64) throw invalidParam(`Invalid ${name}: incorrect length.`);
    if (!hexDigits.test(digits)) throw invalidParam(`Invalid ${name} format: invalid hex value${formatEnd}`);
    return `0x${digits.toLowerCase()}`;
  };

export const readBlockHash = readWord('block hash', '');
export const readTransactionHash = readWord('transaction hash', '');
export const readTopic = readWord('topic', '');

/** An odd number of digits is padded, not refused. */
export function readBytes(value: unknown): Hex {
  const given = text(value) ?? '';
  const digits = given.replace(/^0x/, '');
  if (!hexDigits.test(digits)) throw invalidParam('Invalid data format: invalid hex value.');
  return `0x${digits.length % 2 ? '0' : ''}${digits.toLowerCase()}`;
}

/** Hex or decimal: the node takes both. */
export function readQuantity(value: unknown): bigint {
  const given = text(value) ?? '';
  if (given.length > 66) throw invalidParam(`Invalid param: ${given}`);
  if (!/^(0x[0-9a-fA-F]+|[0-9]+)$/.test(given))
    throw invalidParam(`Invalid param ${given}: value must be a valid hex or string number.`);
  return BigInt(given);
}

/** Upper-case digits are refused, as the node does. */
export function readIndex(value: unknown): number {
  const given = text(value) ?? '';
  if (!/^0x[0-9a-f]+$/.test(given))
    throw invalidParam(`Invalid argument "${given}": param should be a hex value string.`);
  const index = Number(given);
  if (index > 0x7fffffff) throw invalidParam('Invalid index param: value must be a valid hex number.');
  return index;
}

/** JSON `null` is an unboxing failure in the node. */
export function readBoolean(value: unknown): boolean {
  if (value === null) throw internal();
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw parseFailure();
}

export type Selector = 'latest' | 'earliest' | 'pending' | number;

export const isTag = (value: string): value is 'latest' | 'earliest' | 'pending' =>
  value === 'latest' || value === 'earliest' || value === 'pending';

/** Accepted by the node's validation and mapped by none of its methods (node-facts §4). */
export const isUnmappedTag = (value: string): boolean => value === 'safe' || value === 'finalized';

/** A number or a tag; `refuse` words what the node says of anything else in this method. */
export function readSelector(
  value: unknown,
  { decimal = false, refuse = (given: string) => invalidParam(`Invalid block identifier '${given}'`) } = {},
): Selector {
  const given = text(value);
  if (given === null || given === '') throw invalidParam('Invalid block identifier: empty or null.');
  if (isTag(given)) return given;
  if (/^0x[0-9a-fA-F]{1,16}$/.test(given) || (decimal && /^[0-9]{1,16}$/.test(given))) return Number(given);
  throw refuse(given);
}

export type Reference = Selector | { readonly blockHash: Hash; readonly canonical: boolean };

/** Also a hash or a map with one of two keys (seed, Encodings; node-facts §1.3 "block ref"). */
export function readReference(value: unknown): Reference {
  if (typeof value === 'number') throw invalidParam('Invalid input');
  if (Array.isArray(value)) throw parseFailure();
  if (typeof value === 'object' && value !== null) return readReferenceMap(value as Record<string, unknown>);
  const given = text(value) ?? '';
  if (/^0x[0-9a-fA-F]{64}$/.test(given)) return { blockHash: readBlockHash(given), canonical: false };
  if (given === '') throw invalidParam(`Invalid block identifier '${given}'`);
  return readSelector(given);
}

function readReferenceMap(map: Record<string, unknown>): Reference {
  if (map.blockHash !== undefined) {
    const { requireCanonical } = map;
    if (requireCanonical !== undefined && typeof requireCanonical !== 'string') throw internal();
    if (requireCanonical !== undefined && requireCanonical !== 'true' && requireCanonical !== 'false')
      throw invalidParam('Invalid input: requireCanonical must be a String "true" or "false"');
    return { blockHash: readBlockHash(map.blockHash), canonical: requireCanonical === 'true' };
  }
  if (map.blockNumber !== undefined) return readSelector(map.blockNumber);
  throw invalidParam('Invalid block input');
}

/** The parameter object of a call or a filter; what is no object, the node's parser refuses. */
export function readObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw parseFailure();
  return value as Record<string, unknown>;
}
