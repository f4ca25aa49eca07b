import type { Hash } from '../rpc/schema.js';
import { type BlockLink, type Blocks, heightOf, type MinedBlock } from './blocks.js';

/**
 * Reads the newest blocks between `head` and `tip` by height, several at once, where following parent hashes would
 * wait for one request after another. A block of another fork may be among them, or one may be missing: the caller
 * goes by hash and requests what is not there.
 */
export async function prefetchHeaders(
  tip: BlockLink,
  head: BlockLink,
  options: prefetchHeaders.Options,
): Promise<void> {
  const { walked, blocks, headers, signal } = options;
  const from = Math.max(heightOf(head), heightOf(tip) - walked) + 1;
  if (heightOf(tip) - from < fewest) return;
  const known = new Set([...headers.values()].map(heightOf));
  let next = heightOf(tip) - 1;
  const read = async (): Promise<void> => {
    for (let height = next--; height >= from && !signal.aborted; height = next--) {
      const block = known.has(height) ? null : await blocks.at(height, signal);
      if (block) headers.set(block.hash, block);
    }
  };
  // A failure is repeated, and reported, by the caller's own request for that block.
  await Promise.allSettled(Array.from({ length: parallel }, read));
}

/** Requests at once. */
const parallel = 6;
/** Blocks. Fewer are as fast one by one, and a request by hash is shared with the other tabs. */
const fewest = 32;

export declare namespace prefetchHeaders {
  interface Options {
    /** Most blocks that are read. */
    readonly walked: number;
    readonly blocks: Pick<Blocks, 'at'>;
    /** Known headers by hash; those that are read are added. */
    readonly headers: Map<Hash, MinedBlock>;
    readonly signal: AbortSignal;
  }
}
