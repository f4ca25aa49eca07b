import { bloomHasAny, isBloom } from '../../rpc/bloom.js';
import { badReply } from '../../rpc/core-errors.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { toQuantity } from '../../rpc/hex.js';
import { createMatcher } from '../../rpc/matcher.js';
import { own } from '../../rpc/own.js';
import { remasc } from '../../rpc/remasc.js';
import { checkBlock, checkLogs, checkReceiptOf, checkTransactionWithHash } from '../../rpc/results.js';
import type { Block, Hash, Hex, Log, LogCriteria, Receipt, Transaction } from '../../rpc/schema.js';
import { inLanes } from '../lanes.js';
import type { Service } from '../service.js';
import { areAllLogs } from './bloom-check.js';
import { isOutOfReach, isTooLarge, tooManyBlocks, tooManyReceipts } from './refusal.js';

export declare namespace ReceiptLogs {
  interface OfBlockOptions {
    readonly signal?: AbortSignal | undefined;
    /** The block's logs from another source: on a chain whose blooms are empty, receipts that give the same ones count. */
    readonly orEqualTo?: readonly Log[] | undefined;
  }
  interface Options {
    readonly signal?: AbortSignal | undefined;
    /** Called after each answer with the blocks whose logs have been read, and those in the range. */
    readonly onProgress?:
      | ((progress: { readonly read: number; readonly blocks: number }) => void)
      | undefined;
    /** Set where each block of the range is known to exist: a node that lacks the last one lags, and the read fails. */
    readonly whole?: boolean | undefined;
    /** The logs of the block at a height, for one that the service refuses alone: where it is set, no block may fail the range. */
    readonly readBlock?: ((height: number) => Promise<readonly Log[]>) | undefined;
  }
}

export interface BlockWithLogs extends Pick<Block, 'logsBloom' | 'transactions' | 'parentHash'> {
  readonly number: Hex | null;
  readonly hash: Hash | null;
}

/**
 * Reads logs from the receipts of a block's transactions, for services without `eth_getLogs`. It takes one request per
 * block if the service has `eth_getBlockReceipts`, which is tried once, and else one per transaction. The logs must
 * give exactly the block's bloom: none is missing and none is invented.
 */
