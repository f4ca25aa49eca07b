import { canonicalLog } from '../rpc/canonical.js';
import { noParams } from '../rpc/message.js';
import { optional, positions, text } from '../rpc/params.js';
import type { Hash, Hex, Log, LogFilter } from '../rpc/schema.js';
import { logFilter } from '../rpc/selectors.js';
import { method } from './method.js';

/**
 * Filters, implemented in the page on top of the head follower, because the node's own filters lose and invent events
 * (docs/notes/node.md#filters-lose-and-invent). Ids are short QUANTITYs; an unknown id is -32000 `filter not found`.
 */

export const eth_newFilter = method<[filter?: LogFilter], Hex>()(
  positions(optional(logFilter, {})),
  async (context, [filter]) => (await context.following()).filters.newFilter(filter),
);

export const eth_newBlockFilter = method<[], Hex>()(noParams, async (context) =>
  (await context.following()).filters.newBlockFilter(),
);

export const eth_newPendingTransactionFilter = method<[], Hex>()(noParams, async (context) =>
  (await context.following()).filters.newPendingTransactionFilter(),
);

export const eth_uninstallFilter = method<[id: Hex], boolean>()(positions(text), async (context, [id]) =>
  (await context.following()).filters.uninstall(id as Hex),
);

export const eth_getFilterChanges = method<[id: Hex], readonly (Log | Hash)[]>()(
  positions(text),
  async (context, [id]) =>
    (await (await context.following()).filters.changes(id as Hex)).map((each) =>
      typeof each === 'string' ? each : canonicalLog(each),
    ),
);

export const eth_getFilterLogs = method<[id: Hex], readonly Log[]>()(positions(text), async (context, [id]) =>
  (await (await context.following()).filters.logs(id as Hex)).map(canonicalLog),
);
