import { methodFacts } from './method-facts/method-facts.js';
import type { CheckName } from './method-facts/row.js';
import { membersOf } from './own-data.js';
import { checkProof } from './proof.js';
import {
  type Check,
  checkAddress,
  checkAnyData,
  checkBlockAt,
  checkBlockNumber,
  checkBlockWithHash,
  checkBoolean,
  checkCode,
  checkDataListOrNull,
  checkDataOrNull,
  checkFeeHistory,
  checkLogs,
  checkNumber,
  checkQuantity,
  checkQuantityOrNull,
  checkSyncStatus,
  checkText,
  checkTexts,
  checkTransactionAt,
  checkTransactions,
  checkTransactionWithHash,
  checkWholeReceiptOf,
  checkWholeUncle,
  checkWord,
} from './results.js';

/** The checks that the rows of methods name. */
const checks: Readonly<Record<CheckName, Check>> = {
  address: checkAddress,
  'any-data': checkAnyData,
  'block-at': checkBlockAt,
  'block-number': checkBlockNumber,
  'block-with-hash': checkBlockWithHash,
  boolean: checkBoolean,
  code: checkCode,
  'data-list-or-null': checkDataListOrNull,
  'data-or-null': checkDataOrNull,
  'fee-history': checkFeeHistory,
  logs: checkLogs,
  number: checkNumber,
  proof: checkProof,
  quantity: checkQuantity,
  'quantity-or-null': checkQuantityOrNull,
  receipt: checkWholeReceiptOf,
  'sync-status': checkSyncStatus,
  text: checkText,
  texts: checkTexts,
  'transaction-at': checkTransactionAt,
  'transaction-with-hash': checkTransactionWithHash,
  transactions: checkTransactions,
  uncle: checkWholeUncle,
  word: checkWord,
};

/**
 * The check of a method's result, which throws an error that names the broken rule; `undefined` for a method without one.
 * @param params as they are sent, validated or as a relay's client has written them
 * @param others checks in place of those that a method's row names
 */
export function checkOf(
  method: string,
  params: readonly unknown[],
  others?: ReadonlyMap<CheckName, Check>,
): ((result: unknown) => void) | undefined {
  const { check: name, block } = methodFacts(method);
  if (name === undefined) return undefined;
  const check = others?.get(name) ?? checks[name];
  const isState = typeof block === 'number' && block > 0;
  return (result) => {
    if (result !== null || !isState || !namesBlock(params[block])) check(result, params);
  };
}

/** Whether a selector names a block: `null` in place of its state says that the node lacks it, and others may have it. */
function namesBlock(selector: unknown): boolean {
  const { blockHash, blockNumber = blockHash ?? selector } = membersOf(selector);
  return `${blockNumber}`.startsWith('0x');
}
