import { checkOf as checkOfMethod } from '../../../src/rpc/method-facts/method-facts.js';
import { membersOf } from '../../../src/rpc/own-data.js';
import {
  type Check,
  checkBlockAt,
  checkBlockWithHash,
  checkQuantity,
  checkText,
  checkTransaction,
  checkTransactionAt,
  checkTransactionWithHash,
  checkWholeBlock,
  checkWholeReceiptOf,
  isHash,
} from '../../../src/rpc/results.js';

/** In place of checks that compare a result with what names it: where the param has a form that cannot be compared, but the node accepts. */
const uncompared: ReadonlyMap<Check, Check> = new Map<Check, Check>([
  [checkBlockAt, checkWholeBlock],
  [checkBlockWithHash, checkWholeBlock],
  [checkWholeReceiptOf, checkReceipt],
  [checkTransactionAt, checkTransaction],
  [checkTransactionWithHash, checkTransaction],
]);

function checkReceipt(result: unknown): void {
  checkWholeReceiptOf(result, [`${membersOf(result).transactionHash}`.toLowerCase()]);
}

const isComparable = (value: unknown): boolean =>
  typeof value !== 'string' || isHash(value) || /^(latest|earliest|pending|0x[0-9a-f]{1,16})$/i.test(value);

/**
 * The check of a request's result before it is cached or passed on: the wallet's own. Results of methods without one are passed
 * on as they are, and never cached: one malformed reply must not be the answer for all clients.
 */
export function checkOf(method: string, params: readonly unknown[]): ((result: unknown) => void) | undefined {
  // The wallet answers these two itself.
  if (method === 'eth_chainId') return checkQuantity;
  if (method === 'net_version') return checkText;
  // The node takes a hash for a number too.
  const isHashForNumber = method === 'eth_getBlockByNumber' && isHash(params[0]);
  // Clients may write hashes in upper case; the checks compare with the lower one.
  const compared = params.map((each) => (isHash(each) ? each.toLowerCase() : each));
  return checkOfMethod(
    method,
    compared,
    params.every(isComparable) && !isHashForNumber ? undefined : uncompared,
  );
}
