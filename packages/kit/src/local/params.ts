import type { Address, Hash, Hex } from '../../../../src/rpc/schema.js';
import { Failure, internal, invalidParam, parseFailure } from './failure.js';

/**
 * Readers of parameters, with the node's error codes and texts. All throw `Failure`. A JSON `null` is an internal error
 * (-32603), because the node's parser lets it through and the method then fails.
 */

const hexDigits = /^[0-9a-fA-F]*$/;

/** The text of a parameter as the node's parser reads it: for an object or array, only its first character. */
export function paramText(value: unknown): string {
  if (value === null || value === undefined) throw internal();
  if (Array.isArray(value)) return '[';
  return typeof value === 'object' ? '{' : String(value);
}

/** The text of a field of a parameter object: empty for an object or array, "null" for null. */
export const fieldText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? '' : String(value ?? null);

/** A parameter of the node's type String. Objects and arrays are parse errors. */
export function readText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') throw parseFailure();
  return String(value);
}

/** A parameter as quoted in an error message: at most 66 characters. */
const truncated = (given: string) => (given.length > 66 ? `${given.slice(0, 66)}...` : given);

function parseAddress(given: string): Address {
  if (given.length < 40 || given.length > 42)
    throw invalidParam('Invalid address: null, empty or invalid hex value.');
  const digits = given.replace(/^0x/, '');
  if (digits.length !== 40 || !hexDigits.test(digits))
    throw invalidParam('Invalid address format: invalid hex value.');
  return `0x${digits.toLowerCase()}`;
}

function parseWord(name: string, given: string): Hash {
  if (given.length < 64 || given.length > 66) throw invalidParam(`Invalid ${name}: incorrect length.`);
  const digits = given.replace(/^0x/, '');
  if (!hexDigits.test(digits)) throw invalidParam(`Invalid ${name} format: invalid hex value`);
  if (digits.length !== 64) throw invalidParam(`Invalid ${name}: incorrect length.`);
  return `0x${digits.toLowerCase()}`;
}

/** Parses DATA. An odd number of digits is padded with a leading zero. */
function parseBytes(given: string): Hex {
  const digits = given.replace(/^0x/, '');
  if (!hexDigits.test(digits)) throw invalidParam('Invalid data format: invalid hex value.');
  return `0x${digits.length % 2 ? '0' : ''}${digits.toLowerCase()}`;
}

/** Parses a hex or decimal quantity. `0x` alone is zero. */
function parseQuantity(given: string): bigint {
  if (given.length > 66) throw invalidParam(`Invalid param: ${truncated(given)}`);
  if (/^0x[0-9a-fA-F]*$/.test(given)) return given === '0x' ? 0n : BigInt(given);
  if (/^[+-]?[0-9]+$/.test(given)) return BigInt(given.replace(/^\+/, ''));
  if (hexDigits.test(given))
    throw invalidParam('Number values should not contain letters or hex values should start with 0x.');
  throw invalidParam(`Invalid param ${given}: value must be a valid hex or string number.`);
}

export const readAddress = (value: unknown) => parseAddress(paramText(value));
export const readBlockHash = (value: unknown) => parseWord('block hash', paramText(value));
export const readTransactionHash = (value: unknown) => parseWord('transaction hash', paramText(value));
/** Reads a transaction hash where the node looks up any other hexadecimal text in vain; `null` for such a text. */
export function readHashOrNull(value: unknown): Hash | null {
  const given = paramText(value);
  return /^(0x)?[0-9a-fA-F]{0,63}$/.test(given) ? null : parseWord('transaction hash', given);
}
export const readTopic = (value: unknown) => parseWord('topic', paramText(value));
export const readBytes = (value: unknown) => parseBytes(paramText(value));
export const readQuantity = (value: unknown) => parseQuantity(paramText(value));

export const readAddressField = (value: unknown) => parseAddress(fieldText(value));
export const readBlockHashField = (value: unknown) => parseWord('block hash', fieldText(value));
export const readTopicField = (value: unknown) => parseWord('topic', fieldText(value));
export const readBytesField = (value: unknown) => parseBytes(fieldText(value));
export const readQuantityField = (value: unknown) => parseQuantity(fieldText(value));

/** Reads an index of up to 31 bits. Upper-case digits are rejected, as by the node. */
export function readIndex(value: unknown): number {
  const given = paramText(value);
  if (given.length > 66) throw invalidParam(`Invalid argument: ${truncated(given)}`);
  if (given !== '' && !/^0x[0-9a-f]*$/.test(given))
    throw invalidParam(`Invalid argument "${given}": param should be a hex value string.`);
  const index = Number(given === '0x' ? '' : given);
  if (given === '' || given === '0x' || index > 0x7fffffff)
    throw invalidParam('Invalid index param: value must be a valid hex number.');
  return index;
}

/** Reads a boolean. An integer is accepted too: zero is false. */
export function readBoolean(value: unknown): boolean {
  if (value === null) throw internal();
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return value !== 0;
  if (value === 'true' || value === 'false') return value === 'true';
  throw parseFailure();
}

/** Reads a parameter object. Anything else is a parse error. */
export function readObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw parseFailure();
  return value as Record<string, unknown>;
}

/** Rejects `null`, for a parameter that the node's method checks itself. */
export function refuseNull(value: unknown, name: string): void {
  if (value === null) throw new Failure(-32602, `${name} is null`);
}
