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
  if (isLocal(service)) return minInterval;
  const [first, last] = [chain.at(-sample) ?? chain[0], chain.at(-1)];
  const blocks = Number(last?.number) - Number(first?.number);
  const seconds = Number(last?.timestamp) - Number(first?.timestamp);
  const blockTime = blocks > 0 ? (seconds * 1000) / blocks : assumedBlockTime;
  return Math.min(maxInterval, Math.max(minInterval, blockTime / 2 || minInterval));
}

/** Whether all endpoints are on this machine. */
export const isLocal = ({ network }: Service): boolean =>
  network.urls.length > 0 && network.urls.every(isOnThisMachine);

const minInterval = 1_000;
const maxInterval = 12_000;
/** Blocks over which the block time is averaged. */
const sample = 32;
/** Milliseconds: Rootstock's block time (25 to 30 s), used until two blocks have been seen. */
const assumedBlockTime = 25_000;
