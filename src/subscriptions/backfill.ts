import { createBlocks } from '../chain/blocks.js';
import { badReply, limitExceeded } from '../rpc/core-errors.js';
import type { Hash, Log, LogCriteria } from '../rpc/schema.js';
import type { LogRanges } from '../service/logs/ranges.js';
import { blocksInstead } from '../service/logs/refusal.js';
import type { Service } from '../service/service.js';

/**
 * The logs between two heights, inclusive. With a hash, the block at the upper height must have it, so that the range
 * joins the known blocks above it.
 * @throws ProviderRpcError -32603 if it has another hash: a different node replied, or the chain was reorganised.
 */
export type Backfill = (from: number, to: number, hash?: Hash) => Promise<readonly Log[]>;

export function createBackfill(options: createBackfill.Options): Backfill {
  const { service, logRanges, criteria, signal } = options;
  const blocks = createBlocks(service);
  /** How far a range has been read; after a failure the next call continues there. */
  let begun: { readonly from: number; readonly to: number; next: number; logs: Log[] } | undefined;
  const read = (from: number, to: number) => logRanges.read(criteria, from, to, { signal, whole: true });

  /** Reads in parts a range that is too long for one call. */
  async function readInParts(from: number, to: number, error: unknown): Promise<readonly Log[]> {
    let most = blocksInstead(error) ?? 0;
    if (most < 1 || to - from >= Math.max(most, mostInParts)) throw error;
    begun = begun?.from === from && begun.to === to ? begun : { from, to, next: from, logs: [] };
    const part = begun;
    while (part.next <= to) {
      const end = Math.min(to, part.next + most - 1);
      try {
        part.logs = [...part.logs, ...(await read(part.next, end))];
        part.next = end + 1;
      } catch (error) {
        const fewer = blocksInstead(error) ?? most;
        if (fewer >= most) throw error;
        most = fewer;
      }
    }
    begun = undefined;
    return part.logs;
  }

  return async (from, to, hash) => {
    const logs = await read(from, to).catch((error) => readInParts(from, to, error));
    if (hash !== undefined && (await blocks.at(to, signal))?.hash !== hash)
      throw badReply('eth_getLogs', 'a range that ends on another chain');
    return logs;
  };
}

export declare namespace createBackfill {
  interface Options {
    readonly service: Service;
    readonly logRanges: LogRanges;
    readonly criteria: LogCriteria;
    readonly signal: AbortSignal;
  }
}

/** @throws ProviderRpcError -32005 for more than {@link mostBlocks}: a filter from block 0 would spend the daily quota on its first poll. */
export function checkBackfill(from: number, to: number): void {
  if (to - from >= mostBlocks)
    throw limitExceeded(`fromBlock: ${to - from + 1} blocks of history, at most ${mostBlocks} are read`);
}

export const mostBlocks = 100_000;

/**
 * How many missed headers are delivered after a sleep, each at the cost of a request: a night of Rootstock, about half a
 * minute (150 ms a request, six at once) and four percent of the daily quota.
 */
export const mostHeaders = 1_024;

/** The most missed blocks whose logs are read one block at a time. */
export const mostInParts = mostHeaders;
