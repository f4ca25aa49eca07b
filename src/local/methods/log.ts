import { toQuantity } from '../../rpc/hex.js';
import type { Hash, Log } from '../../rpc/schema.js';
import { type Context, type Methods, takes } from '../context.js';
import { type Criteria, engineCriteria, matches } from '../criteria.js';
import { Failure, internal, invalidParam } from '../failure.js';
import type { Watched } from '../filters.js';
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

/** Options of `eth_getLogs` and `eth_newFilter`, read (docs/notes/service.md#filter-options-eth_newfilter-eth_getlogs; docs/notes/node.md#log-ranges). */
interface Wish {
  readonly criteria: Criteria;
  readonly blockHash: Hash | null;
  /** As given; `latest` when absent. */
  readonly from: Bound;
  readonly to: Bound;
}

type Bound = 'latest' | 'earliest' | 'pending' | number;

/** The form of a bound is checked before the other fields, its value after them. */
const readBound = (options: Record<string, unknown>, key: string): string =>
  key in options ? readIdentifier(fieldText(options[key])) : 'latest';

/** Tags in any case. Decimal numbers, other tags and numbers beyond 63 bits fail inside the node. */
function parseBound(given: string): Bound {
  if (/^(latest|earliest|pending)$/i.test(given)) return given.toLowerCase() as Bound;
  if (!given.startsWith('0x') || BigInt(given) >= 2n ** 63n) throw internal();
  return Number(given);
}

const list = (value: unknown) =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

/** A position that is empty or null matches anything; nulls among alternatives are dropped. */
function readWish(value: unknown): Wish {
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

async function findLogs(wish: Wish, context: Context): Promise<readonly Log[]> {
  const { engine, chain, blocks, switches } = context;
  const { logs: most, blocks: widest, rule } = switches.logLimit;
  if (wish.blockHash !== null)
    return (await blocks.logs(wish.blockHash)).filter((log) => matches(wish.criteria, log));
  if (wish.from === 'pending') return [];
  const head = chain.head();
  const node = switches.logRange === 'node';
  const number = (bound: Bound) =>
    bound === 'latest' || bound === 'pending' ? head : bound === 'earliest' ? 0 : bound;
  const to = Math.min(head, node && wish.to === 'earliest' ? head : number(wish.to));
  let from = number(wish.from);
  if (from > head) return [];
  if (from > to && !node) return [];
  if (from > to) from = to;
  const tooWide = to - from + 1 > widest;
  if (tooWide && rule === 'both')
    throw new Failure(-32012, `Cannot query more than ${widest - 1} blocks at once`);
  const bounds = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  const logs = (await engine.request('eth_getLogs', [
    { ...bounds, ...engineCriteria(wish.criteria) },
  ])) as Log[];
  const found = logs.filter((log) => matches(wish.criteria, log));
  if (found.length > most && (tooWide || rule === 'both'))
    throw new Failure(-32012, `Filter returned more than ${most} logs.`);
  return found;
}

const bound = (at: Bound): number | null => (at === 'earliest' ? 0 : typeof at === 'number' ? at : null);

const watched = ({ criteria, from, to }: Wish): Watched => ({
  criteria,
  fromBlock: bound(from),
  toBlock: bound(to),
  fromLatest: from === 'latest',
  toLatest: to === 'latest',
});

export const logMethods: Methods = {
  eth_getLogs: takes(1, async ([options], context) =>
    (await findLogs(readWish(options), context)).map(shapeLog),
  ),
  eth_newFilter: takes(1, async ([options], context) => {
    const wish = readWish(options);
    const history = context.switches.firstPoll === 'history' ? await findLogs(wish, context) : [];
    return context.filters.addLogs(watched(wish), history);
  }),
  eth_newBlockFilter: takes(0, (_, { filters }) => filters.addBlocks()),
  eth_newPendingTransactionFilter: takes(0, (_, { filters }) => filters.addPending()),
  eth_uninstallFilter: takes(1, ([id], { filters }) => id !== null && filters.remove(readBytes(id))),
  eth_getFilterChanges: takes(1, ([id], { filters }) => filters.changes(readBytes(id))),
  eth_getFilterLogs: takes(1, async ([id], context) => {
    const { watched: wanted, all } = context.filters.find(readBytes(id));
    if (wanted === null || context.switches.filters === 'lossy') return all;
    const { criteria, fromBlock, toBlock } = wanted;
    const wish = { criteria, blockHash: null, from: fromBlock ?? 'latest', to: toBlock ?? 'latest' } as const;
    return (await findLogs(wish, context)).map(shapeLog);
  }),
};