export function createReceiptLogs(service: Service) {
  /** True until the service has refused it. */
  let hasBlockReceipts = true;
  /** Receipts of blocks that still lack some, by block hash. */
  const partial = new Map<Hash, Map<Hash, Receipt>>();

  /** `null` if the service does not have the method: then each receipt is requested. */
  async function receiptsOfBlock(
    block: BlockWithLogs,
    signal?: AbortSignal,
  ): Promise<readonly (Receipt | null)[] | null> {
    if (!hasBlockReceipts) return null;
    const hashes = block.transactions.map(hashOf);
    const check = (result: unknown) => {
      const count = Array.isArray(result) ? result.length : -1;
      if (count !== hashes.length && count !== hashes.length - 1) throw new Error('not its receipts');
      for (const [at, receipt] of (result as unknown[]).entries())
        checkReceipt(receipt, hashes[at] as Hash, block);
    };
    try {
      const receipts = (await service.request('eth_getBlockReceipts', [block.hash], {
        signal,
        check,
      })) as Receipt[];
      return hashes.map((_, at) => receipts[at] ?? null);
    } catch (error) {
      if (!isProviderRpcError(error) || isOutOfReach(error)) throw error;
      // One bad or too large answer does not show that the service lacks the method.
      if (error.code !== errorCode.internal && !isTooLarge(error)) hasBlockReceipts = false;
      return null;
    }
  }

  async function receiptsOneByOne(
    block: BlockWithLogs,
    signal?: AbortSignal,
  ): Promise<readonly (Receipt | null)[]> {
    const blockHash = block.hash as Hash;
    const found = partial.get(blockHash) ?? new Map<Hash, Receipt>();
    partial.set(blockHash, found);
    for (const oldest of partial.keys()) if (partial.size > maxPartial) partial.delete(oldest);
    const hashes = block.transactions.map(hashOf);
    /** A node that lacks one lacks the block, mostly: the others are not requested. */
    let isMissing = false;
    const receiptOf = async (hash: Hash) => {
      const before = found.get(hash);
      if (before) return before;
      if (isMissing) return null;
      const check = (result: unknown) => result !== null && checkReceipt(result, hash, block);
      const receipt = await service.request('eth_getTransactionReceipt', [hash], { signal, check });
      if (receipt) found.set(hash, receipt as Receipt);
      else isMissing ||= hash !== hashes.at(-1);
      return receipt as Receipt | null;
    };
    const first = await inLanes(hashes.slice(0, 1), 1, receiptOf);
    return [...first, ...(await inLanes(hashes.slice(1), lanes, receiptOf))];
  }

  /** The last transaction of a block pays the miners. Some services have no receipt of it. */
  async function areAll(
    block: BlockWithLogs,
    receipts: readonly (Receipt | null)[],
    signal?: AbortSignal,
  ): Promise<boolean> {
    const missing = receipts.indexOf(null);
    if (missing < 0) return true;
    if (missing < receipts.length - 1) return false;
    const hash = hashOf(block.transactions[missing] as Hash | Transaction);
    const check = (result: unknown) => checkTransactionWithHash(result, [hash]);
    const last = (await service.request('eth_getTransactionByHash', [hash], {
      signal,
      check,
    })) as Transaction | null;
    return last?.to === remasc && /^0x0{40}$/.test(last.from);
  }

  async function ofBlock(
    block: BlockWithLogs,
    options?: ReceiptLogs.OfBlockOptions,
  ): Promise<readonly Log[]> {
    const { hash, logsBloom } = block;
    const { signal, orEqualTo } = own(options);
    const isEmpty = isBloom(logsBloom) && !bloomHasAny(logsBloom);
    if (isEmpty && !orEqualTo) return [];
    const isWithoutBloom = (logs: readonly Log[]) => isEmpty && orEqualTo && isSameList(logs, orEqualTo);
    for (const read of [receiptsOfBlock, receiptsOneByOne]) {
      const receipts = await read(block, signal);
      if (!receipts || !(await areAll(block, receipts, signal))) continue;
      const logs = logsIn(receipts);
      // Removed whether they are right or wrong: wrong ones must be requested again.
      partial.delete(hash as Hash);
      if (areAllLogs(logs, logsBloom) || isWithoutBloom(logs)) return logs;
    }
    throw badReply('eth_getTransactionReceipt', 'the receipts are not those of the block');
  }

  async function blockAt(selector: Hex | 'latest', signal?: AbortSignal): Promise<Block | null> {
    const check = (result: unknown) => {
      checkBlock(result);
      if (result !== null && selector !== 'latest' && Number(result.number) !== Number(selector))
        throw new Error('number is not the one that was asked for');
    };
    return (await service.request('eth_getBlockByNumber', [selector, false], {
      signal,
      check,
    })) as Block | null;
  }

  /** The blocks of a range, each the parent of the next; `null` if the chain was reorganised meanwhile. */
  async function blocksOf(from: number, end: Block, signal?: AbortSignal): Promise<readonly Block[] | null> {
    const count = Math.max(0, Number(end.number) - from);
    const heights = Array.from({ length: count }, (_, at) => from + at);
    const below = await inLanes(heights, lanes, (height) => blockAt(toQuantity(height), signal));
    const blocks = [...below, end];
    const isLinked = blocks.every((block, at) => at === 0 || block?.parentHash === blocks[at - 1]?.hash);
    return isLinked && !blocks.includes(null) ? (blocks as Block[]) : null;
  }

  /** The newest block of the range; `null` if the range lies above the head. */
  async function endOf(from: number, to: number, options: ReceiptLogs.Options): Promise<Block | null> {
    const { signal, whole } = options;
    const at = (height: number) =>
      height - from < maxRangeBlocks ? blockAt(toQuantity(height), signal) : null;
    const last = to === Number.POSITIVE_INFINITY ? null : await at(to);
    if (last) return last;
    const head = await blockAt('latest', signal);
    if (!head || (whole && Number(head.number) < to))
      throw badReply('eth_getBlockByNumber', 'a block that others know is missing');
    if (Number(head.number) < from) return null;
    const end = Math.min(to, Number(head.number));
    if (end - from >= maxRangeBlocks) throw tooManyBlocks(maxRangeBlocks);
    return end === Number(head.number) ? head : at(end);
  }

  return {
    /** All logs of a block, in order. @throws ProviderRpcError -32603 where the receipts are not those of the block. */
    ofBlock,
    /**
     * The logs from one height to another, inclusive, of at most {@link maxRangeBlocks} blocks; to the head where `to` is
     * above it, or Infinity. In order, and all of one chain. @throws ProviderRpcError -32005 for more blocks
     */
    async read(
      criteria: LogCriteria,
      from: number,
      to: number,
      settings?: ReceiptLogs.Options,
    ): Promise<readonly Log[]> {
      const options = own(settings);
      const { signal, onProgress, readBlock } = options;
      const matcher = createMatcher(criteria);
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const end = await endOf(from, to, options);
        if (!end) return [];
        const blocks = await blocksOf(from, end, signal);
        if (!blocks) continue;
        const matching = blocks.filter(({ logsBloom }) => matcher.mayMatch(logsBloom));
        const receipts = matching.reduce((sum, { transactions }) => sum + transactions.length, 0);
        if (receipts > maxReceipts) throw tooManyReceipts(receipts, maxReceipts, blocks.length);
        const logs: Log[] = [];
        for (const block of matching) {
          const found = await ofBlock(block, { signal }).catch((error: unknown) => {
            if (!readBlock || signal?.aborted) throw error;
            return readBlock(Number(block.number));
          });
          logs.push(...found.filter(matcher.matches));
          onProgress?.({ read: Number(block.number) - from + 1, blocks: blocks.length });
        }
        onProgress?.({ read: blocks.length, blocks: blocks.length });
        return logs;
      }
      throw badReply('eth_getBlockByNumber', 'the chain was another one each time the range was read');
    },
  };
}

