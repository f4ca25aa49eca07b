import { toQuantity } from '../../rpc/hex.js';
import type { Block, Hash, Receipt, Transaction } from '../../rpc/schema.js';
import { type Context, type Methods, takes } from '../context.js';
import { readBlockHash, readIndex, readTransactionHash } from '../params.js';
import { createRemascIndex, remascReceipt, remascTransaction } from '../remasc.js';
import { shapePooled, shapeReceipt, shapeTransaction, zeroHash } from '../shapes.js';
import { numberOf, readBlockNumber, refusePending } from './block.js';

/** The by-index lookups may carry an extra field (seed, Transaction object). */
const withId = (transaction: Transaction | null, { switches }: Context) =>
  transaction && switches.lookupId ? { ...transaction, _id: transaction.hash.slice(2, 26) } : transaction;

/** Made per service, because finding a REMASC transaction needs an index that grows with the chain. */
export function transactionMethods(): Methods {
  const remascHeight = createRemascIndex();

  async function remascBlock(hash: Hash, { switches, chain, blocks }: Context): Promise<Block | null> {
    const height = switches.remasc ? remascHeight(hash, chain.head()) : undefined;
    return height === undefined ? null : blocks.find(height);
  }

  async function byHash(hash: Hash, context: Context): Promise<Transaction | null> {
    const waiting = context.pool.find(hash);
    if (waiting) return shapePooled(waiting);
    const found = (await context.engine.request('eth_getTransactionByHash', [hash])) as Transaction | null;
    if (found && found.blockHash !== null) return shapeTransaction(found);
    const block = await remascBlock(hash, context);
    return block && remascTransaction(block);
  }

  async function receipt(hash: Hash, context: Context): Promise<Receipt | null> {
    const { engine, switches } = context;
    const found = (await engine.request('eth_getTransactionReceipt', [hash])) as Receipt | null;
    if (found === null) {
      const block = await remascBlock(hash, context);
      return block && remascReceipt(block);
    }
    const block = switches.receiptRoot ? await context.blocks.find(found.blockHash) : null;
    const creation = found.to === null ? await byHash(hash, context) : null;
    return shapeReceipt(found, (block?.stateRoot as Hash) ?? null, BigInt(creation?.nonce ?? 0));
  }

  return {
    eth_getTransactionByHash: takes(1, ([hash], context) => byHash(readTransactionHash(hash), context)),
    eth_getTransactionReceipt: takes(1, ([hash], context) => receipt(readTransactionHash(hash), context)),
    eth_getTransactionByBlockHashAndIndex: takes(2, async ([hash, at], context) => {
      const index = readIndex(at);
      const block = await context.blocks.find(readBlockHash(hash));
      return withId(block && context.blocks.transactionAt(block, index), context);
    }),
    eth_getTransactionByBlockNumberAndIndex: takes(2, async ([value, at], context) => {
      const where = readBlockNumber(value);
      const index = readIndex(at);
      refusePending(where, context);
      if (where === 'pending') return withId(await fromCandidate(index, context), context);
      const number = numberOf(where, context);
      const block = number > context.chain.head() ? null : await context.blocks.find(number);
      return withId(block && context.blocks.transactionAt(block, index), context);
    }),
    eth_pendingTransactions: takes(0, (_, { switches, pool }) =>
      switches.pendingTransactions === 'none'
        ? []
        : pool.pending().map((each) => ({ ...shapePooled(each), blockHash: zeroHash })),
    ),
  };
}

/** From the pool's list, and yet with the candidate block's hash and number (node-facts §4). */
async function fromCandidate(index: number, { engine, pool }: Context): Promise<Transaction | null> {
  const waiting = pool.pending()[index];
  if (!waiting) return null;
  const candidate = (await engine.request('eth_getBlockByNumber', ['pending', false])) as Block;
  return {
    ...shapePooled(waiting),
    blockHash: candidate.hash,
    blockNumber: candidate.number,
    transactionIndex: toQuantity(index),
  };
}
