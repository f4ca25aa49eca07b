import { toQuantity } from '../../../../../src/rpc/hex.js';
import type { Hash, Log } from '../../../../../src/rpc/schema.js';
import { type Context, type Methods, takes } from '../context.js';
import { type Bound, engineCriteria, matches } from '../criteria.js';
import { Failure, internal, invalidParam } from '../failure.js';
import type { LogFilterSpec } from '../filters.js';
import {
  fieldText,
  readAddressField,
  readBlockHashField,
  readBytes,
  readObject,
  readTopicField,
} from '../params.js';
import { readIdentifier } from '../reference.js';
import { shapeLog } from '../shapes.js';

/**
 * The validated options of `eth_getLogs` and `eth_newFilter`
 * (docs/notes/service.md#filter-options-eth_newfilter-eth_getlogs, docs/notes/node.md#log-ranges).
 */
interface LogQuery extends LogFilterSpec {
  readonly blockHash: Hash | null;
}

/** Reads a bound and checks its form. Its value is checked by `parseBound`, after the other fields. */
const readBound = (options: Record<string, unknown>, key: string): string =>
  key in options ? readIdentifier(fieldText(options[key])) : 'latest';

/** Tags are accepted in any case. Other tags, decimal numbers and numbers over 63 bits are internal errors, as in the node. */
function parseBound(text: string): Bound {
  if (/^(latest|earliest|pending)$/i.test(text)) return text.toLowerCase() as Bound;
  if (!text.startsWith('0x') || BigInt(text) >= 2n ** 63n) throw internal();
  return Number(text);
}

const list = (value: unknown) =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

/** Reads the options. An empty or null topic position matches anything; a null among alternatives is dropped. */
function readQuery(value: unknown): LogQuery {
  const options = readObject(value);
  const from = readBound(options, 'fromBlock');
  const to = readBound(options, 'toBlock');
  const addresses = list(options.address).map(readAddressField);
  const blockHash = 'blockHash' in options ? readBlockHashField(options.blockHash) : null;
  const topics = list(options.topics).map((position) =>
    list(position)
      .filter((topic) => topic !== null)
      .map(readTopicField),
  );
  if (blockHash !== null && ('fromBlock' in options || 'toBlock' in options))
    throw invalidParam('Cannot specify both blockHash and fromBlock/toBlock');
  return { criteria: { addresses, topics }, blockHash, from: parseBound(from), to: parseBound(to) };
}

async function findLogs(query: LogQuery, context: Context): Promise<readonly Log[]> {
  const { engine, chain, blocks, switches } = context;
  const { logs: maxLogs, blocks: maxBlocks, rule } = switches.logLimit;
  if (query.blockHash !== null)
    return (await blocks.logs(query.blockHash)).filter((log) => matches(query.criteria, log));
  if (query.from === 'pending') return [];
  const head = chain.head();
  const isNode = switches.logRange === 'node';
  const number = (bound: Bound) =>
    bound === 'latest' || bound === 'pending' ? head : bound === 'earliest' ? 0 : bound;
  const to = Math.min(head, isNode && query.to === 'earliest' ? head : number(query.to));
  let from = number(query.from);
  if (from > head) return [];
  if (from > to && !isNode) return [];
  if (from > to) from = to;
  const isTooWide = to - from + 1 > maxBlocks;
  if (isTooWide && rule === 'both')
    throw new Failure(-32012, `Cannot query more than ${maxBlocks - 1} blocks at once`);
  const bounds = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  const logs = (await engine.request('eth_getLogs', [
    { ...bounds, ...engineCriteria(query.criteria) },
  ])) as Log[];
  const found = logs.filter((log) => matches(query.criteria, log));
  if (found.length > maxLogs && (isTooWide || rule === 'both'))
    throw new Failure(-32012, `Filter returned more than ${maxLogs} logs.`);
  return found;
}

/** A bound of a filter whose logs are read: a block number, or the head. */
const settled = (bound: Bound) => (bound === 'earliest' ? 0 : bound === 'pending' ? 'latest' : bound);

export const logMethods: Methods = {
  eth_getLogs: takes(1, async ([options], context) =>
    (await findLogs(readQuery(options), context)).map(shapeLog),
  ),
  eth_newFilter: takes(1, async ([options], context) => {
    const query = readQuery(options);
    const history = context.switches.firstPoll === 'history' ? await findLogs(query, context) : [];
    return context.filters.addLogFilter(query, history);
  }),
  eth_newBlockFilter: takes(0, (_, { filters }) => filters.addBlockFilter()),
  eth_newPendingTransactionFilter: takes(0, (_, { filters }) => filters.addPendingFilter()),
  eth_uninstallFilter: takes(1, ([id], { filters }) => id !== null && filters.remove(readBytes(id))),
  eth_getFilterChanges: takes(1, ([id], { filters }) => filters.changes(readBytes(id))),
  eth_getFilterLogs: takes(1, async ([id], context) => {
    const { spec, events } = context.filters.find(readBytes(id));
    if (spec === null || context.switches.filters === 'lossy') return events;
    const { criteria, from, to } = spec;
    const query = { criteria, blockHash: null, from: settled(from), to: settled(to) };
    return (await findLogs(query, context)).map(shapeLog);
  }),
};
