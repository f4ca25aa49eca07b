import { quantityFields } from './canonical.js';
import { own } from './own.js';
import type { Hash, Hex } from './schema.js';

/** The fields of result objects and their forms (docs/notes/service.md#resources-and-their-fields). */
export type Kind = keyof typeof quantityFields;

/** QUANTITY up to 256 bits; leading zeros are allowed. */
export const isQuantity = (value: unknown): value is string =>
  typeof value === 'string' && /^0x0*[0-9a-fA-F]{1,64}$/.test(value);

const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const dataOf = (bytes: number) => matches(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`));
/** A QUANTITY, or a JSON number that canonical.ts converts to one. */
const isNumber = (value: unknown) => isQuantity(value) || (Number.isSafeInteger(value) && Number(value) >= 0);

export const isHash = (value: unknown): value is Hash => hashShape(value);
const hashShape = dataOf(32);
export const isAddress = dataOf(20);
/** DATA of any length. A pattern for pairs of digits would need too much memory on megabytes. */
export const isDataField = (value: unknown): value is Hex =>
  typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);

const hash = [isHash, 'DATA of 32 bytes'] as const;
const address = [isAddress, 'an address'] as const;
const data = [isDataField, 'DATA'] as const;
const bloom = [dataOf(256), 'DATA of 256 bytes'] as const;

const fieldsOf: Readonly<
  Record<Kind, Readonly<Record<string, readonly [(value: unknown) => boolean, string]>>>
> = {
  block: {
    hash,
    parentHash: hash,
    mixHash: hash,
    sha3Uncles: hash,
    transactionsRoot: hash,
    stateRoot: hash,
    receiptsRoot: hash,
    miner: address,
    logsBloom: bloom,
    nonce: [dataOf(8), 'DATA of 8 bytes'],
    extraData: data,
    bitcoinMergedMiningHeader: data,
    bitcoinMergedMiningCoinbaseTransaction: data,
    bitcoinMergedMiningMerkleProof: data,
    hashForMergedMining: data,
    uncles: [(value) => Array.isArray(value) && value.every(isHash), 'an array of DATA of 32 bytes'],
  },
  transaction: { hash, blockHash: hash, from: address, to: address, input: data },
  receipt: {
    transactionHash: hash,
    blockHash: hash,
    root: hash,
    from: address,
    to: address,
    contractAddress: address,
    logsBloom: bloom,
  },
  log: {
    transactionHash: hash,
    blockHash: hash,
    address,
    data,
    removed: [(value) => typeof value === 'boolean', 'a boolean'],
  },
};

/**
 * The first rule that a field of `object` breaks, or `null`. Missing fields, `null` and unknown fields are valid.
 */
export function wrongField(object: Readonly<Record<string, unknown>>, kind: Kind): string | null {
  const fields = own(object);
  for (const [name, [holds, rule]] of Object.entries(fieldsOf[kind]))
    if ((fields[name] ?? null) !== null && !holds(fields[name])) return `${name} is not ${rule}`;
  for (const name of quantityFields[kind])
    if ((fields[name] ?? null) !== null && !isNumber(fields[name])) return `${name} is not a QUANTITY`;
  return null;
}
