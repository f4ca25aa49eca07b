import { own } from '../../rpc/own.js';
import type { Head } from './head-view.js';

/**
 * How long an answer holds. `always`: its block lies so deep that nothing replaces it. `branch`: it speaks of a
 * block so far below the head that all nodes behind a balancer agree on it, and holds while each look shows that the
 * chain only grew. `head`: while each look shows the same head.
 */
export type Scope = 'always' | 'branch' | 'head';

/** The block that a read speaks of: the newest, a height, or one that only the answer names. */
export type Place = 'latest' | 'answer' | number;

/** Where among the params a read names its block. What is not here is never kept. */
const blockParam: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockByHash: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getBlockTransactionCountByHash: 0,
  eth_getUncleCountByBlockNumber: 0,
  eth_getUncleCountByBlockHash: 0,
  eth_getUncleByBlockNumberAndIndex: 0,
  eth_getUncleByBlockHashAndIndex: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getTransactionByBlockHashAndIndex: 0,
  rsk_getRawBlockHeaderByNumber: 0,
  rsk_getRawBlockHeaderByHash: 0,
  trace_block: 0,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
};
const byTransaction = /^(eth_getTransaction(ByHash|Receipt)|trace_transaction)$/;
const ofTheHead = /^eth_(blockNumber|gasPrice)$/;

/** `undefined`: not kept. The pending block changes with every transaction that anybody sends. */
export function placeOf(method: string, params: readonly unknown[]): Place | undefined {
  if (ofTheHead.test(method)) return 'latest';
  if (byTransaction.test(method)) return 'answer';
  if (method === 'eth_getLogs') return placeOfLogs(params[0]);
  const at = blockParam[method];
  return typeof at === 'number' ? placeOfSelector(params[at]) : undefined;
}

function placeOfSelector(selector: unknown): Place | undefined {
  if (selector === undefined || selector === 'latest') return 'latest';
  if (selector === 'earliest') return 0;
  const { blockHash, blockNumber = blockHash ?? selector } = own(Object(selector) as Record<string, unknown>);
  if (typeof blockNumber !== 'string' || !/^0x[0-9a-f]+$/i.test(blockNumber)) return undefined;
  return blockNumber.length === 66 ? 'answer' : Number(blockNumber);
}

/** The heights that `eth_getLogs` is about while the head is at a height; `undefined` where they are not known. */
export function spanOf(filter: unknown, head: number): readonly [from: number, to: number] | undefined {
  const { blockHash, fromBlock, toBlock } = own(Object(filter) as Record<string, unknown>);
  if (blockHash !== undefined) return undefined;
  const [from, to] = [fromBlock, toBlock].map((selector) => {
    const place = placeOfSelector(selector);
    return place === 'latest' ? head : place;
  });
  return typeof from === 'number' && typeof to === 'number' ? [from, Math.min(to, head)] : undefined;
}

/** The newest block that a range reaches decides. */
function placeOfLogs(filter: unknown): Place | undefined {
  const { blockHash, fromBlock, toBlock } = own(Object(filter) as Record<string, unknown>);
  if (blockHash !== undefined) return placeOfSelector(blockHash);
  const [from, to] = [placeOfSelector(fromBlock), placeOfSelector(toBlock)];
  if (from === 'latest' || to === 'latest') return from && to && 'latest';
  return typeof from === 'number' && typeof to === 'number' ? Math.max(from, to) : undefined;
}

/**
 * `undefined`: not kept. `null` is only that nobody knows yet: of a receipt, and at a height, until the next
 * block; of a hash until anybody learns of it, as of a transaction that is pending.
 */
export function scopeOf(
  method: string,
  place: Place,
  result: unknown,
  { height: head }: Head.State,
  depth: number,
): Scope | undefined {
  if (result === null) return place !== 'answer' || method.endsWith('Receipt') ? 'head' : undefined;
  const height = place === 'answer' ? heightIn(result) : place;
  if (height === 'latest') return 'head';
  if (Number.isNaN(height)) return byTransaction.test(method) ? undefined : 'head';
  if (height <= head - depth) return 'always';
  // Nearer to it the node that answered may stand on another fork, or not know the newest blocks yet.
  return height <= head - unsettled ? 'branch' : 'head';
}

/** Blocks: nodes have been seen to lag five behind (docs/notes/security.md#nodes-that-lag). */
export const unsettled = 12;

/** The height of a mined block, transaction, receipt, or of the last of several logs or traces; else NaN. */
export function heightIn(result: unknown): number {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  const {
    blockNumber,
    number = blockNumber,
    hash,
    blockHash = hash,
  } = own(Object(last) as Record<string, unknown>);
  // The seed gives pending transactions an all-zero block hash.
  const isMined = blockHash !== null && !/^0x0{64}$/.test(`${blockHash}`);
  return isMined && /^(0x[0-9a-f]{1,16}|\d{1,15})$/i.test(`${number}`) ? Number(number) : Number.NaN;
}
