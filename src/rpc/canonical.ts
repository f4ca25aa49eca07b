import { toQuantity } from './hex.js';
import type { Block, Hash, Hex, Log, Receipt, Transaction } from './schema.js';

/**
 * Results in the one form that client libraries read alike. The seed allows leading zeros in a QUANTITY, nodes
 * have sent them (nonces), and where libraries look a value up by its text (`status`, `type`) only the shortest
 * form is found. Nothing is left out and nothing is made up; what is not named here is as received.
 */

const shortest = /^0x(0|[1-9a-f][0-9a-f]*)$/;

const isShortest = (value: unknown): boolean => typeof value === 'string' && shortest.test(value);

/** Without leading zeros, in lower case; what is no QUANTITY stays what it is. */
export const canonicalQuantity = <T>(value: T): T | Hex =>
  typeof value === 'string' && !shortest.test(value) && /^0x[0-9a-fA-F]+$/.test(value)
    ? toQuantity(BigInt(value))
    : value;

/** A storage word: 32 bytes, however many of its leading zeros were sent. */
export const canonicalWord = (value: Hex): Hex => `0x${value.slice(2).padStart(64, '0')}`;

/** By the object they stand in. */
export const quantityFields = {
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

/** In an object a JSON number, too, is clear as long as it is exact. */
const field = (value: unknown): unknown =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? toQuantity(value as number)
    : canonicalQuantity(value);

/** A copy where something had to change, else the object itself. */
function withFields<T extends object>(object: T, kind: keyof typeof quantityFields): T {
  let changed: T | undefined;
  for (const name of quantityFields[kind]) {
    if (!Object.hasOwn(object, name)) continue;
    const before = (object as Record<string, unknown>)[name];
    const after = field(before);
    if (after !== before) changed = { ...(changed ?? object), [name]: after };
  }
  return changed ?? object;
}

const zeroHash = /^0x0{64}$/;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Not mined yet, whatever place the service gives it. */
export const unplaced = (transaction: Transaction): Transaction => ({
  ...transaction,
  blockHash: null,
  blockNumber: null,
  transactionIndex: null,
});

/**
 * Libraries take a transaction with a block hash as mined: the all-zero one of a pending transaction (docs/notes/service.md#transaction-object) becomes the `null` that the seed gives it elsewhere.
 */
export function canonicalTransaction(transaction: Transaction): Transaction {
  const canonical = withFields(transaction, 'transaction');
  return zeroHash.test(canonical.blockHash ?? '') ? { ...canonical, blockHash: null } : canonical;
}

/** The transactions of a candidate block, which has no hash, have no place yet. */
export function canonicalBlock(block: Block): Block {
  const canonical = withFields(block, 'block');
  const form = (each: Hash | Transaction) => {
    if (!isObject(each)) return each;
    return block.hash === null ? unplaced(canonicalTransaction(each)) : canonicalTransaction(each);
  };
  const transactions = canonical.transactions.map(form);
  const same = transactions.every((each, i) => each === canonical.transactions[i]);
  return same ? canonical : { ...canonical, transactions };
}

export const canonicalLog = (log: Log): Log =>
  isShortest(log.blockNumber) && isShortest(log.transactionIndex) && isShortest(log.logIndex)
    ? log
    : withFields(log, 'log');

export const canonicalReceipt = (receipt: Receipt): Receipt => ({
  ...withFields(receipt, 'receipt'),
  logs: receipt.logs.map(canonicalLog),
});
