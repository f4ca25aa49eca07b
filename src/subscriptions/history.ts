import { errorCode, isProviderRpcError, limitExceeded } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import type { Log, LogCriteria } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { readLogs } from './logs.js';

/**
 * The logs between two heights (inclusive), in pieces of at most 2,000 blocks (seed, "Limits"), halved where
 * the service still refuses one as too large.
 *
 * @throws ProviderRpcError -32005 beyond {@link mostBlocks}: a page that starts at block 0 would spend a day's
 * quota on its first poll.
 */
export async function readHistory(
  service: Service,
  { address, topics }: LogCriteria,
  from: number,
  to: number,
): Promise<readonly Log[]> {
  checkHistory(from, to);
  let logs: readonly Log[] = [];
  let size = 2_000;
  for (let start = from; start <= to; ) {
    const end = Math.min(to, start + size - 1);
    const range = { fromBlock: toQuantity(start), toBlock: toQuantity(end) };
    try {
      logs = logs.concat(await readLogs(service, { ...range, address, topics }));
      start = end + 1;
    } catch (error) {
      if (!isProviderRpcError(error) || error.code !== errorCode.limitExceeded || end === start) throw error;
      size = Math.ceil((end - start + 1) / 2);
    }
  }
  return logs;
}

export function checkHistory(from: number, to: number): void {
  if (to - from >= mostBlocks)
    throw limitExceeded(`fromBlock: ${to - from + 1} blocks of history, at most ${mostBlocks} are read`);
}

export const mostBlocks = 100_000;
