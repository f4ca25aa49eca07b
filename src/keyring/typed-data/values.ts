import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { lowerAddress } from '../../rpc/address.js';
import { excerpt } from '../../rpc/core-errors.js';
import { wordOf } from '../../rpc/hex.js';
import { type Address, isAddress } from '../../rpc/schema.js';
import type { Type } from './types.js';

/** Encoding of the atomic and dynamic values of EIP-712. */

/** Throws the error for a value that breaks `rule`. */
export type Refuse = (rule: string) => never;

export type ValueType = Exclude<Type, { kind: 'array' } | { kind: 'struct' }>;

/**
 * Writes `value` to `word`, 32 bytes that must be zero, and returns it as text for display: integers in decimal, bytes and
 * addresses in lower case.
 */
export function encodeValue(type: ValueType, value: unknown, word: Uint8Array, refuse: Refuse): string {
  switch (type.kind) {
    case 'uint':
    case 'int': {
      const integer = readInteger(type.kind, type.bits, value, refuse);
      word.set(hexToBytes(wordOf(BigInt.asUintN(256, integer))));
      return integer.toString();
    }
    case 'bool':
      if (typeof value !== 'boolean') return refuse(`expected a boolean, received ${excerpt(value)}`);
      word[31] = value ? 1 : 0;
      return String(value);
    case 'address': {
      const address = readAddress(value, refuse);
      word.set(hexToBytes(address.slice(2)), 12);
      return address;
    }
    case 'fixed-bytes': {
      const data = readBytesValue(value, refuse);
      if (data.length !== 2 + type.size * 2)
        return refuse(`${type.text} takes exactly ${type.size} bytes, received ${(data.length - 2) / 2}`);
      word.set(hexToBytes(data.slice(2)));
      return data;
    }
    case 'bytes': {
      const data = readBytesValue(value, refuse);
      word.set(keccak_256(hexToBytes(data.slice(2))));
      return data;
    }
    case 'string': {
      const text = readTextValue(value, refuse);
      word.set(keccak_256(utf8ToBytes(text)));
      return text;
    }
  }
}

/** Reads an integer. JSON numbers above 2^53 are refused, since parsing them has already lost digits. */
function readInteger(kind: 'uint' | 'int', bits: number, value: unknown, refuse: Refuse): bigint {
  let integer: bigint;
  if (typeof value === 'bigint') integer = value;
  else if (typeof value === 'number' && Number.isSafeInteger(value)) integer = BigInt(value);
  else if (typeof value === 'string' && /^(?:-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value))
    integer = BigInt(value);
  else
    return refuse(
      typeof value === 'number' && Number.isInteger(value)
        ? 'a number above 2^53 is not exact; write it as a string'
        : `expected an integer of type ${kind}${bits} (a number or a string), received ${excerpt(value)}`,
    );
  const fits = kind === 'uint' ? BigInt.asUintN(bits, integer) : BigInt.asIntN(bits, integer);
  if (fits !== integer) return refuse(`out of range of ${kind}${bits}`);
  return integer;
}

/** Reads an address. Mixed case must be an EIP-55 or EIP-1191 checksum (docs/notes/clients.md#addresses-in-lower-case). */
function readAddress(value: unknown, refuse: Refuse): Address {
  if (!isAddress(value))
    return refuse(`expected an address (0x and 40 hexadecimal digits), received ${excerpt(value)}`);
  return lowerAddress(value) ?? refuse('the address has a wrong checksum (neither EIP-55 nor EIP-1191)');
}

export function readBytesValue(value: unknown, refuse: Refuse): string {
  if (typeof value !== 'string' || value.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(value))
    return refuse(`expected bytes (0x and an even number of hexadecimal digits), received ${excerpt(value)}`);
  return value.toLowerCase();
}

export function readTextValue(value: unknown, refuse: Refuse): string {
  if (typeof value !== 'string') return refuse(`expected a string, received ${excerpt(value)}`);
  // UTF-8 has no encoding for a lone surrogate: the signed text would differ from the displayed one.
  if (/\p{Surrogate}/u.test(value)) return refuse('the string is not well-formed Unicode');
  return value;
}
