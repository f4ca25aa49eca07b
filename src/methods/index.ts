import { lazy } from '../async/lazy.js';
import type { MethodName } from '../rpc/method-facts/method-facts.js';
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

export const readTable = tableOf(readMethods);

/** Loads the further methods. @throws ProviderRpcError -32002 if they do not load */
export const furtherTable = lazy(async () => {
  const { furtherMethods } = await import('./further.js').catch(throwNotLoaded);
  // Each row of the facts has a method in one of the tables.
  return tableOf(furtherMethods satisfies Readonly<Record<Furthers, unknown>>);
});

type Furthers = Exclude<MethodName, keyof typeof readMethods>;
