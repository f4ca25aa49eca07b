import { intrinsicGas } from '../admission.js';
import { type Context, type Methods, takes } from '../context.js';
import { callGasCap, estimateGasCap, readCall, revertFailure, run, trace } from '../execution.js';
import { internal, invalidParam, reverted } from '../failure.js';
import { callPrecompile } from '../precompiles.js';
import {
  isAnyTag,
  isTag,
  type Reference,
  readIdentifier,
  readIdentifierOrMap,
  resolve,
} from '../reference.js';

/** Parses a block identifier. Decimal numbers are allowed; a hash is read as a number and overflows, as in the node. */
function parseExecutionBlock(text: string, { chain, switches }: Context): Reference {
  if (isTag(text)) return { at: text, named: text };
  if (isAnyTag(text))
    throw invalidParam(
      `Unsupported block specifier '${text}'. Can only be either 'earliest', 'latest', 'pending' or a specific block number (either hex - prepending '0x' or decimal).`,
    );
  const number = BigInt(text);
  if (number >= 2n ** 63n) throw internal();
  if (number > BigInt(chain.head()) && switches.unknownBlock === 'refused')
    throw invalidParam(`Invalid block number ${number}`);
  return { at: Number(number), named: text };
}

export const executeMethods: Methods = {
  eth_call: takes([2, 3], async ([value, at, overrides], context) => {
    const call = readCall(value, callGasCap);
    if (overrides === null) throw internal();
    if (overrides !== undefined && Object.keys(overrides).length > 0)
      throw invalidParam('State override is not allowed');
    const block = readIdentifierOrMap(at);
    const where = typeof block === 'string' ? parseExecutionBlock(block, context) : block;
    const selector = await resolve(where, context);
    if (selector === null) return null;
    const native = callPrecompile(call.to, call.data);
    if (native !== undefined) return native;
    const outcome = await run('eth_call', call, selector, context);
    if (outcome.kind === 'returned') return outcome.result;
    if (outcome.kind === 'reverted') throw revertFailure(outcome.data);
    if (context.switches.failedCall === 'empty') return '0x';
    throw reverted(outcome.reason, '0x');
  }),
  eth_estimateGas: takes([1, 2], async ([value, at], context) => {
    const call = readCall(value, estimateGasCap);
    const block = parseExecutionBlock(readIdentifier(at ?? 'latest'), context);
    const selector = await resolve(block, context);
    if (selector === null) return null;
    if (call.to === undefined && (call.data ?? '0x') === '0x') return '0x0';
    if (BigInt(call.gas) < intrinsicGas({ to: call.to ?? null, input: call.data ?? '0x' })) return '0x0';
    const outcome = await run('eth_estimateGas', call, selector, context);
    if (outcome.kind === 'returned')
      return BigInt(outcome.result) < BigInt(call.gas) ? outcome.result : call.gas;
    if (outcome.kind === 'failed') return call.gas;
    if (context.switches.estimateGas === 'error') throw revertFailure(outcome.data);
    // An estimate that does not fail (docs/notes/service.md#methods-with-full-parameter-and-result-shape).
    return (await trace(call, selector, context))?.gasUsed ?? call.gas;
  }),
};
