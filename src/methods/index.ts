import { lazy } from '../async/lazy.js';
import type { unsupportedRows } from '../rpc/method-facts/unsupported-rows.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { furtherMethods } from './further.js';
import type { Method } from './method.js';
import { readMethods } from './reads.js';

/** Every method that is answered; and the known ones that are not: their params have any type, and they have no result. */
export type Methods = typeof readMethods &
  typeof furtherMethods & {
    readonly [Name in keyof typeof unsupportedRows]: Method<readonly unknown[], never>;
  };

/** Methods by name. A map, so that inherited names such as `constructor` are not found. */
type MethodTable = ReadonlyMap<string, Method>;

const tableOf = (methods: object): MethodTable => new Map(Object.entries(methods));

const reads = tableOf(readMethods);
const further = lazy(async () =>
  tableOf((await import('./further.js').catch(throwNotLoaded)).furtherMethods),
);

/**
 * The method of a name, or `undefined`; a promise of it where that is still to load.
 * @throws ProviderRpcError -32002 if it does not load
 */
export const findMethod = (name: string): Method | undefined | Promise<Method | undefined> =>
  reads.get(name) ?? further.peek()?.get(name) ?? further().then((table) => table.get(name));
