import type { Address, Hash, Hex } from '../rpc/schema.js';
import { Failure, internal, invalidParam, parseFailure } from './failure.js';

/**
 * Readers of parameters, with the node's codes and texts. All throw `Failure`. The node's parser passes JSON `null`
 * through, and the method then fails with an internal error: -32603.
 */

const hexDigits = /^[0-9a-fA-F]*$/;

/** The text of a parameter as the node's parser sees it: of an object or a list only the first character. */
export function paramText(value: unknown): string {
  if (value === null || value === undefined) throw internal();
  if (Array.isArray(value)) return '[';
  return typeof value === 'object' ? '{' : String(value);
}

/** The text of a field of a parameter object: objects and lists have none, and `null` is a word. */
export const fieldText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? '' : String(value ?? null);

/** A parameter of the node's type String; objects and lists its parser refuses. */
export function readText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') throw parseFailure();
  return String(value);
}

/** What the node repeats of a parameter in an error: no more than 66 characters. */
const repeated = (given: string) => (given.length > 66 ? `${given.slice(0, 66)}...` : given);

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

/** An odd number of digits is padded, not refused. */
function parseBytes(given: string): Hex {
  const digits = given.replace(/^0x/, '');
  if (!hexDigits.test(digits)) throw invalidParam('Invalid data format: invalid hex value.');
  return `0x${digits.length % 2 ? '0' : ''}${digits.toLowerCase()}`;
}

/** Hex or decimal: the node takes both, and nothing after `0x` is zero. */
function parseQuantity(given: string): bigint {
  if (given.length > 66) throw invalidParam(`Invalid param: ${repeated(given)}`);
  if (/^0x[0-9a-fA-F]*$/.test(given)) return given === '0x' ? 0n : BigInt(given);
  if (/^[+-]?[0-9]+$/.test(given)) return BigInt(given.replace(/^\+/, ''));
  if (hexDigits.test(given))
    throw invalidParam('Number values should not contain letters or hex values should start with 0x.');
  throw invalidParam(`Invalid param ${given}: value must be a valid hex or string number.`);
}

export const readAddress = (value: unknown) => parseAddress(paramText(value));
export const readBlockHash = (value: unknown) => parseWord('block hash', paramText(value));
export const readTransactionHash = (value: unknown) => parseWord('transaction hash', paramText(value));
export const readTopic = (value: unknown) => parseWord('topic', paramText(value));
export const readBytes = (value: unknown) => parseBytes(paramText(value));
export const readQuantity = (value: unknown) => parseQuantity(paramText(value));

export const readAddressField = (value: unknown) => parseAddress(fieldText(value));
export const readBlockHashField = (value: unknown) => parseWord('block hash', fieldText(value));
export const readTopicField = (value: unknown) => parseWord('topic', fieldText(value));
export const readBytesField = (value: unknown) => parseBytes(fieldText(value));
export const readQuantityField = (value: unknown) => parseQuantity(fieldText(value));

/** Upper-case digits are refused, as the node does. */
export function readIndex(value: unknown): number {
  const given = paramText(value);
  if (given.length > 66) throw invalidParam(`Invalid argument: ${repeated(given)}`);
  if (given !== '' && !/^0x[0-9a-f]*$/.test(given))
    throw invalidParam(`Invalid argument "${given}": param should be a hex value string.`);
  const index = Number(given === '0x' ? '' : given);
  if (given === '' || given === '0x' || index > 0x7fffffff)
    throw invalidParam('Invalid index param: value must be a valid hex number.');
  return index;
}

/** Numbers count as booleans: zero is false. */
export function readBoolean(value: unknown): boolean {
  if (value === null) throw internal();
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return value !== 0;
  if (value === 'true' || value === 'false') return value === 'true';
  throw parseFailure();
}

/** The parameter object of a call or a filter; what is no object, the node's parser refuses. */
export function readObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw parseFailure();
  return value as Record<string, unknown>;
}

/** A parameter that the method itself checks for `null`. */
export function refuseNull(value: unknown, name: string): void {
  if (value === null) throw new Failure(-32602, `${name} is null`);
}
