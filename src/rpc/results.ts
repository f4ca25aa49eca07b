import { isAddress, isDataField, isHash, isQuantity, type Kind, wrongField } from './fields.js';
import type { Block, Hash, Hex, Log, Receipt, Transaction } from './schema.js';

/**
 * Validates results of the service. Each check throws the broken rule as text, which the client turns into -32603 with
 * the method's name. Checks never change a result.
 */
export type Check<Params = readonly unknown[]> = (result: unknown, params: Params) => void;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const must = (holds: boolean, rule: string): void => {
  if (!holds) throw new Error(rule);
};

/** Checks the form of every known field; `path` is the position of the object in the result. */
function checkFields(object: object, kind: Kind, path = ''): void {
  const fault = wrongField(object as Readonly<Record<string, unknown>>, kind);
  if (fault !== null) throw new Error(path + fault);
}

export const isQuantityResult: Check<unknown> = (result) =>
  must(isQuantity(result), 'not a QUANTITY of at most 256 bits');

/** A block number of at most 64 bits. */
export const isBlockNumber: Check<unknown> = (result) =>
  must(isQuantity(result) && BigInt(result) >> 64n === 0n, 'not a block number');

export const isQuantityOrNull: Check<unknown> = (result) => {
  if (result !== null) isQuantityResult(result, undefined);
};

export const isData: Check<unknown> = (result) =>
  must(isDataField(result), 'not DATA (0x and an even number of hexadecimal digits)');

/** DATA, or `null` for an unknown account or block, which the node answers for code (docs/notes/node.md#unknown-blocks). */
export const isDataOrNull: Check<unknown> = (result) => {
  if (result !== null) isData(result, undefined);
};

/** At most 32 bytes: nodes have sent storage words without their leading zeros. */
export const isWord: Check<unknown> = (result) =>
  must(typeof result === 'string' && /^0x[0-9a-fA-F]{0,64}$/.test(result), 'not DATA of at most 32 bytes');

export const isText: Check<unknown> = (result) => must(typeof result === 'string', 'not a string');

export const isBoolean: Check<unknown> = (result) => must(typeof result === 'boolean', 'not a boolean');

export const isTexts: Check<unknown> = (result) =>
  must(Array.isArray(result) && result.every((each) => typeof each === 'string'), 'not an array of strings');

export const isAddressResult: Check<unknown> = (result) => must(isAddress(result), 'not an address');

/** Some name-only methods (docs/notes/node.md#methods-listed-by-name-only) return bytes, a list of bytes, or `null`. */
export const isDataListOrNull: Check<unknown> = (result) =>
  must(result === null || (Array.isArray(result) && result.every(isDataField)), 'not an array of DATA');

export const isSyncStatus: Check<unknown> = (result) =>
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
  must(isObject(result), 'not a block');
  const block = result as Partial<Block>;
  must(block.number === null || isQuantity(block.number), 'number is not a QUANTITY');
  must(block.hash === null || isHash(block.hash), 'hash is not DATA of 32 bytes');
  must(isHash(block.parentHash), 'parentHash is not DATA of 32 bytes');
  must(!isSame(block.hash, block.parentHash), 'parentHash is the hash of the block itself');
  must(Array.isArray(block.transactions), 'transactions is not an array');
}

/** Compares two hashes, ignoring case. */
const isSame = (a: Hash | null | undefined, b: Hash | null | undefined): boolean =>
  a === b || (typeof a === 'string' && a.toLowerCase() === b?.toLowerCase());

/** Checks every known field of a block that a page gets. */
export function checkWholeBlock(result: unknown): asserts result is Block | null {
  checkBlock(result);
  if (result === null) return;
  for (const each of result.transactions as readonly unknown[]) {
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

export const isBlockWithHash: Check = (result, [hash]) => {
  if (isObject(result) && isHash(result.hash))
    must(result.hash.toLowerCase() === hash, 'hash is not the one that was asked for');
  checkWholeBlock(result);
};

export const isBlockAt: Check = (result, [selector]) => {
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

export const isTransaction: Check<unknown> = checkTransaction;

export const isTransactions: Check<unknown> = (result) => {
  must(Array.isArray(result), 'not an array');
  for (const transaction of result as readonly unknown[]) {
    must(transaction !== null, 'not a transaction');
    checkTransaction(transaction);
  }
};

export const isTransactionWithHash: Check = (result, [hash]) => {
  checkTransaction(result);
  if (result !== null) must(result.hash.toLowerCase() === hash, 'hash is not the one that was asked for');
};

/** False if the transaction names another block. A zero block hash names none. */
const isIn = ({ blockHash }: Transaction, hash: Hash): boolean =>
  !blockHash || /^0x0{64}$/.test(blockHash) || isSame(blockHash, hash);

/** Checks a transaction that was requested by its block (hash, number or tag) and index. */
export const isTransactionAt: Check = (result, [block, index]) => {
  checkTransaction(result);
  if (result === null || block === 'pending') return;
  const { blockNumber, transactionIndex } = result;
  const isOther = (value: Hex | null | undefined, asked: unknown) =>
    typeof value === 'string' && BigInt(value) !== BigInt(asked as Hex);
  must(!isOther(transactionIndex, index), 'transactionIndex is not the one that was asked for');
  if (isHash(block)) must(isIn(result, block), 'blockHash is not the one that was asked for');
  else if (isQuantity(block))
    must(!isOther(blockNumber, block), 'blockNumber is not the one that was asked for');
};

/** Checks that the fields of a block do not contradict each other. */
export const isReceiptOf: Check = (result, [hash]) => {
  if (result === null) return;
  must(isObject(result) && isHash(result.transactionHash), 'transactionHash is not DATA of 32 bytes');
  const receipt = result as unknown as Receipt;
  must(receipt.transactionHash.toLowerCase() === hash, 'transactionHash is not the one that was asked for');
  must(Array.isArray(receipt.logs), 'logs is not an array');
  must(isHash(receipt.blockHash), 'blockHash is not DATA of 32 bytes');
  must(isQuantity(receipt.blockNumber), 'blockNumber is not a QUANTITY');
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
export const isWholeReceiptOf: Check = (result, params) => {
  isReceiptOf(result, params);
  if (result === null) return;
  isLogs((result as Receipt).logs, undefined);
  checkFields(result as Receipt, 'receipt');
};

/** Checks the fields of the head that preparing a transaction needs: minimum gas price and gas limit. */
export const isPreparable: Check<unknown> = (result) => {
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
export const isLogs: Check<unknown> = (result) => {
  must(Array.isArray(result), 'not an array of logs');
  let before: Partial<Log> = { topics: [] };
  for (const log of result as readonly Partial<Log>[]) {
    must(isObject(log), 'not an array of logs');
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
