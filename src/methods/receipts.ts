import { positions } from '../rpc/params.js';
import type { BlockReference, Receipt } from '../rpc/schema.js';
import { blockReference } from '../rpc/selectors.js';
import { method } from './method.js';

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
