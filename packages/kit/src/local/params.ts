import type { Address, Hash, Hex } from '../../../../src/rpc/schema.js';
import { internal, invalidParam, parseFailure } from './failure.js';

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

/** Reads a hex or decimal number that the node's method takes as a String. */
export function readNumber(value: unknown, name: string): bigint {
  const text = readText(value) ?? '';
  if (!/^(0x[0-9a-fA-F]+|[+-]?[0-9]+)$/.test(text)) throw invalidParam(`invalid ${name} ${text}`);
  return BigInt(text);
}

/** A parameter as quoted in an error message: at most 66 characters. */
const truncated = (text: string) => (text.length > 66 ? `${text.slice(0, 66)}...` : text);

function parseAddress(text: string): Address {
  if (text.length < 40 || text.length > 42)
    throw invalidParam('Invalid address: null, empty or invalid hex value.');
  const digits = text.replace(/^0x/, '');
  if (digits.length !== 40 || !hexDigits.test(digits))
    throw invalidParam('Invalid address format: invalid hex value.');
  return `0x${digits.toLowerCase()}`;
}

function parseWord(name: string, text: string): Hash {
  if (text.length < 64 || text.length > 66) throw invalidParam(`Invalid ${name}: incorrect length.`);
  const digits = text.replace(/^0x/, '');
  if (!hexDigits.test(digits)) throw invalidParam(`Invalid ${name} format: invalid hex value`);
  if (digits.length !== 64) throw invalidParam(`Invalid ${name}: incorrect length.`);
  return `0x${digits.toLowerCase()}`;
}

/** Parses DATA. An odd number of digits is padded with a leading zero. */
function parseBytes(text: string): Hex {
  const digits = text.replace(/^0x/, '');
  if (!hexDigits.test(digits)) throw invalidParam('Invalid data format: invalid hex value.');
  return `0x${digits.length % 2 ? '0' : ''}${digits.toLowerCase()}`;
}

/** Parses a hex or decimal quantity. `0x` alone is zero. */
function parseQuantity(text: string): bigint {
  if (text.length > 66) throw invalidParam(`Invalid param: ${truncated(text)}`);
  if (/^0x[0-9a-fA-F]*$/.test(text)) return text === '0x' ? 0n : BigInt(text);
  if (/^[+-]?[0-9]+$/.test(text)) return BigInt(text);
  if (hexDigits.test(text))
    throw invalidParam('Number values should not contain letters or hex values should start with 0x.');
  throw invalidParam(`Invalid param ${text}: value must be a valid hex or string number.`);
}

export const readAddress = (value: unknown) => parseAddress(paramText(value));
export const readBlockHash = (value: unknown) => parseWord('block hash', paramText(value));
export const readTransactionHash = (value: unknown) => parseWord('transaction hash', paramText(value));
/** Reads a transaction hash where the node looks up any other hexadecimal text in vain; `null` for such a text. */
export function readHashOrNull(value: unknown): Hash | null {
  const text = paramText(value);
  return /^(0x)?[0-9a-fA-F]{0,63}$/.test(text) ? null : parseWord('transaction hash', text);
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
  const text = paramText(value);
  if (text.length > 66) throw invalidParam(`Invalid argument: ${truncated(text)}`);
  if (text !== '' && !/^0x[0-9a-f]*$/.test(text))
    throw invalidParam(`Invalid argument "${text}": param should be a hex value string.`);
  if (text === '' || text === '0x' || Number(text) > 0x7fffffff)
    throw invalidParam('Invalid index param: value must be a valid hex number.');
  return Number(text);
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
  if (value === null) throw invalidParam(`${name} is null`);
}
