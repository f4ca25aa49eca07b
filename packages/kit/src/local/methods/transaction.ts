import type { Hash, Receipt, Transaction } from '../../../../../src/rpc/schema.js';
import { type Context, type Methods, takes } from '../context.js';
import { readBlockHash, readIndex, readTransactionHash, refuseNull } from '../params.js';
import { readBlock } from '../reference.js';
import { remascReceipt, remascTransaction } from '../remasc.js';
import { shapePooled, shapeReceipt, shapeTransaction, zeroHash } from '../shapes.js';
import { placeOf, refusePending } from './block.js';

/** Adds the field `_id` of the by-index lookups (docs/notes/service.md#transaction-object). */
const withId = (transaction: Transaction | null, { switches }: Context) =>
  transaction && switches.lookupId ? { ...transaction, _id: transaction.hash.slice(2, 26) } : transaction;

async function byHash(hash: Hash, context: Context): Promise<Transaction | null> {
  const pooled = context.pool.find(hash);
  if (pooled) return shapePooled(pooled);
  const found = (await context.engine.request('eth_getTransactionByHash', [hash])) as Transaction | null;
  if (found && found.blockHash !== null) return shapeTransaction(found);
  const block = await context.blocks.byRemascHash(hash);
  return block && remascTransaction(block);
}

async function receipt(hash: Hash, context: Context): Promise<Receipt | null> {
  const { engine, switches } = context;
  const found = (await engine.request('eth_getTransactionReceipt', [hash])) as Receipt | null;
  if (found === null) {
    const block = await context.blocks.byRemascHash(hash);
    return block && remascReceipt(block);
  }
  const block = switches.receiptRoot ? await context.blocks.find(found.blockHash) : null;
  const creation = found.to === null ? await byHash(hash, context) : null;
  return shapeReceipt(found, (block?.stateRoot as Hash) ?? null, BigInt(creation?.nonce ?? 0));
}

export const transactionMethods: Methods = {
  eth_getTransactionByHash: takes(1, ([hash], context) => byHash(readTransactionHash(hash), context)),
  eth_getTransactionReceipt: takes(1, ([hash], context) => receipt(readTransactionHash(hash), context)),
  eth_getTransactionByBlockHashAndIndex: takes(2, async ([hash, at], context) => {
    refuseNull(hash, 'blockHash');
    refuseNull(at, 'index');
    const index = readIndex(at);
    const block = await context.blocks.find(readBlockHash(hash));
    return withId(block && context.blocks.transactionAt(block, index), context);
  }),
  eth_getTransactionByBlockNumberAndIndex: takes(2, async ([value, at], context) => {
    const where = readBlock(value);
    const index = readIndex(at);
    refusePending(where, context);
    if (where.at === 'pending') return withId(await context.blocks.pooled(index), context);
    const place = placeOf(where, context);
    const unknown = typeof place === 'number' && (place < 0 || place > context.chain.head());
    const block = unknown ? null : await context.blocks.find(place);
    return withId(block && context.blocks.transactionAt(block, index), context);
  }),
  eth_pendingTransactions: takes(0, (_, { switches, pool }) =>
    switches.pendingTransactions === 'none'
      ? []
      : pool.pending().map((each) => ({ ...shapePooled(each), blockHash: zeroHash })),
  ),
};
