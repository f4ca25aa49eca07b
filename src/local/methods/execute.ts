import { type Context, type Methods, takes, takesOptionally } from '../context.js';
import { callGasCap, estimateGasCap, gasSpent, readCall, revertFailure, run } from '../execution.js';
import { internal, invalidParam, reverted } from '../failure.js';
import { isUnmappedTag, type Reference, readReference, readSelector, text } from '../params.js';
import { resolve } from '../reference.js';

const isWord = (value: string) => /^0x[0-9a-fA-F]{64}$/.test(value);

/** A bare hash overflows in the node; an unknown number has its own words (node-facts §1.6). */
function readAt(value: unknown, context: Context): Reference {
  if (typeof value === 'string' && isWord(value)) throw internal();
  const at = typeof value === 'object' ? readReference(value) : readSelector(value, { decimal: true });
  const { unknownBlock } = context.switches;
  if (typeof at === 'number' && at > context.chain.head() && unknownBlock === 'refused')
    throw invalidParam(`Invalid block number ${at}`);
  return at;
}

const estimateTags = (given: string) =>
  invalidParam(
    isUnmappedTag(given)
      ? `Unsupported block specifier '${given}'. Can only be either 'earliest', 'latest', 'pending' or a specific block number (either hex - prepending '0x' or decimal).`
      : `Invalid block identifier '${given}'`,
  );

export const executeMethods: Methods = {
  eth_call: takesOptionally([2, 3], [2, 3], async ([value, at, overrides], context) => {
    const call = readCall(value, callGasCap);
    if (overrides !== undefined) throw invalidParam('State override is not allowed');
    const selector = await resolve(readAt(at, context), context);
    if (selector === null) return null;
    const outcome = await run('eth_call', call, selector, context);
    if (outcome.kind === 'returned') return outcome.result;
    if (outcome.kind === 'reverted') throw revertFailure(outcome.data);
    if (context.switches.failedCall === 'empty') return '0x';
    throw reverted(outcome.reason, '0x');
  }),
  eth_estimateGas: takes([1, 2], async ([value, at], context) => {
    const call = readCall(value, estimateGasCap);
    const given = at === undefined ? 'latest' : text(at);
    if (given !== null && isWord(given)) throw internal();
    readSelector(given, { decimal: true, refuse: estimateTags });
    const selector = await resolve(readAt(given, context), context);
    if (selector === null) return null;
    const outcome = await run('eth_estimateGas', call, selector, context);
    if (outcome.kind === 'returned')
      return BigInt(outcome.result) < BigInt(call.gas) ? outcome.result : call.gas;
    if (outcome.kind === 'failed') return call.gas;
    if (context.switches.estimateGas === 'error') throw revertFailure(outcome.data);
    return gasSpent(call, selector, context);
  }),
};
