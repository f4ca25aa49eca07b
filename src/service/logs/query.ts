import { canonicalLog } from '../../rpc/canonical.js';
import { isProviderRpcError } from '../../rpc/errors.js';
import { toQuantity } from '../../rpc/hex.js';
import { own } from '../../rpc/own.js';
import { checkLogs, checkQuantity } from '../../rpc/results.js';
import type { Log, LogFilter } from '../../rpc/schema.js';
import { heightOfSelector } from '../../rpc/selectors.js';
import type { Service } from '../service.js';
import { checkFilter, readLogs } from './logs.js';
import type { LogRanges } from './ranges.js';
import { cut, isLacking, mayBeCut, mayBeTooLarge } from './refusal.js';

/**
 * `eth_getLogs` for a block or any range of blocks; without a range, for the latest block
 * (docs/notes/service.md#methods-with-full-parameter-and-result-shape). A range that the service refuses as too large, or
 * answers with exactly its limit of logs, is read in pieces: the logs are in order, without duplicates, and of one chain.
 *
 * A range that ends before it begins is empty. The node would return the logs of its end, and read `earliest` there as
 * `latest` (docs/notes/node.md#log-ranges).
 */
export async function queryLogs(
  service: Service,
  filter: LogFilter,
  settings: Omit<LogRanges.Options, 'refusal'> & { readonly ranges: () => Promise<LogRanges> },
): Promise<readonly Log[]> {
  const { ranges, signal, onProgress } = own(settings);
  const { blockHash, fromBlock, toBlock, ...criteria } = filter;
  const [first, last] = [heightOfSelector(fromBlock), heightOfSelector(toBlock)];
  if (first !== undefined && last !== undefined && first > last) return [];

  const head = async () =>
    Number(await service.request('eth_blockNumber', [], { signal, check: checkQuantity }));

  const normalised: LogFilter = {
    ...filter,
    ...(first !== undefined && { fromBlock: toQuantity(first) }),
    ...(last !== undefined && { toBlock: toQuantity(last) }),
  };
  const read = fromBlock === 'pending' || toBlock === 'pending' ? readUnplaced : readLogs;
  const answer = await read(service, normalised, { signal }).catch((error: unknown) => {
    if (mayBeTooLarge(error) || isLacking(error)) return error;
    throw error;
  });
  if (isLacking(answer)) {
    const source = await ranges();
    const logs = async () => {
      if (blockHash !== undefined) return source.ofBlock(criteria, blockHash, signal);
      const from = first ?? (await head());
      const to = last ?? (first === undefined ? from : Number.POSITIVE_INFINITY);
      if (from > to || fromBlock === 'pending') return [];
      return source.read(criteria, from, to, { signal, onProgress, refusal: answer });
    };
    return (await logs()).map(canonicalLog);
  }
  const refusal = isProviderRpcError(answer) ? answer : mayBeCut(answer) ? cut() : undefined;
  // A range that starts at the head cannot be split.
  if (refusal && blockHash === undefined && first !== undefined) {
    const [from, to] = [first, last ?? Number.POSITIVE_INFINITY];
    if (from < to)
      return (await (await ranges()).read(criteria, from, to, { signal, onProgress, refusal })).map(
        canonicalLog,
      );
  }
  // A single block cannot be split.
  if (isProviderRpcError(answer)) throw answer;
  const startsAtHead = blockHash === undefined && first === undefined && last !== undefined;
  if (startsAtHead && answer.length > 0 && (await head()) > last) return [];
  return answer.map(canonicalLog);
}

/** Like {@link readLogs}, for ranges with pending transactions, whose logs have no position to sort by. */
async function readUnplaced(
  service: Service,
  filter: LogFilter,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<readonly Log[]> {
  const isAskedFor = checkFilter(filter);
  return (await service.request('eth_getLogs', [filter], {
    signal,
    check(result) {
      checkLogs(result);
      (result as readonly Log[]).forEach(isAskedFor);
    },
  })) as readonly Log[];
}
