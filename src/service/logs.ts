import { isLogs } from '../rpc/results.js';
import type { Log } from '../rpc/schema.js';
import type { Service } from './service.js';

/** Logs as the chain has them: each once, in the order of block, transaction and log. */

/** Keys of `filter` that are undefined vanish in JSON. @throws ProviderRpcError -32603 for what is no mined log. */
export async function readLogs(
  service: Service,
  filter: object,
  options: {
    readonly check?: (logs: readonly Log[]) => void;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<readonly Log[]> {
  const logs = await service.request('eth_getLogs', [filter], {
    ...(options.signal && { signal: options.signal }),
    check(result) {
      isLogs(result, undefined);
      for (const log of result as readonly Log[])
        if (
          typeof log.address !== 'string' ||
          !places.every((place) => Number(log[place] ?? Number.NaN) >= 0)
        )
          throw new Error('a log without its place in the chain');
      options.check?.(result as readonly Log[]);
    },
  });
  return inOrder(logs as readonly Log[]);
}

export function inOrder(logs: readonly Log[]): readonly Log[] {
  const distinct = new Map(logs.map((log) => [keyOf(log), log]));
  return [...distinct.values()].sort(byPlace);
}

const places = ['blockNumber', 'transactionIndex', 'logIndex'] as const;

/** With the transaction: nodes before LOVELL-7.2.0 counted `logIndex` from each transaction's first. */
const keyOf = (log: Log): string => `${log.blockHash} ${log.transactionHash} ${log.logIndex}`;

function byPlace(a: Log, b: Log): number {
  for (const place of places) if (a[place] !== b[place]) return Number(a[place]) - Number(b[place]);
  return 0;
}
