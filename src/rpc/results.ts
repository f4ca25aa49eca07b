import { noLogs } from './core-errors.js';
import { own } from './own.js';
import { membersOf } from './own-data.js';
import {
  type Block,
  type FeeHistory,
  type Hash,
  type Hex,
  isAddress,
  type Log,
  type Receipt,
  type Transaction,
} from './schema.js';

/**
 * Checks results of the service. Each check throws an error whose text is the broken rule; the client turns it into
 * -32603 with the method's name. Checks never change a result. This is one that compares the result with the params.
 */
export type Check = (result: unknown, params: readonly unknown[]) => void;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const must = (holds: boolean, rule: string): void => {
  if (!holds) throw new Error(rule);
};

/** The fields of result objects and their forms (docs/notes/service.md#resources-and-their-fields). */
type Kind = keyof typeof fieldsOf;

/** QUANTITY up to 256 bits; leading zeros are allowed. */
export const isQuantity = (value: unknown): value is string =>
  typeof value === 'string' && /^0x0*[0-9a-fA-F]{1,64}$/.test(value);

const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const dataOf = (bytes: number) => matches(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`));
/** A QUANTITY, or a JSON number that canonical.ts converts to one. */
const isNumber = (value: unknown) => isQuantity(value) || (Number.isSafeInteger(value) && Number(value) >= 0);

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

/** Checks the form of every known field. */
function checkFields(object: object, kind: Kind): void {
  const fault = wrongField(object as Readonly<Record<string, unknown>>, kind);
  if (fault !== null) throw new Error(fault);
}

export const checkQuantity = (result: unknown): void =>
  must(isQuantity(result), 'not a QUANTITY of at most 256 bits');

/** A QUANTITY, or the JSON number that canonical.ts converts to one. */
export const checkNumber = (result: unknown): void =>
  must(isNumber(result), 'not a QUANTITY of at most 256 bits');

/** A block number of at most 64 bits. */
export const checkBlockNumber = (result: unknown): void =>
  must(isNumber(result) && BigInt(result as string) >> 64n === 0n, 'not a block number');

/** The same check, for a method that may answer `null`. */
const orNull = (check: (result: unknown) => void) => (result: unknown) => {
  if (result !== null) check(result);
};

export const checkQuantityOrNull = orNull(checkNumber);

export const checkData = (result: unknown): void =>
  must(isDataField(result), 'not DATA (0x and an even number of hexadecimal digits)');

/** DATA, or one of the forms that canonical.ts converts to it. */
export const checkAnyData = (result: unknown): void =>
  must(
    isDataField(result) ||
      result === '0x0' ||
      (typeof result === 'string' && isDataField(`0x${result.replace(/^0x/i, '')}`)),
    'not DATA (0x and an even number of hexadecimal digits)',
  );

/** As {@link checkAnyData}; `null` for an account without code. */
export const checkCode = orNull(checkAnyData);

/** DATA, or `null` for an unknown account or block, which the node answers for code (docs/notes/node.md#unknown-blocks). */
export const checkDataOrNull = orNull(checkData);

/** At most 32 bytes: nodes have sent storage words without their leading zeros. */
export const checkWord = (result: unknown): void =>
  must(typeof result === 'string' && /^0x[0-9a-fA-F]{0,64}$/.test(result), 'not DATA of at most 32 bytes');

export const checkFeeHistory = (result: unknown): void => {
  must(
    isObject(result) && Array.isArray(result.baseFeePerGas) && Array.isArray(result.gasUsedRatio),
    'not a fee history',
  );
  checkQuantity((result as unknown as FeeHistory).oldestBlock);
};

export const checkText = (result: unknown): void => must(typeof result === 'string', 'not a string');

export const checkBoolean = (result: unknown): void => must(typeof result === 'boolean', 'not a boolean');

export const checkTexts = (result: unknown): void =>
  must(Array.isArray(result) && result.every((each) => typeof each === 'string'), 'not an array of strings');

export const checkAddress = (result: unknown): void => must(isAddress(result), 'not an address');

/** Some name-only methods (docs/notes/node.md#methods-listed-by-name-only) return bytes, a list of bytes, or `null`. */
export const checkDataListOrNull = orNull((result) =>
  must(Array.isArray(result) && result.every(isDataField), 'not an array of DATA'),
);

export const checkSyncStatus = (result: unknown): void =>
  must(
    result === false ||
      (isObject(result) &&
        isQuantity(result.currentBlock) &&
        [result.startingBlock, result.highestBlock].every((height) => isQuantity(height ?? '0x0'))),
    'neither false nor a sync status',
  );

/** A mined block (docs/notes/service.md#block-object); the pending candidate has neither number nor hash. */
export function checkBlock(result: unknown): asserts result is Block | null {
  if (result === null) return;
  checkUncle(result, isQuantity);
  must(Array.isArray(result.transactions), 'transactions is not an array');
}

/** A block that may lack transactions. */
function checkUncle(result: unknown, isHeight: (value: unknown) => boolean): asserts result is Block {
  must(isObject(result), 'not a block');
  const block = result as Partial<Block>;
  must(block.number === null || isHeight(block.number), 'number is not a QUANTITY');
  must(block.hash === null || isHash(block.hash), 'hash is not DATA of 32 bytes');
  must(isHash(block.parentHash), 'parentHash is not DATA of 32 bytes');
  must(!isSame(block.hash, block.parentHash), 'parentHash is the hash of the block itself');
}

/** Compares two hashes, ignoring case. */
const isSame = (a: Hash | null | undefined, b: Hash | null | undefined): boolean =>
  a === b || (typeof a === 'string' && a.toLowerCase() === b?.toLowerCase());

/** Checks every known field of a block that a page gets. */
export function checkWholeBlock(result: unknown): asserts result is Block | null {
  if (result !== null)
    must(isObject(result) && Array.isArray(result.transactions), 'not a block with transactions');
  checkWholeUncle(result);
}

/** Checks an uncle that a page gets: a block, with or without transactions. */
export function checkWholeUncle(result: unknown): asserts result is Block | null {
  if (result === null) return;
  checkUncle(result, isNumber);
  for (const each of (result.transactions ?? []) as readonly unknown[]) {
    if (typeof each === 'string') must(isHash(each), 'transactions has what is not DATA of 32 bytes');
    else {
      must(each !== null, 'transactions has what is not a transaction');
      checkTransaction(each);
      must(
        result.hash === null || isIn(each as Transaction, result.hash),
        'transactions has one of another block',
      );
    }
  }
  checkFields(result, 'block');
}

export const checkBlockWithHash: Check = (result, [hash]) => {
  if (isObject(result) && isHash(result.hash))
    must(result.hash.toLowerCase() === hash, 'hash is not the one that was asked for');
  checkWholeBlock(result);
};

export const checkBlockAt: Check = (result, [selector]) => {
  checkWholeBlock(result);
  if (result !== null && result.number !== null && typeof selector === 'string' && selector.startsWith('0x'))
    must(BigInt(result.number) === BigInt(selector), 'number is not the one that was asked for');
};

export function checkTransaction(result: unknown): asserts result is Transaction | null {
  if (result === null) return;
  must(isObject(result) && isHash(result.hash), 'not a transaction');
  const transaction = result as Partial<Transaction>;
  must(isQuantity(transaction.nonce), 'nonce is not a QUANTITY');
  checkFields(transaction, 'transaction');
}

export const checkTransactions = (result: unknown): void => {
  must(Array.isArray(result), 'not an array');
  for (const transaction of result as readonly unknown[]) {
    must(transaction !== null, 'not a transaction');
    checkTransaction(transaction);
  }
};

export const checkTransactionWithHash: Check = (result, [hash]) => {
  checkTransaction(result);
  if (result !== null) must(result.hash.toLowerCase() === hash, 'hash is not the one that was asked for');
};

/** False if the transaction names another block. A zero block hash names none. */
const isIn = ({ blockHash }: Transaction, hash: Hash): boolean =>
  !blockHash || /^0x0{64}$/.test(blockHash) || isSame(blockHash, hash);

/** Checks a transaction that was requested by its block (hash, number or tag) and index. */
export const checkTransactionAt: Check = (result, [block, index]) => {
  checkTransaction(result);
  if (result === null || block === 'pending') return;
  const { blockNumber, transactionIndex } = result;
  const isOther = (value: unknown, asked: unknown) =>
    isNumber(value) && BigInt(value as Hex) !== BigInt(asked as Hex);
  must(!isOther(transactionIndex, index), 'transactionIndex is not the one that was asked for');
  if (isHash(block)) must(isIn(result, block), 'blockHash is not the one that was asked for');
  else if (isQuantity(block))
    must(!isOther(blockNumber, block), 'blockNumber is not the one that was asked for');
};

/** Checks that a receipt is the requested one, and that its fields do not contradict each other. */
export const checkReceiptOf: Check = (result, [hash]) => {
  if (result === null) return;
  must(isObject(result) && isHash(result.transactionHash), 'transactionHash is not DATA of 32 bytes');
  const receipt = result as unknown as Receipt;
  must(receipt.transactionHash.toLowerCase() === hash, 'transactionHash is not the one that was asked for');
  must(Array.isArray(receipt.logs), 'logs is not an array');
  must(isHash(receipt.blockHash), 'blockHash is not DATA of 32 bytes');
  must(isNumber(receipt.blockNumber), 'blockNumber is not a QUANTITY');
  const status: unknown = receipt.status ?? '0x0';
  must(
    status === 0 || status === 1 || (isQuantity(status) && BigInt(status) < 2n),
    'status is neither 0x0 nor 0x1',
  );
  const indexes = new Set<bigint>();
  for (const log of receipt.logs as readonly (Partial<Log> | null)[]) {
    const { blockHash, transactionHash, logIndex } = log ?? {};
    must(!blockHash || isSame(blockHash, receipt.blockHash), 'logs has one of another block');
    must(
      !transactionHash || isSame(transactionHash, receipt.transactionHash),
      'logs has one of another transaction',
    );
    if (!isQuantity(logIndex)) continue;
    must(!indexes.has(BigInt(logIndex)), 'logs has two with one logIndex');
    indexes.add(BigInt(logIndex));
  }
};

/** Checks every known field of a receipt that a page gets. */
export const checkWholeReceiptOf: Check = (result, params) => {
  checkReceiptOf(result, params);
  if (result === null) return;
  checkLogs((result as Receipt).logs);
  checkFields(result as Receipt, 'receipt');
};

/** Checks the fields of the head that preparing a transaction needs: minimum gas price and gas limit. */
export const checkPreparable = (result: unknown): void => {
  checkBlock(result);
  must(result !== null, 'there is no latest block');
  must(isQuantity(result?.gasLimit), 'gasLimit is not a QUANTITY');
  const minimum = result?.minimumGasPrice ?? '0x0';
  must(isQuantity(minimum), 'minimumGasPrice is not a QUANTITY');
};

/**
 * Checks the topics and every known field of each log. A field equal to that of the previous log is not checked again,
 * which saves time on a hundred thousand logs.
 */
export const checkLogs = (result: unknown): void => {
  must(Array.isArray(result), noLogs);
  let before: Partial<Log> = { topics: [] };
  for (const log of result as readonly Partial<Log>[]) {
    must(isObject(log), noLogs);
    const { topics } = log;
    must(Array.isArray(topics) && topics.length <= 4, 'topics is not an array of at most 4');
    const known = before.topics as readonly unknown[];
    for (let i = 0; i < (topics as readonly unknown[]).length; i++) {
      const topic = (topics as readonly unknown[])[i];
      must(
        (i < known.length && topic === known[i]) || isHash(topic),
        'topics has what is not DATA of 32 bytes',
      );
    }
    if (!isLikeBefore(log, before)) checkFields(log, 'log');
    before = log;
  }
};

/** A fast version of {@link checkFields} for a log; false if the full check must decide. */
const isLikeBefore = (log: Partial<Log>, before: Partial<Log>): boolean =>
  (log.blockNumber === before.blockNumber || isQuantity(log.blockNumber)) &&
  (log.blockHash === before.blockHash || isHash(log.blockHash)) &&
  (log.transactionHash === before.transactionHash || isHash(log.transactionHash)) &&
  (log.transactionIndex === before.transactionIndex || isQuantity(log.transactionIndex)) &&
  (log.logIndex === before.logIndex || isQuantity(log.logIndex)) &&
  (log.address === before.address || isAddress(log.address)) &&
  (log.data === before.data || isDataField(log.data)) &&
  (log.removed === before.removed || typeof log.removed === 'boolean');

/** The height of a mined block, transaction or receipt, or of the last of an array of logs or traces; else NaN. */
export function heightIn(result: unknown): number {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  const { blockNumber, number = blockNumber, hash, blockHash = hash } = membersOf(last);
  // Pending transactions have an all-zero block hash.
  const isMined = blockHash !== null && !/^0x0{64}$/.test(`${blockHash}`);
  return isMined && /^(0x[0-9a-f]{1,16}|\d{1,15})$/i.test(`${number}`) ? Number(number) : Number.NaN;
}
