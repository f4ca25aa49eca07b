import type { Service } from '../service/service.js';
import type { MinedBlock } from './blocks.js';

/**
 * How often to look, in milliseconds: half of the observed block time, between 1 s and 12 s. Blocks arrive
 * without memory, so the mean delay is half of this whatever the rule (docs/notes/performance.md#polling): a quarter of the
 * time between blocks, for two requests a block.
 *
 * A service on this machine spends nobody's quota and mines on demand: its timestamps say nothing about when
 * the next block comes, and it is asked each second.
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

/** Whether it runs on this machine. */
export const isLocal = ({ network }: Service): boolean =>
  network.urls.length > 0 && network.urls.every(isLoopback);

const shortest = 1_000;
const longest = 12_000;
/** Blocks looked back over. */
const sample = 32;
/** Rootstock's (25 to 30 s), until two blocks have been seen. */
const assumedBlockTime = 25_000;

function isLoopback(url: string): boolean {
  try {
    return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
  } catch {
    return false;
  }
}
