import type { Hash } from '../rpc/schema.js';
import { type BlockLink, type Blocks, heightOf, type MinedBlock } from './blocks.js';

/**
 * Reads the newest blocks below `tip` and above `head` by height, several at once, where following their parent hashes
 * would wait for one after the other. What it finds is only likely: another node's fork, or none. Whoever uses it goes
 * by the hash, and asks for the rest.
 */
export async function readAhead(tip: BlockLink, head: BlockLink, options: readAhead.Options): Promise<void> {
  const { walked, blocks, read, signal } = options;
  const from = Math.max(heightOf(head), heightOf(tip) - walked) + 1;
  if (heightOf(tip) - from < few) return;
  const known = new Set([...read.values()].map(heightOf));
  let next = heightOf(tip) - 1;
  const ask = async (): Promise<void> => {
    for (let height = next--; height >= from && !signal.aborted; height = next--) {
      const block = known.has(height) ? null : await blocks.at(height, signal);
      if (block) read.set(block.hash, block);
    }
  };
  // Where one fails, whoever follows the hashes asks again and says so.
  await Promise.allSettled(Array.from({ length: atOnce }, ask));
}

const atOnce = 6;
/** Blocks: of them, one after the other is as well, and what is asked for by hash serves the other tabs too. */
const few = 32;

export declare namespace readAhead {
  interface Options {
    /** The most that are read. */
    readonly walked: number;
    readonly blocks: Pick<Blocks, 'at'>;
    /** What is known; what is found is put into it. */
    readonly read: Map<Hash, MinedBlock>;
    readonly signal: AbortSignal;
  }
}
