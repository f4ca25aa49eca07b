import { hasValidChecksum } from './address.js';
import { excerpt, invalidParams, limitExceeded } from './errors.js';
import type { Json } from './message.js';
import type { Address, BlockReference, BlockSelector, CallObject, Hash, Hex, LogFilter } from './schema.js';

/**
 * Readers of untrusted input: each turns a JSON value into a checked, normalised one or throws -32602 with
 * the path of the value (`params[0].gasPrice`) and the rule it breaks. A value that passes is what the node
 * accepts in its strictest form (node-facts §1.3): quantities without leading zeros, addresses lower case.
 */
export type Reader<T> = (value: Json, path: string) => T;

const refuse = (path: string, rule: string, value: Json) =>
  invalidParams(`${path}: expected ${rule}, received ${excerpt(value)}`);

/** QUANTITY up to 256 bits. Leading zeros are normalised away: dapps send them and nothing is ambiguous. */
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
 * Mixed case that is no checksum at all is a typing error caught (clients.md finding 7).
 */
export const address: Reader<Address> = (value, path) => {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw refuse(path, 'an address (0x and 40 hexadecimal digits)', value);
  const lower = value.toLowerCase() as Address;
  const digits = value.slice(2);
  const mixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (mixed && !hasValidChecksum(value as Address))
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

const tags: readonly unknown[] = ['latest', 'earliest', 'pending'];

/** A block number or one of the chain's three tags. */
export const blockSelector: Reader<BlockSelector> = (value, path) => {
  if (tags.includes(value)) return value as BlockSelector;
  if (value === 'safe' || value === 'finalized')
    throw invalidParams(`${path}: the tag "${value}" is not known on this proof-of-work chain; use "latest"`);
  if (typeof value !== 'string')
    throw refuse(path, 'a block number (QUANTITY) or "latest", "earliest" or "pending"', value);
  return quantity(value, path);
};

/** Where a method says so: also a block hash, or a map with `blockHash` or `blockNumber` (EIP-1898). */
export const blockReference: Reader<BlockReference> = (value, path) => {
  if (typeof value === 'string' && value.length === 66 && /^0x[0-9a-fA-F]{64}$/.test(value))
    return hash(value, path);
  if (typeof value !== 'object' || value === null) return blockSelector(value, path);
  const map = record(value, path, ['blockHash', 'blockNumber', 'requireCanonical']);
  if (map.blockHash !== undefined && map.blockNumber !== undefined)
    throw invalidParams(`${path}: blockHash and blockNumber exclude each other`);
  if (map.blockNumber !== undefined) return { blockNumber: quantity(map.blockNumber, `${path}.blockNumber`) };
  if (map.blockHash === undefined) throw refuse(path, 'blockHash or blockNumber', value);
  // `requireCanonical` is left out: as a boolean (EIP-1898) it crashes the node, and without it the node
  // answers for canonical blocks the same (node-facts §1.3).
  return { blockHash: hash(map.blockHash, `${path}.blockHash`) };
};

/** An index within a block: nodes read it as a 32-bit integer, in lower-case digits. */
export const index: Reader<Hex> = quantityUpTo(31, 'an index (QUANTITY)');

/** An object with no other keys than `keys`: a misspelt key would silently change what is asked. */
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
  return value as { readonly [key in K]?: Json };
}

const callKeys = [
  'from',
  'to',
  'gas',
  'gasLimit',
  'gasPrice',
  'value',
  'data',
  'input',
  'nonce',
  'chainId',
  'type',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'accessList',
] as const;

/** A call object (seed, "Call object"). EIP-1559 fields are accepted and dropped: the node ignores them. */
export const callObject: Reader<CallObject> = (value, path) => {
  const call = record(value, path, callKeys);
  const read = <T>(key: (typeof callKeys)[number], reader: Reader<T>): T | undefined => {
    const member = call[key];
    return member === undefined || member === null ? undefined : reader(member, `${path}.${key}`);
  };
  const from = read('from', address);
  const to = read('to', address);
  const gas = read('gas', quantity) ?? read('gasLimit', quantity);
  const gasPrice = read('gasPrice', quantity);
  const amount = read('value', quantity);
  const input = sameData(read('data', data), read('input', data), path);
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(gas !== undefined && { gas }),
    ...(gasPrice !== undefined && { gasPrice }),
    ...(amount !== undefined && { value: amount }),
    ...(input !== undefined && { data: input }),
  };
};

/** `data` and its alias `input`: one of them, or both and equal. */
export function sameData(first: Hex | undefined, second: Hex | undefined, path: string): Hex | undefined {
  if (first !== undefined && second !== undefined && first !== second)
    throw invalidParams(`${path}: data and input are both given and differ`);
  return first ?? second;
}

const maxAddresses = 1_000;
const maxAlternatives = 1_000;

const addressOrList: Reader<Address | readonly Address[]> = (value, path) => {
  if (!Array.isArray(value)) return address(value, path);
  if (value.length > maxAddresses) throw limitExceeded(`${path}: more than ${maxAddresses} addresses`);
  return value.map((item, i) => address(item, `${path}[${i}]`));
};

const topicList: Reader<NonNullable<LogFilter['topics']>> = (value, path) => {
  if (!Array.isArray(value)) throw refuse(path, 'an array of topics', value);
  if (value.length > 4) throw invalidParams(`${path}: a log has at most 4 topics, received ${value.length}`);
  return value.map((topic, i) => {
    const at = `${path}[${i}]`;
    if (topic === null) return null;
    if (!Array.isArray(topic)) return hash(topic, at);
    if (topic.length > maxAlternatives) throw limitExceeded(`${at}: more than ${maxAlternatives} topics`);
    // A null among alternatives matches anything, so the position does.
    if (topic.length === 0 || topic.includes(null)) return null;
    return topic.map((alternative, j) => hash(alternative, `${at}[${j}]`));
  });
};

const filterKeys = ['fromBlock', 'toBlock', 'address', 'topics', 'blockHash'] as const;

/** Filter options (seed). JSON `null` means absent: the node would reject it (node-facts §1.8). */
export const logFilter: Reader<LogFilter> = (value, path) => {
  const filter = record(value, path, filterKeys);
  const read = <T>(key: (typeof filterKeys)[number], reader: Reader<T>): T | undefined => {
    const member = filter[key];
    return member === undefined || member === null ? undefined : reader(member, `${path}.${key}`);
  };
  const fromBlock = read('fromBlock', blockSelector);
  const toBlock = read('toBlock', blockSelector);
  const of = read('address', addressOrList);
  const topics = read('topics', topicList);
  const blockHash = read('blockHash', hash);
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined))
    throw invalidParams(`${path}: blockHash excludes fromBlock and toBlock`);
  return {
    ...(fromBlock !== undefined && { fromBlock }),
    ...(toBlock !== undefined && { toBlock }),
    ...(of !== undefined && { address: of }),
    ...(topics !== undefined && { topics }),
    ...(blockHash !== undefined && { blockHash }),
  };
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

/** A parameter that may be missing or `null`; `fallback` is then what the node gets (it wants exact arity). */
export interface Optional<T> {
  readonly optional: Reader<T>;
  readonly fallback: T;
}

export const optional = <T>(reader: Reader<T>, fallback: T): Optional<T> => ({ optional: reader, fallback });

type Position<T> = Reader<T> | Optional<T>;
/** Reads positional params: missing required ones and surplus ones are named. */
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
