import { logFilter } from '../rpc/criteria.js';
import { positions } from '../rpc/params.js';
import type { Log, LogFilter } from '../rpc/schema.js';
import { method } from './method.js';

/** Any range of blocks, however many requests it takes; `onProgress` of the request's options is told. */
export const eth_getLogs = method<[filter: LogFilter], readonly Log[]>()(positions(logFilter), {
  access: 'public',
  handle: async (context, [filter], { signal, onProgress }) => {
    const service = context.service();
    const { queryLogs } = await import('../service/logs/query.js');
    return queryLogs(service, filter, { ranges: context.logRanges, signal, onProgress });
  },
});
