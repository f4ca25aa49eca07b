import type { Hex } from './schema.js';

/** Conversions between QUANTITY, DATA, numbers and bytes. Their input must have been validated. */

export const bytesToHex = (bytes: Uint8Array): Hex => `0x${hexOf(bytes)}`;

export const hexToBytes = (data: Hex): Uint8Array => bytesOf(data.slice(2));

/** The two digits of each byte. */
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hexOf(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += pairs[byte];
  return hex;
}

function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < hex.length; at += 2) bytes[at >> 1] = digitAt(hex, at) * 16 + digitAt(hex, at + 1);
  return bytes;
}

/** Letters have a bit that digits lack, and begin one above a multiple of 16. */
function digitAt(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return (code & 15) + (code & 64 ? 9 : 0);
}

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
