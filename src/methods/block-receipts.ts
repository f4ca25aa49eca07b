import { canonicalReceipt } from '../rpc/canonical.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { membersOf } from '../rpc/own-data.js';
import { remasc } from '../rpc/remasc.js';
import { checkBlockAt, checkBlockWithHash, checkTransactions, checkWholeReceiptOf } from '../rpc/results.js';
import type { Block, BlockReference, Hash, Receipt, Transaction } from '../rpc/schema.js';
import { inLanes } from '../service/lanes.js';
import type { Service } from '../service/service.js';

/** `eth_getBlockReceipts` from single receipts. A chunk of its own, since few pages use it. */

/** Receipts read in parallel. */
const lanes = 8;

/** @throws ProviderRpcError -32001 for a block that is not, or no longer, part of the main chain */
export async function readBlockReceipts(
  service: Service,
  reference: Exclude<BlockReference, 'pending'>,
  signal?: AbortSignal,
): Promise<readonly Receipt[] | null> {
  // A reorg may happen between two requests, so missing receipts are read again once.
  for (let attempt = 0; attempt < 2; attempt++) {
    const block = await readBlock(service, reference, signal);
    if (!block) return null;
    const receipts = await inLanes(block.transactions, lanes, async (transaction) => {
      const hash = hashOf(transaction);
      const check = (result: unknown) => checkWholeReceiptOf(result, [hash]);
      const receipt = (await service.request('eth_getTransactionReceipt', [hash], {
        signal,
        check,
      })) as Receipt | null;
      if (receipt && receipt.blockHash.toLowerCase() === block.hash?.toLowerCase())
        return canonicalReceipt(receipt);
      return isRemasc(transaction) ? 'none' : null;
    });
    if (!receipts.includes(null)) return receipts.filter((each) => typeof each === 'object') as Receipt[];
  }
  throw new ProviderRpcError(
    errorCode.resourceNotFound,
    'The receipts of the block are not available: it is not, or no longer, part of the main chain.',
  );
}

async function readBlock(
  service: Service,
  reference: BlockReference,
  signal: AbortSignal | undefined,
): Promise<Block | null> {
  const { blockHash, blockNumber } = membersOf(reference);
  const selector = blockHash ?? blockNumber ?? reference;
  const isHash = `${selector}`.length === 66;
  const named = isHash ? checkBlockWithHash : checkBlockAt;
  const check = (result: unknown) => {
    named(result, [selector]);
    const { transactions = [] } = (result ?? {}) as Partial<Block>;
    checkTransactions(
      transactions.map((each) => (typeof each === 'string' ? { hash: each, nonce: '0x0' } : each)),
    );
  };
  // With full transactions, which show which one is REMASC's.
  const method = isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber';
  return (await service.request(method, [selector, true], { signal, check })) as Block | null;
}

const hashOf = (transaction: Hash | Transaction): Hash =>
  (typeof transaction === 'string' ? transaction : transaction.hash).toLowerCase() as Hash;

/** The last transaction of every block pays the miners; the service may have no receipt for it. */
const isRemasc = (transaction: Hash | Transaction): boolean =>
  typeof transaction === 'object' && transaction.to === remasc && /^0x0{40}$/.test(transaction.from);
