import { methodFacts } from './method-facts/method-facts.js';
import { membersOf } from './own-data.js';
import type { Check } from './results.js';

/**
 * The check of a method's result, which throws an error that names the broken rule; `undefined` for a method without one.
 * @param params as they are sent, validated or as a relay's client has written them
 * @param others checks in place of those in the rows
 */
export function checkOf(
  method: string,
  params: readonly unknown[],
  others?: ReadonlyMap<Check, Check>,
): ((result: unknown) => void) | undefined {
  const { check: own, block } = methodFacts(method);
  if (!own) return undefined;
  const check = others?.get(own) ?? own;
  const isState = typeof block === 'number' && block > 0;
  return (result) => {
    if (result !== null || !isState || !namesBlock(params[block])) check(result, params);
  };
}

/** Whether a selector names a block: `null` in place of its state says that the node lacks it, and others may have it. */
function namesBlock(selector: unknown): boolean {
  const { blockHash, blockNumber = blockHash ?? selector } = membersOf(selector);
  return `${blockNumber}`.startsWith('0x');
}
