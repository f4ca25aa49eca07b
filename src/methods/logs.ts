import { positions } from '../rpc/params.js';
import type { Log, LogFilter } from '../rpc/schema.js';
import { logFilter } from '../rpc/selectors.js';
import { method } from './method.js';

/** Reads any range of blocks, in several requests if needed. Calls `onProgress` of the request's options after each. */
export const eth_getLogs = method<[filter: LogFilter], readonly Log[]>()(
  positions(logFilter),
  async (context, [filter], { signal, onProgress }) => {
    const service = context.reads();
    const { queryLogs } = await import('../service/logs/query.js');
    return queryLogs(service, filter, { ranges: context.logRanges, signal, onProgress });
  },
);
