import { toQuantity } from './hex.js';
import { isNoAddress } from './results.js';
import type { Block, Hash, Hex, Log, Receipt, Transaction } from './schema.js';

/**
 * Converts results to the form that all client libraries read. Nodes have sent quantities with leading zeros (nonces),
 * and libraries compare some fields as text (`status`, `type`). No field is dropped or added; fields not named here are
 * as received.
 */

const minimalDigits = /^0x(0|[1-9a-f][0-9a-f]*)$/;

const isCanonicalQuantity = (value: unknown): boolean =>
  typeof value === 'string' && minimalDigits.test(value);

/** A QUANTITY without leading zeros and in lower case, also of a JSON number; any other value unchanged. */
export const canonicalQuantity = <T>(value: T): T | Hex => {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return toQuantity(Number(value));
  return typeof value === 'string' && !minimalDigits.test(value) && /^0x[0-9a-fA-F]+$/.test(value)
    ? toQuantity(BigInt(value))
    : value;
};

/** DATA in its one form: services have sent `0x0` or an empty text for none, a prefix in capitals, and none. */
export function canonicalData(value: Hex): Hex {
  if (value.startsWith('0x') && value !== '0x0') return value;
  const digits = value.replace(/^0x/i, '');
  return digits === '0' ? '0x' : `0x${digits}`;
}

/** The code of an account, for which services have sent `null` where it has none. */
export const canonicalCode = (code: Hex | null): Hex => canonicalData(code ?? '0x');

/** A storage word, padded to 32 bytes. */
export const canonicalWord = (value: Hex): Hex => `0x${value.slice(2).padStart(64, '0')}`;

/** The QUANTITY fields of each kind of object. */
const quantityFields = {
  block: [
    'number',
    'difficulty',
    'totalDifficulty',
    'cumulativeDifficulty',
    'size',
    'gasLimit',
    'gasUsed',
    'timestamp',
    'minimumGasPrice',
    'paidFees',
  ],
  transaction: [
    'nonce',
    'blockNumber',
    'transactionIndex',
    'gas',
    'gasPrice',
    'value',
    'v',
    'r',
    's',
    'type',
  ],
  receipt: [
    'transactionIndex',
    'blockNumber',
    'cumulativeGasUsed',
    'gasUsed',
    'effectiveGasPrice',
    'status',
    'type',
  ],
  log: ['logIndex', 'transactionIndex', 'blockNumber'],
} as const;

/** Fields that are `null` where there is no address, for which services have sent `0x`. */
const absentAddresses = ['to', 'contractAddress'] as const;

/** Returns a copy if a field had to change, else the object itself. */
function withFields<T extends object>(object: T, kind: keyof typeof quantityFields): T {
  let changed: T | undefined;
  for (const name of quantityFields[kind]) {
    if (!Object.hasOwn(object, name)) continue;
    const before = (object as Record<string, unknown>)[name];
    const after = canonicalQuantity(before);
    if (after !== before) changed = { ...(changed ?? object), [name]: after };
  }
  if (kind === 'transaction' || kind === 'receipt')
    for (const name of absentAddresses)
      if (Object.hasOwn(object, name) && isNoAddress((object as Record<string, unknown>)[name]))
        changed = { ...(changed ?? object), [name]: null };
  return changed ?? object;
}

const zeroHash = /^0x0{64}$/;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A transaction that is not mined: without the fields of its place in a block. */
export const unplaced = (transaction: Transaction): Transaction => ({
  ...transaction,
  blockHash: null,
  blockNumber: null,
  transactionIndex: null,
});

/**
 * Replaces the all-zero block hash of a pending transaction by `null`, because libraries take a transaction with a block
 * hash as mined (docs/notes/service.md#transaction-object).
 */
export function canonicalTransaction(transaction: Transaction): Transaction {
  const canonical = withFields(transaction, 'transaction');
  return zeroHash.test(canonical.blockHash ?? '') ? { ...canonical, blockHash: null } : canonical;
}

/** The transactions of a candidate block, which has no hash, are not mined. */
export function canonicalBlock(block: Block): Block {
  const canonical = withFields(block, 'block');
  // An uncle may come without.
  if (!Array.isArray(canonical.transactions)) return canonical;
  const form = (each: Hash | Transaction) => {
    if (!isObject(each)) return each;
    return block.hash === null ? unplaced(canonicalTransaction(each)) : canonicalTransaction(each);
  };
  const transactions = canonical.transactions.map(form);
  const same = transactions.every((each, i) => each === canonical.transactions[i]);
  return same ? canonical : { ...canonical, transactions };
}

export const canonicalLog = (log: Log): Log =>
  isCanonicalQuantity(log.blockNumber) &&
  isCanonicalQuantity(log.transactionIndex) &&
  isCanonicalQuantity(log.logIndex)
    ? log
    : withFields(log, 'log');

export const canonicalReceipt = (receipt: Receipt): Receipt => ({
  ...withFields(receipt, 'receipt'),
  logs: receipt.logs.map(canonicalLog),
});