/** @throws Error for a receipt of another transaction or block */
function checkReceipt(result: unknown, hash: Hash, block: BlockWithLogs): void {
  if (result === null) throw new Error('not its receipts');
  checkReceiptOf(result, [hash]);
  const { blockHash, blockNumber, logs } = result as Receipt;
  if (blockHash.toLowerCase() !== block.hash?.toLowerCase() || Number(blockNumber) !== Number(block.number))
    throw new Error('the receipt is of another block');
  checkLogs(logs);
}

/**
 * The logs of all receipts of a block, numbered through the block: older nodes number them within each transaction.
 */
function logsIn(receipts: readonly (Receipt | null)[]): Log[] {
  const logs: Log[] = [];
  for (const receipt of receipts)
    for (const log of [...(receipt?.logs ?? [])].sort((a, b) => Number(a.logIndex) - Number(b.logIndex)))
      logs.push({
        ...log,
        blockHash: receipt?.blockHash as Hash,
        blockNumber: receipt?.blockNumber as Hex,
        transactionHash: receipt?.transactionHash as Hash,
        transactionIndex: receipt?.transactionIndex as Hex,
        logIndex: toQuantity(logs.length),
      });
  return logs;
}

const isSameList = (some: readonly Log[], others: readonly Log[]): boolean =>
  contentsOf(some) === contentsOf(others);

const contentsOf = (logs: readonly Log[]): string =>
  JSON.stringify(logs.map((log) => [log.transactionHash, log.address, log.topics, log.data])).toLowerCase();

const hashOf = (transaction: Hash | Transaction): Hash =>
  (typeof transaction === 'string' ? transaction : transaction.hash).toLowerCase() as Hash;

/** Blocks of one range: about an hour of Rootstock, in as many requests. */
const maxRangeBlocks = 128;
/** Receipts of one range, where each is a request. */
const maxReceipts = 1_024;
/** Requests at once. */
const lanes = 6;
const attempts = 3;
/** Blocks whose receipts are kept until all are there. */
const maxPartial = 16;
