import { hexToBytes, integerToBytes } from '../rpc/hex.js';
import type { Hex } from '../rpc/schema.js';
import { noProof } from './verdict.js';

/** Reads the fields of a node's reply as the bytes that are hashed. A field that is missing or unreadable proves nothing. */

/** Digits that a field of any length may have: the logs of a block have less than a megabyte. */
const maxDigits = 2 * 1_048_576;

/** DATA, of a given number of bytes where one is given. */
export function dataOf(fields: object, name: string, size?: number): Uint8Array {
  const value = (fields as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'string' || value.length > maxDigits + 2 || !/^0x([0-9a-f]{2})*$/i.test(value))
    throw noProof(`The field ${name} is missing or no DATA.`);
  if (size !== undefined && value.length !== 2 + 2 * size)
    throw noProof(`The field ${name} has not ${size} bytes.`);
  return hexToBytes(value as Hex);
}

/** DATA that the node's rules keep short. A longer one would cost time to hash. */
export function shortDataOf(fields: object, name: string): Uint8Array {
  const bytes = dataOf(fields, name);
  if (bytes.length > maxShort) throw noProof(`The field ${name} is longer than it can be.`);
  return bytes;
}

const maxShort = 2_048;

/** QUANTITY of at most 32 bytes. */
function quantityOf(fields: object, name: string): bigint {
  const value = (fields as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value))
    throw noProof(`The field ${name} is missing or no QUANTITY.`);
  return BigInt(value);
}

/** QUANTITY that counts something, such as a height or seconds. */
export function countOf(fields: object, name: string): number {
  const count = Number(quantityOf(fields, name));
  if (!Number.isSafeInteger(count)) throw noProof(`The field ${name} is too large.`);
  return count;
}

/** QUANTITY as RLP's integer: no byte for zero. */
export const unsignedOf = (fields: object, name: string): Uint8Array =>
  integerToBytes(quantityOf(fields, name));

/** QUANTITY as the node's signed integers: a zero byte before a set high bit, and one zero byte for zero. */
export function signedOf(fields: object, name: string): Uint8Array {
  const bytes = unsignedOf(fields, name);
  if (bytes.length > 0 && (bytes[0] as number) < 0x80) return bytes;
  const signed = new Uint8Array(bytes.length + 1);
  signed.set(bytes, 1);
  return signed;
}
