import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import { membersOf } from '../../rpc/own-data.js';
import { heightIn } from '../../rpc/selectors.js';
import { type BlockRef, blockOfSelector } from './block-param.js';
import type { HeadView } from './head-view.js';

/**
 * How long a response stays valid. `always`: its block is too deep for a reorg. `branch`: its block is so far below the
 * head that all nodes behind a load balancer have it; valid while each poll shows that the chain only grew. `head`:
 * valid while each poll shows the same head.
 */
export type Scope = 'always' | 'branch' | 'head';

/** The block of a read; `undefined` for one that is not cached, as of the pending block, which changes all the time. */
export function blockOf(method: string, params: readonly unknown[]): BlockRef | undefined {
  const { block } = methodFacts(method);
  if (block === 'head') return 'latest';
  if (block === 'transaction') return 'answer';
  if (block === 'range') return blockOfLogs(params[0]);
  return block === undefined ? undefined : blockOfSelector(params[block]);
}

/** The newest block of the range decides. */
function blockOfLogs(filter: unknown): BlockRef | undefined {
  const { blockHash, fromBlock, toBlock } = membersOf(filter);
  if (blockHash !== undefined) return blockOfSelector(blockHash);
  const [from, to] = [blockOfSelector(fromBlock), blockOfSelector(toBlock)];
  if (from === 'latest' || to === 'latest') return from && to && 'latest';
  return typeof from === 'number' && typeof to === 'number' ? Math.max(from, to) : undefined;
}

/**
 * How long a result stays valid; `undefined` for one that is not cached. `null` means "not yet": for a receipt or a
 * height it is valid until the next block; for a hash it is not cached, because a transaction can arrive at any time.
 */
export function scopeOf(
  method: string,
  block: BlockRef,
  result: unknown,
  { height: head }: HeadView.State,
  depth: number,
): Scope | undefined {
  if (result === null)
    return block !== 'answer' || method === 'eth_getTransactionReceipt' ? 'head' : undefined;
  const height = block === 'answer' ? heightIn(result) : block;
  if (height === 'latest') return 'head';
  if (Number.isNaN(height)) return methodFacts(method).block === 'transaction' ? undefined : 'head';
  if (height <= head - depth) return 'always';
  // Nearer to the head the node that answered may be on another fork, or lack the newest blocks.
  return height <= head - disputedBlocks ? 'branch' : 'head';
}

/**
 * Newest blocks about which nodes behind one load balancer may disagree: lags of up to five blocks were observed
 * (docs/notes/security.md#nodes-that-lag).
 */
export const disputedBlocks = 12;
