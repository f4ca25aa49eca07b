import { canonicalQuantity } from '../rpc/canonical.js';
import { badReply } from '../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { checkOf } from '../rpc/method-facts/method-facts.js';
import { checkBlockAt, checkBlockWithHash, checkQuantity } from '../rpc/results.js';
import type { Block, BlockSelector, FeeHistory, Hash, Hex } from '../rpc/schema.js';
import { inLanes } from '../service/lanes.js';
import type { Service } from '../service/service.js';
import { hasFeeMarket, noteFeeMarket } from './fee-market.js';

/** `eth_feeHistory` from blocks. A chunk of its own, since few pages use it. */

export interface FeeHistoryRequest {
  readonly service: Service;
  /** Blocks, at least 1. */
  readonly count: number;
  readonly newest: BlockSelector;
  readonly percentiles: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

/** Blocks read for one result at most, since each costs one request of the daily quota. */
export const maxBlocks = 32;
/** Blocks read in parallel. */
const lanes = 8;

/** The fields of a mined block that the history needs. */
interface Row {
  readonly height: number;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** Minimum gas price, wei per gas. */
  readonly price: Hex;
  /** Gas used divided by the gas limit, 0 to 1. */
  readonly ratio: number;
}

/** Cached rows by block hash, so that a page which polls the history costs one request for each new block. */
const cachedRows = new WeakMap<Service, Map<Hash, Row>>();

/** @throws ProviderRpcError -32001 if the newest block does not exist */
export async function readFeeHistory(request: FeeHistoryRequest): Promise<FeeHistory> {
  const { service, percentiles, signal } = request;
  const rows = cachedRows.get(service) ?? new Map<Hash, Row>();
  cachedRows.set(service, rows);
  let hasMarket = false;

  async function read(method: string, selector: BlockSelector): Promise<Row | null> {
    const named = method === 'eth_getBlockByHash' ? checkBlockWithHash : checkBlockAt;
    const check = (result: unknown): void => {
      named(result, [selector]);
      if (result !== null) checkFees(result as Block);
    };
    const block = (await service.request(method, [selector, false], { signal, check })) as Block | null;
    if (block === null) return null;
    noteFeeMarket(block, service);
    hasMarket ||= hasFeeMarket(block);
    const row = rowOf(block);
    rows.set(row.hash, row);
    return row;
  }
  const at = (height: number) => read('eth_getBlockByNumber', toQuantity(height));
  const price = async () =>
    canonicalQuantity(await service.request('eth_gasPrice', [], { signal, check: checkQuantity })) as Hex;

  /** The newest row and the price of the block after it: that block's own if it exists, else the current gas price. */
  async function newestRow(): Promise<readonly [Row | null, Hex]> {
    const { newest } = request;
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
  if (hasMarket) {
    // Only the node knows the tips.
    const params = [toQuantity(request.count), request.newest, percentiles];
    const check = checkOf('eth_feeHistory', params);
    return (await service.request('eth_feeHistory', params, { signal, check })) as FeeHistory;
  }

  const count = Math.min(request.count, maxBlocks, newest.height + 1);
  const known = new Set([...rows.values()].map(({ height }) => height));
  const heights = Array.from({ length: count - 1 }, (_, i) => newest.height - 1 - i);
  await inLanes(
    heights.filter((height) => !known.has(height)),
    lanes,
    at,
  );

  // Blocks that were read by number may belong to two forks: follow parentHash, and read a missing parent by its hash.
  const history = [newest];
  for (let row: Row | null = newest; history.length < count; history.unshift(row)) {
    const child: Row = row;
    row = await ancestor(child.parentHash);
    if (!row) break;
    if (row.height !== child.height - 1)
      throw badReply('eth_getBlockByHash', 'a block is not one higher than its parent');
  }
  for (const hash of [...rows.keys()].slice(0, -2 * maxBlocks)) rows.delete(hash);

  return {
    oldestBlock: toQuantity((history[0] as Row).height),
    baseFeePerGas: [...history.map((row) => row.price), next],
    gasUsedRatio: history.map((row) => row.ratio),
    ...(percentiles.length > 0 && { reward: history.map(() => percentiles.map((): Hex => '0x0')) }),
  };
}

function checkFees({ number, hash, gasUsed, gasLimit, minimumGasPrice }: Block): void {
  if (hash === null || !Number.isSafeInteger(Number(number ?? Number.NaN)))
    throw new Error('a mined block has a number and a hash');
  for (const fee of [gasUsed, gasLimit, minimumGasPrice ?? '0x0']) checkQuantity(fee);
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
