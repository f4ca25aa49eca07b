import { isHash } from '../rpc/fields.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import { checkProof } from '../rpc/proof.js';
import {
  type Check,
  checkAnyData,
  checkBlockAt,
  checkBlockNumber,
  checkBlockWithHash,
  checkBoolean,
  checkCode,
  checkDataListOrNull,
  checkDataOrNull,
  checkLogs,
  checkNumber,
  checkQuantity,
  checkQuantityOrNull,
  checkSyncStatus,
  checkText,
  checkTransaction,
  checkTransactionAt,
  checkTransactionWithHash,
  checkWholeBlock,
  checkWholeReceiptOf,
  checkWholeUncle,
  checkWord,
} from '../rpc/results.js';

/** `null` in place of the state at a block says that the node lacks the block: others may have it. */
function atBlock(check: Check, selector = 1): Check {
  return (result, params) => {
    const { blockHash, blockNumber = blockHash ?? params[selector] } = membersOf(params[selector]);
    if (result !== null || !`${blockNumber}`.startsWith('0x')) check(result, params);
  };
}

/**
 * The check of each result before it is cached or passed on, the same as the wallet's. Results of other methods are passed on as they are, and never
 * cached: one malformed reply must not be the answer for all clients.
 */
const checks: Readonly<Record<string, Check>> = own({
  eth_blockNumber: checkBlockNumber,
  eth_call: atBlock(checkAnyData),
  eth_chainId: checkQuantity,
  eth_estimateGas: atBlock(checkNumber),
  eth_gasPrice: checkNumber,
  eth_getBalance: atBlock(checkNumber),
  eth_getBlockByHash: checkBlockWithHash,
  eth_getBlockByNumber: checkBlockAt,
  eth_getBlockTransactionCountByHash: checkQuantityOrNull,
  eth_getBlockTransactionCountByNumber: checkQuantityOrNull,
  eth_getCode: checkCode,
  eth_getLogs: checkLogs,
  eth_getProof: (result) => result !== null && checkProof(result),
  eth_getStorageAt: atBlock(checkWord, 2),
  eth_getTransactionByBlockHashAndIndex: checkTransactionAt,
  eth_getTransactionByBlockNumberAndIndex: checkTransactionAt,
  eth_getTransactionByHash: checkTransactionWithHash,
  eth_getTransactionCount: atBlock(checkNumber),
  eth_getTransactionReceipt: checkWholeReceiptOf,
  eth_getUncleByBlockHashAndIndex: checkWholeUncle,
  eth_getUncleByBlockNumberAndIndex: checkWholeUncle,
  eth_getUncleCountByBlockHash: checkQuantityOrNull,
  eth_getUncleCountByBlockNumber: checkQuantityOrNull,
  eth_maxPriorityFeePerGas: checkNumber,
  eth_syncing: checkSyncStatus,
  net_listening: checkBoolean,
  net_version: checkText,
  rsk_getRawBlockHeaderByHash: checkDataOrNull,
  rsk_getRawBlockHeaderByNumber: checkDataOrNull,
  rsk_getRawTransactionReceiptByHash: checkDataOrNull,
  rsk_getTransactionReceiptNodesByHash: checkDataListOrNull,
  rsk_protocolVersion: checkQuantity,
  web3_clientVersion: checkText,
});

/** Checks of methods that look up one thing, for params in a form that the node accepts but that cannot be compared. */
const uncompared: Readonly<Record<string, Check>> = own({
  eth_getBlockByHash: checkWholeBlock,
  eth_getBlockByNumber: checkWholeBlock,
  eth_getTransactionByBlockHashAndIndex: checkTransaction,
  eth_getTransactionByBlockNumberAndIndex: checkTransaction,
  eth_getTransactionByHash: checkTransaction,
  eth_getTransactionReceipt: checkReceipt,
});

function checkReceipt(result: unknown): void {
  checkWholeReceiptOf(result, [`${membersOf(result).transactionHash}`.toLowerCase()]);
}

const isComparable = (value: unknown): boolean =>
  typeof value !== 'string' || isHash(value) || /^(latest|earliest|pending|0x[0-9a-f]{1,16})$/i.test(value);

/** The check of a request's result; `undefined` for a method without one. */
export function checkOf(method: string, params: readonly unknown[]): ((result: unknown) => void) | undefined {
  const listed = checks[method];
  if (!listed) return undefined;
  // The node takes a hash for a number too.
  const isHashForNumber = method === 'eth_getBlockByNumber' && isHash(params[0]);
  const check = params.every(isComparable) && !isHashForNumber ? listed : (uncompared[method] ?? listed);
  // Clients may write hashes in upper case; the checks compare with the lower one.
  const compared = params.map((each) => (isHash(each) ? each.toLowerCase() : each));
  return (result) => check(result, compared);
}
