import { isOnThisMachine } from '../service/networks.js';
import type { Service } from '../service/service.js';
import type { MinedBlock } from './blocks.js';

/**
 * Milliseconds between two polls of the head: half of the observed block time, between 1 s and 12 s. Blocks arrive
 * without memory, so the mean delay is half of the interval: a quarter of the block time, for two requests a block
 * (docs/notes/performance.md#polling).
 *
 * A local endpoint mines on demand, so that timestamps do not predict its next block, and has no quota: 1 s.
 */
export function blockInterval(
  service: Service,
  chain: readonly Pick<MinedBlock, 'number' | 'timestamp'>[],
): number {
  if (isLocal(service)) return shortest;
  const [first, last] = [chain.at(-sample) ?? chain[0], chain.at(-1)];
  const blocks = first && last ? Number(last.number) - Number(first.number) : 0;
  const blockTime =
    first && last && blocks > 0
      ? ((Number(last.timestamp) - Number(first.timestamp)) * 1000) / blocks
      : assumedBlockTime;
  return Math.min(longest, Math.max(shortest, blockTime / 2 || shortest));
}

/** Whether all endpoints are on this machine. */
export const isLocal = ({ network }: Service): boolean =>
  network.urls.length > 0 && network.urls.every(isOnThisMachine);

const shortest = 1_000;
const longest = 12_000;
/** Blocks over which the block time is averaged. */
const sample = 32;
/** Milliseconds: Rootstock's block time (25 to 30 s), used until two blocks have been seen. */
const assumedBlockTime = 25_000;
