import { own } from './own.js';
import { type Hash, type Hex, isAddress } from './schema.js';

/** The fields of result objects and their forms (docs/notes/service.md#resources-and-their-fields). */
export type Kind = keyof typeof fieldsOf;

/** QUANTITY up to 256 bits; leading zeros are allowed. */
export const isQuantity = (value: unknown): value is string =>
  typeof value === 'string' && /^0x0*[0-9a-fA-F]{1,64}$/.test(value);

const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const dataOf = (bytes: number) => matches(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`));
/** A QUANTITY, or a JSON number that canonical.ts converts to one. */
export const isNumber = (value: unknown) =>
  isQuantity(value) || (Number.isSafeInteger(value) && Number(value) >= 0);

export const isHash = (value: unknown): value is Hash => hashShape(value);
const hashShape = dataOf(32);
/** DATA of any length. A pattern for pairs of digits would need too much memory on megabytes. */
export const isDataField = (value: unknown): value is Hex =>
  typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);

const hash = [isHash, 'DATA of 32 bytes'] as const;
const address = [isAddress, 'an address'] as const;
const data = [isDataField, 'DATA'] as const;
const bloom = [dataOf(256), 'DATA of 256 bytes'] as const;

/** Whether the value is one that services have sent in place of an absent address: it has no other meaning. */
export const isNoAddress = (value: unknown): boolean => value === '' || value === '0x';
const addressOrNone = [(value: unknown) => isAddress(value) || isNoAddress(value), 'an address'] as const;
const quantity = [isNumber, 'a QUANTITY'] as const;
const quantities = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, quantity]));

/**
 * The fields that decide something: what an object is and where, whose it is, what it moves, and whether it failed. Others
 * (a root, a seal, a total difficulty) are passed on as received: one of an odd form must not take the object from the page.
 */
const fieldsOf: Readonly<
  Record<
    'block' | 'transaction' | 'receipt' | 'log',
    Readonly<Record<string, readonly [(value: unknown) => boolean, string]>>
  >
> = {
  block: {
    hash,
    parentHash: hash,
    miner: address,
    logsBloom: bloom,
    uncles: [(value) => Array.isArray(value) && value.every(isHash), 'an array of DATA of 32 bytes'],
    ...quantities('number', 'gasLimit', 'gasUsed', 'timestamp', 'minimumGasPrice'),
  },
  transaction: {
    hash,
    blockHash: hash,
    from: address,
    to: addressOrNone,
    input: data,
    ...quantities('nonce', 'blockNumber', 'transactionIndex', 'gas', 'gasPrice', 'value', 'type'),
  },
  receipt: {
    transactionHash: hash,
    blockHash: hash,
    from: address,
    to: addressOrNone,
    contractAddress: addressOrNone,
    ...quantities(
      'transactionIndex',
      'blockNumber',
      'cumulativeGasUsed',
      'gasUsed',
      'effectiveGasPrice',
      'status',
    ),
  },
  log: {
    transactionHash: hash,
    blockHash: hash,
    address,
    data,
    removed: [(value) => typeof value === 'boolean', 'a boolean'],
    ...quantities('logIndex', 'transactionIndex', 'blockNumber'),
  },
};

/**
 * The first rule that a field of `object` breaks which decides something, or `null`. Missing fields, `null` and unknown fields are valid.
 */
export function wrongField(object: Readonly<Record<string, unknown>>, kind: Kind): string | null {
  const fields = own(object);
  for (const [name, [holds, rule]] of Object.entries(fieldsOf[kind]))
    if ((fields[name] ?? null) !== null && !holds(fields[name])) return `${name} is not ${rule}`;
  return null;
}
