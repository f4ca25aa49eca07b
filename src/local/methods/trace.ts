import { toQuantity } from '../../rpc/hex.js';
import type { Hex, Receipt } from '../../rpc/schema.js';
import { type Context, type Method, type Methods, off, takes } from '../context.js';
import { invalidParam } from '../failure.js';
import {
  readAddress,
  readBlockHash,
  readObject,
  readQuantity,
  readReference,
  readSelector,
  readTransactionHash,
  type Selector,
} from '../params.js';
import { resolve } from '../reference.js';

const mostTraces = 10_000;

interface Trace {
  readonly action: { readonly from?: Hex; readonly to?: Hex };
  readonly result?: unknown;
  readonly error?: string;
}

/** A failed call has no result (node-facts §9.2). */
const shapeTrace = ({ error, result, ...trace }: Trace) => ({
  ...trace,
  result: error === undefined ? (result ?? null) : null,
  error: error ?? null,
});

/** `callTracer`, or the node's own tracer: a list of steps (the default). */
function tracing(value: unknown): Record<string, unknown> {
  const {
    tracer = 'rskTracer',
    tracerConfig,
    disableStack,
    disableStorage,
    disableMemory,
  } = readObject(value ?? {});
  if (tracer === 'callTracer') return { tracer, ...(tracerConfig !== undefined && { tracerConfig }) };
  if (tracer !== 'rskTracer') throw invalidParam(`Invalid tracer type: ${tracer}`);
  return { disableStack, disableStorage, enableMemory: disableMemory !== true };
}

async function tracesBetween(from: number, to: number, { engine }: Context): Promise<readonly Trace[]> {
  const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  return (await engine.request('trace_filter', [range])) as readonly Trace[];
}

const mined = async (hash: Hex, { engine }: Context) =>
  ((await engine.request('eth_getTransactionReceipt', [hash])) as Receipt | null) !== null;

const addresses = (value: unknown) => (Array.isArray(value) ? value.map(readAddress) : []);

const filterTraces: Method['answer'] = async ([options], context) => {
  const wish = readObject(options);
  const bound = (value: unknown, fallback: Selector) => {
    const at = value === undefined ? fallback : readSelector(value);
    return typeof at === 'number' ? at : at === 'earliest' ? 0 : context.chain.head();
  };
  const count = wish.count === undefined ? mostTraces : Number(readQuantity(wish.count));
  if (count > mostTraces) throw invalidParam(`Count value too big. Maximum ${mostTraces} traces allowed.`);
  const to = Math.min(context.chain.head(), bound(wish.toBlock, 'latest'));
  const from = bound(wish.fromBlock, 'earliest');
  const senders = addresses(wish.fromAddress);
  const receivers = addresses(wish.toAddress);
  const all = from > to ? [] : await tracesBetween(from, to, context);
  const found = all.filter(
    ({ action }) =>
      (senders.length === 0 || (action.from !== undefined && senders.includes(action.from))) &&
      (receivers.length === 0 || (action.to !== undefined && receivers.includes(action.to))),
  );
  const after = wish.after === undefined ? 0 : Number(readQuantity(wish.after));
  return found.slice(after, after + count).map(shapeTrace);
};

export const traceMethods: Methods = {
  debug_traceTransaction: off(
    takes([1, 2], async ([value, options], context) => {
      const hash = readTransactionHash(value);
      const wish = tracing(options);
      if (!(await mined(hash, context))) return null;
      return context.engine.request('debug_traceTransaction', [hash, wish]);
    }),
  ),
  debug_traceBlockByHash: off(
    takes([1, 2], async ([value, options], context) => {
      const wish = tracing(options);
      const block = await context.blocks.find(readBlockHash(value));
      if (block === null || context.chain.besideChain(block.hash as Hex)) return null;
      const traces = block.transactions.map((each) =>
        context.engine.request('debug_traceTransaction', [typeof each === 'string' ? each : each.hash, wish]),
      );
      return Promise.all(traces);
    }),
  ),
  debug_wireProtocolQueueSize: off(takes(0, () => '0x0')),
  trace_transaction: off(
    takes(1, async ([value], context) => {
      const hash = readTransactionHash(value);
      if (!(await mined(hash, context))) return null;
      return ((await context.engine.request('trace_transaction', [hash])) as Trace[]).map(shapeTrace);
    }),
  ),
  trace_block: off(
    takes(1, async ([value], context) => {
      const selector = await resolve(readReference(value), context);
      if (selector === null) return null;
      const number =
        selector === 'latest' || selector === 'pending' ? context.chain.head() : Number(selector);
      return (await tracesBetween(number, number, context)).map(shapeTrace);
    }),
  ),
  trace_filter: off(takes(1, filterTraces)),
};
