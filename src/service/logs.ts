import { own } from '../rpc/own.js';
import { isLogs } from '../rpc/results.js';
import type { Log } from '../rpc/schema.js';
import type { Service } from './service.js';

/** Logs as the chain has them: each once, in the order of block, transaction and log. */

/** Keys of `filter` that are undefined vanish in JSON. @throws ProviderRpcError -32603 for what is no mined log. */
export async function readLogs(
  service: Service,
  filter: object,
  given: {
    readonly check?: (logs: readonly Log[]) => void;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<readonly Log[]> {
  const options = own(given);
  let ordered = false;
  const logs = await service.request('eth_getLogs', [filter], {
    ...(options.signal && { signal: options.signal }),
    check(result) {
      isLogs(result, undefined);
      ordered = areInOrder(result as readonly Log[]);
      options.check?.(result as readonly Log[]);
    },
  });
  return ordered ? (logs as readonly Log[]) : inOrder(logs as readonly Log[]);
}

/**
 * Whether each stands above the one before, as nodes answer them: then none is there twice.
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
    const isSameTransaction =
      isSameBlock && position === transaction && log.transactionHash === before?.transactionHash;
    const isAbove =
      height > block || (isSameBlock && position > transaction) || (isSameTransaction && place > index);
    ordered &&= isAbove;
    before = log;
    [block, transaction, index] = [height, position, place];
  }
  return ordered;
}

const placeOf = (quantity: unknown): number => Number(quantity ?? Number.NaN);

function inOrder(logs: readonly Log[]): readonly Log[] {
  const distinct = new Map(logs.map((log) => [keyOf(log), log]));
  return [...distinct.values()].sort(byPlace);
}

const places = ['blockNumber', 'transactionIndex', 'logIndex'] as const;

/** With the transaction: nodes before LOVELL-7.2.0 counted `logIndex` from each transaction's first. */
const keyOf = (log: Log): string => `${log.blockHash} ${log.transactionHash} ${log.logIndex}`;

function byPlace(a: Log, b: Log): number {
  for (const place of places) {
    const difference = a[place] === b[place] ? 0 : Number(a[place]) - Number(b[place]);
    if (difference !== 0) return difference;
  }
  return 0;
}
