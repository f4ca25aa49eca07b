import { canonicalBlock, canonicalQuantity, canonicalTransaction, unplaced } from '../rpc/canonical.js';
import { noParams } from '../rpc/message.js';
import { boolean, hash, index, optional, positions } from '../rpc/params.js';
import type { Block, BlockReference, BlockSelector, Hash, Hex, Receipt, Transaction } from '../rpc/schema.js';
import { blockReference, blockSelector } from '../rpc/selectors.js';
import { noteFeeMarket } from './fee-market.js';
import { forwarded, method } from './method.js';
import { countIn, ifFound } from './reading.js';

export const eth_blockNumber = forwarded<[], Hex>()(noParams, canonicalQuantity);

export const eth_getBlockByNumber = forwarded<[block: BlockSelector, full?: boolean], Block | null>()(
  positions(blockSelector, optional(boolean, false)),
  ifFound(canonicalBlock),
  noteFeeMarket,
);

export const eth_getBlockByHash = forwarded<[hash: Hash, full?: boolean], Block | null>()(
  positions(hash, optional(boolean, false)),
  ifFound(canonicalBlock),
);

export const eth_getBlockTransactionCountByHash = countIn<[hash: Hash]>()(positions(hash));

export const eth_getBlockTransactionCountByNumber = countIn<[block: BlockSelector]>()(
  positions(blockSelector),
);

export const eth_getUncleCountByBlockHash = countIn<[hash: Hash]>()(positions(hash));

export const eth_getUncleCountByBlockNumber = countIn<[block: BlockSelector]>()(positions(blockSelector));

/** An uncle in the form of a block, without transactions. */
export const eth_getUncleByBlockHashAndIndex = forwarded<[hash: Hash, index: Hex], Block | null>()(
  positions(hash, index),
  ifFound(canonicalBlock),
);

/** An uncle in the form of a block, without transactions. */
export const eth_getUncleByBlockNumberAndIndex = forwarded<
  [block: BlockSelector, index: Hex],
  Block | null
>()(positions(blockSelector, index), ifFound(canonicalBlock));

/** The result may have the service's own field `_id`, which is passed on (docs/notes/service.md#transaction-object). */
export const eth_getTransactionByBlockHashAndIndex = forwarded<
  [hash: Hash, index: Hex],
  Transaction | null
>()(positions(hash, index), ifFound(canonicalTransaction));

/**
 * For `pending`, the node reports a block hash and number of a candidate that is not mined; they are set to `null`
 * (docs/notes/node.md#block-tags).
 */
export const eth_getTransactionByBlockNumberAndIndex = forwarded<
  [block: BlockSelector, index: Hex],
  Transaction | null
>()(
  positions(blockSelector, index),
  ifFound((transaction, [block]) => {
    const canonical = canonicalTransaction(transaction);
    return block === 'pending' ? unplaced(canonical) : canonical;
  }),
);

/**
 * Every receipt of a block, in the order of its transactions. It takes one request for the block and one for each
 * transaction, since the service has no such method (docs/notes/node.md#methods-it-lacks). `null` for an unknown block and
 * for `pending`, whose transactions have no receipts. -32001 for a block that has left the main chain, since the service
 * has receipts of the main chain only (docs/notes/node.md#receipts).
 */
export const eth_getBlockReceipts = method<[block: BlockReference], readonly Receipt[] | null>()(
  positions(blockReference),
  async (context, [block], { signal }) => {
    const service = context.reads();
    if (block === 'pending') return null;
    const { readBlockReceipts } = await import('./block-receipts.js');
    return readBlockReceipts(service, block, signal);
  },
);
