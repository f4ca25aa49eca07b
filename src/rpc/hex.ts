import { hexToBytes as bytesOf, bytesToHex as hexOf } from '@noble/hashes/utils.js';
import type { Hex } from './schema.js';

/** Conversions between QUANTITY, DATA, numbers and bytes. Their input must have been validated. */

export const bytesToHex = (bytes: Uint8Array): Hex => `0x${hexOf(bytes)}`;

export const hexToBytes = (data: Hex): Uint8Array => bytesOf(data.slice(2));

/** The 64 digits of an ABI word. */
export const wordOf = (value: bigint | Hex): string => BigInt(value).toString(16).padStart(64, '0');

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;

/** The minimal big-endian bytes of a non-negative integer; none for zero (RLP's integer form). */
export function integerToBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array(0);
  const digits = value.toString(16);
  return bytesOf(digits.length % 2 ? `0${digits}` : digits);
}

export const bytesToInteger = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${hexOf(bytes)}`);
