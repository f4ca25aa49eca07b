import { membersOf } from '../own-data.js';
import type { Check } from '../results.js';
import { rowsByName } from './lookup.js';
import { nodeRows } from './node-rows.js';
import type { MethodFacts } from './row.js';
import { walletFacts, walletMethods } from './wallet-facts.js';
import type { walletRows } from './wallet-rows.js';

/** Methods that are answered. */
export type MethodName = keyof typeof walletRows | keyof typeof nodeRows;

const rows = rowsByName(nodeRows);

/** The facts of a method. The name may be anything that a page has passed. */
export const methodFacts = (name: string): MethodFacts => rows.get(name) ?? walletFacts(name);

/** The names of all methods that are answered. */
export const methodNames = (): readonly string[] => [...walletMethods(), ...rows.keys()];

/** Whether a request is not idempotent: repeated, it would act twice or lose the result of the first call. */
export const mustNotRepeat = (name: string): boolean => methodFacts(name).isOnce === true;

/** Whether a transaction may be on its way after it: `isSend` for those who have all rows. */
export const sends = (name: string): boolean => methodFacts(name).effect === 'send';

/** Whether it runs code, and may revert. */
export const executes = (name: string): boolean => methodFacts(name).effect === 'execute';

/** Whether it changes a development node. */
export const develops = (name: string): boolean => methodFacts(name).effect === 'develop';

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
