import { canonicalQuantity } from '../rpc/canonical.js';
import { badReply, errorCode, ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { isBlockAt, isBlockWithHash, isQuantityResult } from '../rpc/results.js';
import type { Block, BlockSelector, FeeHistory, Hash, Hex } from '../rpc/schema.js';
import { inLanes } from '../service/lanes.js';
import type { Service } from '../service/service.js';
import { namesBaseFee, noteBaseFee } from './base-fee.js';

/** `eth_feeHistory` from blocks: a chunk of its own, since few pages ask. */

export interface FeeHistoryRequest {
  readonly service: Service;
  /** Blocks, at least 1. */
  readonly count: number;
  readonly newest: BlockSelector;
  readonly percentiles: readonly number[];
  readonly signal?: AbortSignal;
}

/** A block is one request of a daily quota: more are not read for one answer. */
export const mostBlocks = 32;
/** Blocks read at once. */
const lanes = 8;

/** Of a mined block, what the history needs. */
interface Row {
  readonly height: number;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** wei per gas. */
  readonly price: Hex;
  /** Gas used of the gas limit, 0 to 1. */
  readonly ratio: number;
}

/** Rows by hash, which never change: a page that asks at every block costs one request a time. */
const remembered = new WeakMap<Service, Map<Hash, Row>>();

/** @throws ProviderRpcError -32001 when there is no such newest block */
export async function readFeeHistory(asked: FeeHistoryRequest): Promise<FeeHistory> {
  const { service, percentiles, signal } = asked;
  const rows = remembered.get(service) ?? new Map<Hash, Row>();
  remembered.set(service, rows);
  const options = signal ? { signal } : {};
  let isTyped = false;

  async function read(method: string, selector: BlockSelector): Promise<Row | null> {
    const named = method === 'eth_getBlockByHash' ? isBlockWithHash : isBlockAt;
    const check = (result: unknown): void => {
      named(result, [selector]);
      if (result !== null) checkFees(result as Block);
    };
    const block = (await service.request(method, [selector, false], { ...options, check })) as Block | null;
    if (block === null) return null;
    noteBaseFee(block, service);
    isTyped ||= namesBaseFee(block);
    const row = rowOf(block);
    rows.set(row.hash, row);
    return row;
  }
  const at = (height: number) => read('eth_getBlockByNumber', toQuantity(height));
  const price = async () =>
    canonicalQuantity(
      await service.request('eth_gasPrice', [], {
        ...options,
        check: (result) => isQuantityResult(result, undefined),
      }),
    ) as Hex;

  /** The newest row, and what its successor asks: exact where there is one, else what the next has to pay. */
  async function newestRow(): Promise<readonly [Row | null, Hex]> {
    const { newest } = asked;
    if (newest === 'latest' || newest === 'pending')
      return Promise.all([read('eth_getBlockByNumber', 'latest'), price()]);
    const height = newest === 'earliest' ? 0 : Number(newest);
    const successor = await at(height + 1);
    if (!successor) return Promise.all([at(height), price()]);
    return [await ancestor(successor.parentHash), successor.price];
  }

  const ancestor = async (hash: Hash) => rows.get(hash) ?? read('eth_getBlockByHash', hash);

  const [newest, next] = await newestRow();
  if (!newest) throw new ProviderRpcError(errorCode.resourceNotFound, 'The newest block is not known.');
  if (isTyped) return theirs(asked, options);

  const count = Math.min(asked.count, mostBlocks, newest.height + 1);
  const known = new Set([...rows.values()].map(({ height }) => height));
  const heights = Array.from({ length: count - 1 }, (_, i) => newest.height - 1 - i);
  await inLanes(
    heights.filter((height) => !known.has(height)),
    lanes,
    at,
  );

  // Read by number they may stand on two chains: each is the parent of the one before, or is read again.
  const history = [newest];
  for (let row: Row | null = newest; history.length < count; history.unshift(row)) {
    const child: Row = row;
    row = await ancestor(child.parentHash);
    if (!row) break;
    if (row.height !== child.height - 1)
      throw badReply('eth_getBlockByHash', 'a block is not one higher than its parent');
  }
  for (const hash of [...rows.keys()].slice(0, -2 * mostBlocks)) rows.delete(hash);

  return {
    oldestBlock: toQuantity((history[0] as Row).height),
    baseFeePerGas: [...history.map((row) => row.price), next],
    gasUsedRatio: history.map((row) => row.ratio),
    ...(percentiles.length > 0 && { reward: history.map(() => percentiles.map((): Hex => '0x0')) }),
  };
}

/** Blocks name a base fee: the node knows what its fees were, tips included. */
async function theirs(
  { service, count, newest, percentiles }: FeeHistoryRequest,
  options: { readonly signal?: AbortSignal },
): Promise<FeeHistory> {
  const check = (result: unknown): void => {
    const { oldestBlock, baseFeePerGas, gasUsedRatio } = own((result ?? {}) as Partial<FeeHistory>);
    isQuantityResult(oldestBlock, undefined);
    if (!Array.isArray(baseFeePerGas) || !Array.isArray(gasUsedRatio)) throw new Error('not a fee history');
  };
  const params = [toQuantity(count), newest, percentiles];
  return (await service.request('eth_feeHistory', params, { ...options, check })) as FeeHistory;
}

function checkFees({ number, hash, gasUsed, gasLimit, minimumGasPrice }: Block): void {
  if (hash === null || !Number.isSafeInteger(Number(number ?? Number.NaN)))
    throw new Error('a mined block has a number and a hash');
  for (const fee of [gasUsed, gasLimit, minimumGasPrice ?? '0x0']) isQuantityResult(fee, undefined);
}

function rowOf({ number, hash, parentHash, gasUsed, gasLimit, minimumGasPrice }: Block): Row {
  return {
    height: Number(number),
    hash: (hash as Hash).toLowerCase() as Hash,
    parentHash: parentHash.toLowerCase() as Hash,
    price: canonicalQuantity(minimumGasPrice ?? '0x0'),
    ratio: Number(gasLimit) === 0 ? 0 : Number(gasUsed) / Number(gasLimit),
  };
}
