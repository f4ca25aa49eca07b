import { createBlocks } from '../chain/blocks.js';
import { badReply, limitExceeded } from '../rpc/errors.js';
import type { Hash, Log, LogCriteria } from '../rpc/schema.js';
import type { LogRanges } from '../service/log-ranges.js';
import type { Service } from '../service/service.js';

/**
 * The logs between two heights, inclusive. With a hash, the block at the upper one must have it: the range then
 * joins what is known above it.
 * @throws ProviderRpcError -32603 where it does not: another node behind the balancer, or a chain that moves.
 */
export type History = (from: number, to: number, hash?: Hash) => Promise<readonly Log[]>;

export function createHistory(options: createHistory.Options): History {
  const { service, logRanges, criteria, signal } = options;
  const blocks = createBlocks(service);
  return async (from, to, hash) => {
    const logs = await logRanges.read(criteria, from, to, { signal });
    if (hash !== undefined && (await blocks.at(to, signal))?.hash !== hash)
      throw badReply('eth_getLogs', 'a range that ends on another chain');
    return logs;
  };
}

export declare namespace createHistory {
  interface Options {
    readonly service: Service;
    readonly logRanges: LogRanges;
    readonly criteria: LogCriteria;
    readonly signal: AbortSignal;
  }
}

/** @throws ProviderRpcError -32005 beyond {@link mostBlocks}: a page that starts at block 0 would spend a day's quota on its first poll. */
export function checkHistory(from: number, to: number): void {
  if (to - from >= mostBlocks)
    throw limitExceeded(`fromBlock: ${to - from + 1} blocks of history, at most ${mostBlocks} are read`);
}

export const mostBlocks = 100_000;

/**
 * Of the headers that came while a page slept, how many of the newest are told: one request each, before anything
 * newer. So many, a night of Rootstock, take about half a minute (150 ms a request, six at once) and four percent of a
 * day's requests.
 */
export const mostHeaders = 1_024;
