import type { Hash, Transaction } from '../../../../../src/rpc/schema.js';
import { type Context, type Method, type Methods, takes } from '../context.js';
import { internal, invalidParam, parseFailure } from '../failure.js';
import { callTrace, type Execution, type IsOn, parityTraces, readExecution } from '../node-traces.js';
import {
  readAddress,
  readBlockHash,
  readHashOrNull,
  readObject,
  readQuantity,
  readTransactionHash,
} from '../params.js';
import { readBlock } from '../reference.js';
import { remascExecution } from '../remasc.js';
import { stepTrace } from '../step-trace.js';
import { placeOf, readPlace } from './block.js';

/** The maximum of `count` and `after` in `trace_filter`. */
const maxTraces = 10_000;

type Tracer = (execution: Execution, context: Context) => unknown;

/** Reads the tracer options: `callTracer`, or the node's default `rskTracer`, which lists steps. */
function readTracer(value: unknown): { readonly tracer: Tracer; readonly byCalls: boolean } {
  if (value === null) throw internal();
  const {
    tracer = 'rskTracer',
    tracerConfig = {},
    ...rest
  } = typeof value === 'object' ? readObject(value) : {};
  const config = { ...rest, ...readObject(tracerConfig) };
  const isOn: IsOn = (option) => /^true$/i.test(String(config[option]));
  if (tracer === 'callTracer') return { tracer: (execution) => callTrace(execution, isOn), byCalls: true };
  if (tracer !== 'rskTracer') throw internal();
  return { tracer: (execution, { engine }) => stepTrace(execution, isOn, engine), byCalls: false };
}

async function executionOf(hash: Hash, { engine, blocks }: Context): Promise<Execution | null> {
  const found = await readExecution(hash, engine);
  if (found !== null) return found;
  const block = await blocks.byRemascHash(hash);
  return block && remascExecution(block);
}

/** The executions of all transactions of a canonical block; null for any other block. */
async function executionsIn(place: number | Hash, context: Context): Promise<readonly Execution[] | null> {
  const { blocks, chain, engine, switches } = context;
  if (typeof place === 'number' ? place < 0 || place > chain.head() : chain.findNonCanonical(place))
    return null;
  const block = await blocks.find(place);
  if (block === null) return null;
  const all = await Promise.all(
    (block.transactions as Transaction[]).map(
      ({ hash }) => readExecution(hash, engine) as Promise<Execution>,
    ),
  );
  return switches.remasc && block.number !== '0x0' ? [...all, remascExecution(block)] : all;
}

const traceBlock = async (place: number | Hash, options: unknown, context: Context): Promise<unknown> => {
  const { tracer, byCalls } = readTracer(options);
  const executions = await executionsIn(place, context);
  if (executions === null) return null;
  const traces = executions.map(async (execution) => {
    const result = await tracer(execution, context);
    return byCalls ? { txHash: execution.transaction.hash, result } : result;
  });
  return Promise.all(traces);
};

const readAddresses = (value: unknown) =>
  value === undefined || value === null ? [] : [value].flat().map(readAddress);

/** Reads a number of traces. The node takes JSON numbers only. */
function readCount(value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== 'number') throw parseFailure();
  return value;
}

const filterTraces: Method['handle'] = async ([options], context) => {
  const query = readObject(options);
  const head = context.chain.head();
  const bound = (value: unknown) => {
    const place = placeOf(readBlock(value), context);
    return typeof place === 'number' ? place : head;
  };
  const count = readCount(query.count, maxTraces);
  const after = readCount(query.after, 0);
  if (count > maxTraces) throw invalidParam(`Count value too big. Maximum ${maxTraces} traces allowed.`);
  if (after < 0) throw invalidParam('After value cannot be negative.');
  if (after > maxTraces) throw invalidParam(`After value too big. Maximum ${maxTraces} traces allowed.`);
  const from = bound(query.fromBlock ?? 'earliest');
  const to = bound(query.toBlock ?? 'latest');
  if (from <= head && to <= head && from > to) throw invalidParam('fromBlock cannot be greater than toBlock');
  const senders = readAddresses(query.fromAddress);
  const receivers = readAddresses(query.toAddress);
  const isWanted = ({ transaction: { from: sender, to: receiver } }: Execution) =>
    (senders.length === 0 || senders.includes(sender)) &&
    (receivers.length === 0 || (receiver !== null && receivers.includes(receiver)));
  const traces: unknown[] = [];
  for (let number = from; number <= Math.min(to, head) && traces.length < after + count; number++) {
    const executions = (await executionsIn(number, context)) ?? [];
    traces.push(...executions.filter(isWanted).flatMap(parityTraces));
  }
  return traces.slice(after, after + count);
};

export const traceMethods: Methods = {
  debug_traceTransaction: takes([1, 2], async ([value, options], context) => {
    const { tracer, byCalls } = readTracer(options);
    const hash = readHashOrNull(value);
    if (hash === null) return null;
    const execution = await executionOf(hash, context);
    if (execution !== null) return tracer(execution, context);
    if (byCalls && context.switches.unknownBlock === 'refused') throw internal();
    return null;
  }),
  debug_traceBlockByHash: takes([1, 2], ([value, options], context) =>
    traceBlock(readBlockHash(value), options, context),
  ),
  /** The node has this method, although its documentation does not list it. */
  debug_traceBlockByNumber: takes([1, 2], ([value, options], context) =>
    traceBlock(readPlace(value, context), options, context),
  ),
  debug_wireProtocolQueueSize: takes(0, () => '0x0'),
  trace_transaction: takes(1, async ([value], context) => {
    const execution = await executionOf(readTransactionHash(value), context);
    return execution && parityTraces(execution);
  }),
  trace_block: takes(1, async ([value], context) => {
    const executions = await executionsIn(readPlace(value, context), context);
    return executions?.flatMap(parityTraces) ?? null;
  }),
  trace_filter: takes(1, filterTraces),
  /** The node counts the position in the traces of the whole block (recorded). */
  trace_get: takes(2, async ([value, positions], context) => {
    const hash = readTransactionHash(value);
    if (!Array.isArray(positions) || positions.length === 0)
      throw invalidParam("'positions' cannot be null or empty");
    const execution = await executionOf(hash, context);
    if (execution === null) return null;
    const all = await executionsIn(execution.receipt.blockHash, context);
    return all?.flatMap(parityTraces)[Number(readQuantity(positions[0]))] ?? null;
  }),
};
