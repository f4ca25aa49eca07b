import { rowsByName, unlistedFacts } from './lookup.js';
import type { MethodFacts } from './row.js';
import { walletRows } from './wallet-rows.js';

const rows = rowsByName(walletRows);

/** The facts of a method that the wallet answers. A read of the node counts as unlisted: the bridge passes each on alike. */
export const walletFacts = (name: string): MethodFacts => rows.get(name) ?? unlistedFacts(name);

/** Whether a transaction may be on its way after it. */
export const isSend = (name: string): boolean => walletFacts(name).effect === 'send';

/** Whether a person is asked. */
export const asksPerson = (name: string): boolean => walletFacts(name).asksPerson === true;

/** The names of the methods that the wallet answers. */
export const walletMethods = (): readonly string[] => [...rows.keys()];
