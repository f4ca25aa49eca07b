import { lazy } from '../async/lazy.js';
import type { MethodName } from '../rpc/method-facts/method-facts.js';
import type { unsupportedRows } from '../rpc/method-facts/unsupported-rows.js';
import type { walletRows } from '../rpc/method-facts/wallet-rows.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { followingMethods } from './follows.js';
import type { furtherMethods } from './further.js';
import type { Method } from './method.js';
import { readMethods } from './reads.js';
import type * as signing from './sign.js';
import type * as transacting from './submit.js';

/** Every method that is answered; and the known ones that are not: their params have any type, and they have no result. */
export type Methods = typeof readMethods &
  typeof signing &
  typeof transacting &
  typeof followingMethods &
  typeof furtherMethods & {
    readonly [Name in keyof typeof unsupportedRows]: Method<readonly unknown[], never>;
  };

/** Methods by name. A map, so that inherited names such as `constructor` are not found. */
type MethodTable = ReadonlyMap<string, Method>;

const tableOf = (methods: object): MethodTable => new Map(Object.entries(methods));
const laterTable = (load: () => Promise<object>) =>
  lazy(async () => tableOf(await load().catch(throwNotLoaded)));

/** The methods that load with the core. */
export const readTable = tableOf(readMethods);

/**
 * The tables of the other methods, each in a chunk of its own. By their types each row of the facts has its method in the table of
 * its facts. @throws ProviderRpcError -32002 if it does not load
 */
export const laterTables = {
  signs: laterTable(async () => (await import('./sign.js')) satisfies Record<NamesWith<'signs'>, unknown>),
  transacts: laterTable(
    async () => (await import('./submit.js')) satisfies Record<NamesWith<'transacts'>, unknown>,
  ),
  follows: laterTable(
    async () =>
      (await import('./follows.js')).followingMethods satisfies Record<NamesWith<'follows'>, unknown>,
  ),
  further: laterTable(
    async () => (await import('./further.js')).furtherMethods satisfies Record<Furthers, unknown>,
  ),
};

type Rows = typeof walletRows;
/** The names of the rows that have a fact. */
type NamesWith<Fact extends 'signs' | 'transacts' | 'follows'> = {
  [Name in keyof Rows]: keyof Rows[Name] & Fact extends never ? never : Name;
}[keyof Rows];
type Furthers = Exclude<MethodName, keyof typeof readMethods | NamesWith<'signs' | 'transacts' | 'follows'>>;
