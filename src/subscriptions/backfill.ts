import { createBlocks, type MinedBlock } from '../chain/blocks.js';
import { badReply, limitExceeded } from '../rpc/core-errors.js';
import { createMatcher } from '../rpc/matcher.js';
import type { Hash, Log, LogCriteria } from '../rpc/schema.js';
import type { LogRanges } from '../service/logs/ranges.js';
import { blocksInstead } from '../service/logs/refusal.js';
import type { Service } from '../service/service.js';

/**
 * The logs between two heights, inclusive. A block that the service refuses in every range is read by its hash.
 * @throws ProviderRpcError -32603 if the last block has another hash than `hash`: a different node replied, or the chain was
 * reorganised; and what {@link Backfill.Settings.readBlock} rejects with.
 */
export type Backfill = (from: number, to: number, settings: Backfill.Settings) => Promise<readonly Log[]>;

export declare namespace Backfill {
  interface Settings {
    /** Hash of the block at the upper height, where it is known: the range then joins the known blocks above it. */
    readonly hash: Hash | undefined;
    /** All logs of a block that no range gives. */
    readonly readBlock: (block: MinedBlock) => Promise<readonly Log[]>;
    /** Called with the height of a block that could not be read in that way either. */
    readonly onUnreadable: ((height: number) => void) | undefined;
  }
}

export function createBackfill(options: createBackfill.Options): Backfill {
  const { service, logRanges, criteria, signal } = options;
  const blocks = createBlocks(service);
  const matcher = createMatcher(criteria);
  /** How far a range has been read; after a failure the next call continues there. */
  let begun: { readonly from: number; readonly to: number; next: number; logs: Log[] } | undefined;

  async function readAlone(height: number, { readBlock, onUnreadable }: Backfill.Settings) {
    try {
      const block = await blocks.at(height, signal);
      if (!block) throw badReply('eth_getBlockByNumber', 'a block that others know is missing');
      return matcher.mayMatch(block.logsBloom) ? (await readBlock(block)).filter(matcher.matches) : [];
    } catch (error) {
      if (!signal.aborted) onUnreadable?.(height);
      throw error;
    }
  }

  const read = (from: number, to: number, settings: Backfill.Settings) =>
    logRanges.read(criteria, from, to, {
      signal,
      whole: true,
      readBlock: (height) => readAlone(height, settings),
    });

  /** Reads in parts a range that is too long for one call. */
  async function readInParts(
    ...[from, to, settings, error]: [...Parameters<Backfill>, unknown]
  ): Promise<readonly Log[]> {
    let size = blocksInstead(error) ?? 0;
    if (size < 1 || to - from >= Math.max(size, maxBlocksInParts)) throw error;
    begun = begun?.from === from && begun.to === to ? begun : { from, to, next: from, logs: [] };
    const part = begun;
    while (part.next <= to) {
      const end = Math.min(to, part.next + size - 1);
      try {
        part.logs = [...part.logs, ...(await read(part.next, end, settings))];
        part.next = end + 1;
      } catch (error) {
        const smaller = blocksInstead(error) ?? size;
        if (smaller >= size) throw error;
        size = smaller;
      }
    }
    begun = undefined;
    return part.logs;
  }

  return async (from, to, settings) => {
    const { hash } = settings;
    const logs = await read(from, to, settings).catch((error) => readInParts(from, to, settings, error));
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

/** @throws ProviderRpcError -32005 for more than {@link maxBackfill}: a filter from block 0 would spend the daily quota on its first poll. */
export function checkBackfill(from: number, to: number): void {
  if (to - from >= maxBackfill)
    throw limitExceeded(`fromBlock: ${to - from + 1} blocks of history, at most ${maxBackfill} are read`);
}

/** Blocks. */
export const maxBackfill = 100_000;

/** Missed blocks whose logs are read one block at a time. */
export const maxBlocksInParts = 1_024;
