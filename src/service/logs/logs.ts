import { matchesCriteria } from '../../rpc/matches.js';
import { own } from '../../rpc/own.js';
import { checkLogs } from '../../rpc/results.js';
import type { Log, LogFilter } from '../../rpc/schema.js';
import { heightOfSelector } from '../../rpc/selectors.js';
import type { Service } from '../service.js';

/**
 * Reads the logs of a filter in the order of block, transaction and log, without duplicates. Undefined keys of `filter`
 * are omitted in JSON.
 *
 * @throws ProviderRpcError -32603 for a log that is not mined, that does not match the filter, or that has the block
 * and index of a different log.
 */
export async function readLogs(
  service: Service,
  filter: LogFilter,
  options: {
    readonly check?: ((logs: readonly Log[]) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<readonly Log[]> {
  const { signal, check: checkAll } = own(options);
  const isAskedFor = checkFilter(filter);
  let ordered = false;
  const logs = await service.request('eth_getLogs', [filter], {
    signal,
    check(result) {
      checkLogs(result);
      const logs = result as readonly Log[];
      ordered = areInOrder(logs);
      if (!ordered) inOrder(logs);
      logs.forEach(isAskedFor);
      checkAll?.(logs);
    },
  });
  return ordered ? (logs as readonly Log[]) : inOrder(logs as readonly Log[]);
}

/** Returns a check that throws for a log that does not match `filter`. */
export function checkFilter(filter: LogFilter): (log: Log) => void {
  const { fromBlock, toBlock, blockHash } = own(filter);
  const isWanted = matchesCriteria(filter);
  const from = heightOfSelector(fromBlock) ?? 0;
  const to = heightOfSelector(toBlock) ?? Number.POSITIVE_INFINITY;
  /** The last height that was checked: most logs are in the same block as the previous one. */
  let inRange: unknown;
  return (log) => {
    const { blockNumber } = log;
    if (blockNumber !== inRange && (Number(blockNumber) < from || Number(blockNumber) > to))
      throw new Error('a log of a block that was not asked for');
    inRange = blockNumber;
    if (blockHash !== undefined && log.blockHash?.toLowerCase() !== blockHash)
      throw new Error('a log of another block');
    if (!isWanted(log)) throw new Error('a log of another address or topic');
    if (Object.hasOwn(log, 'removed') && log.removed) throw new Error('a log that was removed');
  };
}

/**
 * Whether the logs are in ascending order, as nodes return them. Then no two have the same block and index.
 *
 * @throws Error for a log without its place in the chain.
 */
function areInOrder(logs: readonly Log[]): boolean {
  let ordered = true;
  let before: Log | undefined;
  let [block, transaction, index] = [-1, -1, -1];
  for (const log of logs) {
    const { blockNumber, transactionIndex, logIndex } = log;
    const height = blockNumber === before?.blockNumber ? block : placeOf(blockNumber);
    const position = transactionIndex === before?.transactionIndex ? transaction : placeOf(transactionIndex);
    const place = placeOf(logIndex);
    if (!(height >= 0 && position >= 0 && place >= 0) || typeof log.address !== 'string')
      throw new Error('a log without its place in the chain');
    const isSameBlock = height === block && log.blockHash === before?.blockHash;
    ordered &&= height > block || (isSameBlock && position >= transaction && place > index);
    before = log;
    [block, transaction, index] = [height, position, place];
  }
  return ordered;
}

const placeOf = (quantity: unknown): number => Number(quantity ?? Number.NaN);

/** @throws Error for two different logs with the same block and index */
function inOrder(logs: readonly Log[]): readonly Log[] {
  const distinct = new Map<string, Log>();
  for (const log of logs) {
    const place = `${log.blockHash} ${placeOf(log.logIndex)}`;
    const other = distinct.get(place);
    if (other && contentOf(other) !== contentOf(log))
      throw new Error('two logs with one logIndex in a block');
    distinct.set(place, log);
  }
  return [...distinct.values()].sort(byPlace);
}

const contentOf = ({ transactionHash, address, data, topics }: Log): string =>
  `${transactionHash} ${address} ${data} ${topics}`.toLowerCase();

const places = ['blockNumber', 'transactionIndex', 'logIndex'] as const;

function byPlace(a: Log, b: Log): number {
  for (const place of places) {
    const difference = a[place] === b[place] ? 0 : Number(a[place]) - Number(b[place]);
    if (difference !== 0) return difference;
  }
  return 0;
}
