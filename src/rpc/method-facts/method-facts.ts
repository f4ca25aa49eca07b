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
