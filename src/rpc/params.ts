import { lowerAddress } from './address.js';
import { excerpt } from './core-errors.js';
import { invalidParams } from './errors.js';
import type { Json } from './message.js';
import { own } from './own.js';
import { type Address, type Hash, type Hex, isAddress } from './schema.js';

/**
 * Readers of untrusted input: each returns a validated, normalised value, or throws -32602 with the path of the value
 * (`params[0].gasPrice`) and the rule it breaks. Results have the strictest form that the node accepts (docs/notes/node.md#form-of-params): quantities without leading zeros, addresses lower case.
 */
export type Reader<T> = (value: Json, path: string) => T;

/** The error for a value that is not `rule`, a noun phrase. */
export const refuse = (path: string, rule: string, value: Json) =>
  invalidParams(`${path}: expected ${rule}, received ${excerpt(value)}`);

/** QUANTITY up to 256 bits. Leading zeros, which dapps send, are removed. */
export const quantity: Reader<Hex> = (value, path) => {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]+$/.test(value))
    throw refuse(path, 'a QUANTITY (0x and hexadecimal digits)', value);
  const digits = value
    .slice(2)
    .replace(/^0+(?=.)/, '')
    .toLowerCase();
  if (digits.length > 64) throw refuse(path, 'a QUANTITY of at most 256 bits', value);
  return `0x${digits}`;
};

/** A QUANTITY of at most `bits` bits; `rule` names what it counts. */
export const quantityUpTo =
  (bits: number, rule: string): Reader<Hex> =>
  (value, path) => {
    const read = quantity(value, path);
    if (BigInt(read) >> BigInt(bits) !== 0n) throw refuse(path, `${rule} of at most ${bits} bits`, value);
    return read;
  };

/** DATA of any length. */
export const data: Reader<Hex> = (value, path) => {
  if (typeof value !== 'string' || value.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(value))
    throw refuse(path, 'DATA (0x and an even number of hexadecimal digits)', value);
  return value.toLowerCase() as Hex;
};

/** DATA of 32 bytes. */
export const hash: Reader<Hash> = (value, path) => {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(value))
    throw refuse(path, 'DATA of 32 bytes', value);
  return value.toLowerCase() as Hash;
};

/**
 * DATA of 20 bytes: lower case, upper case, EIP-55 or EIP-1191; read as lower case. Names are not resolved.
 * Mixed case without a valid checksum is refused as a typing error (docs/notes/clients.md#addresses-in-lower-case).
 */
export const address: Reader<Address> = (value, path) => {
  if (!isAddress(value)) throw refuse(path, 'an address (0x and 40 hexadecimal digits)', value);
  const lower = lowerAddress(value);
  if (lower === null)
    throw invalidParams(`${path}: the address has a wrong checksum (neither EIP-55 nor EIP-1191)`);
  return lower;
};

export const boolean: Reader<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw refuse(path, 'a boolean', value);
  return value;
};

export const text: Reader<string> = (value, path) => {
  if (typeof value !== 'string') throw refuse(path, 'a string', value);
  return value;
};

export const anything: Reader<Json> = (value) => value;

/** An index within a block: a 32-bit integer in lower-case digits. */
export const index: Reader<Hex> = quantityUpTo(31, 'an index (QUANTITY)');

/** An object with no other keys than `keys`: a misspelt key would be ignored and change the request. */
export function record<K extends string>(
  value: Json,
  path: string,
  keys: readonly K[],
): { readonly [key in K]?: Json } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse(path, 'an object', value);
  for (const key of Object.keys(value))
    if (!(keys as readonly string[]).includes(key))
      throw invalidParams(`${path}.${excerpt(key)}: unknown key (known: ${keys.join(', ')})`);
  return own(value as { readonly [key in K]?: Json });
}

/** Reads members of a {@link record} by their readers. One that is missing or `null` is `undefined`. */
export const memberReader =
  <K extends string>(fields: { readonly [key in K]?: Json }, path: string) =>
  <T>(key: K, reader: Reader<T>): T | undefined => {
    const member: Json | undefined = fields[key];
    return member === undefined || member === null ? undefined : reader(member, `${path}.${key}`);
  };

/** The chain id of EIP-3085 and EIP-3326: a QUANTITY without leading zeros, above 0, a safe integer. */
export const chainId: Reader<number> = (value, path) => {
  const rule = 'a chain id (0x and hexadecimal digits, no leading zero, below 2^53)';
  if (typeof value !== 'string' || !/^0x[1-9a-fA-F][0-9a-fA-F]*$/.test(value))
    throw refuse(path, rule, value);
  const id = Number(value);
  if (!Number.isSafeInteger(id)) throw refuse(path, rule, value);
  return id;
};

/** An optional parameter: missing or `null` becomes `fallback`, because the node requires all params. */
export interface Optional<T> {
  readonly optional: Reader<T>;
  readonly fallback: T;
}

export const optional = <T>(reader: Reader<T>, fallback: T): Optional<T> => ({ optional: reader, fallback });

type Position<T> = Reader<T> | Optional<T>;
/** Reads positional params; the error names a missing or surplus one. */
export const positions =
  <T extends readonly unknown[]>(...readers: { readonly [I in keyof T]: Position<T[I]> }) =>
  (params: Json): T => {
    if (!Array.isArray(params)) throw invalidParams('params: expected an array');
    if (params.length > readers.length)
      throw invalidParams(`params: at most ${readers.length} expected, received ${params.length}`);
    return readers.map((reader, i) => {
      const value: Json | undefined = params[i];
      const path = `params[${i}]`;
      if (typeof reader !== 'function')
        return value === undefined || value === null ? reader.fallback : reader.optional(value, path);
      if (value === undefined || value === null) throw invalidParams(`${path}: required, received nothing`);
      return reader(value, path);
    }) as unknown as T;
  };

/** `data` and its alias `input`: one of them, or both and equal. */
export function sameData(first: Hex | undefined, second: Hex | undefined, path: string): Hex | undefined {
  if (first !== undefined && second !== undefined && first !== second)
    throw invalidParams(`${path}: data and input are both given and differ`);
  return first ?? second;
}
