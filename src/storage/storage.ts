/**
 * The port for data that must survive the page. One contract suite runs over every implementation (`idb`, `memory`).
 * Values must be structured-cloneable. Reads return copies.
 *
 * @example
 * const storage: Storage = createMemoryStorage();
 * await storage.put('journal', [['31:0x…:0x0:0x…', { state: 'signed' }]]);
 * console.log(await storage.all('journal', '31:'));
 */
export interface Storage {
  /** One value of a store; `undefined` for none. */
  get<S extends StoreName>(store: S, key: string): Promise<Stores[S] | undefined>;
  /**
   * The values of a store, or those whose keys begin with `prefix`, ordered by key.
   *
   * @param limit how many at most. Default: all.
   */
  all<S extends StoreName>(store: S, prefix?: string, limit?: number): Promise<Stores[S][]>;
  /**
   * Reads and writes one record in one transaction: `next` gets the current value and returns the new one
   * (`undefined` deletes). `next` must be synchronous. Resolves with the new value once it is durable
   * (`durability: 'strict'`); rejects, leaving the store as it was, when `next` throws or the write aborts.
   */
  update<S extends StoreName>(
    store: S,
    key: string,
    next: (current: Stores[S] | undefined) => Stores[S] | undefined,
  ): Promise<Stores[S] | undefined>;
  /** Writes several records of one store in one transaction: all or none. */
  put<S extends StoreName>(
    store: S,
    records: readonly (readonly [key: string, value: Stores[S]])[],
  ): Promise<void>;
  /**
   * Deletes those of the records that are still as given, in one transaction: one that was changed since it was read stays. For
   * records that JSON can tell apart.
   */
  remove<S extends StoreName>(
    store: S,
    records: readonly (readonly [key: string, value: Stores[S]])[],
  ): Promise<void>;
  /** Deletes all records of a store, and writes `records` in their place, in one transaction. */
  clear<S extends StoreName>(
    store: S,
    records?: readonly (readonly [key: string, value: Stores[S]])[],
  ): Promise<void>;
  /** Closes what is open. */
  close(): void;
  /** `false` if the data ends with the page. Default true. */
  readonly durable?: boolean | undefined;
}

/** Every store and the type of its values. Adding one raises the database version in `idb.ts`. */
export interface Stores {
  /** Vault slots and the pointer to the current one. Only `keyring/vault` knows their shape. */
  vault: unknown;
  /** Signed transactions that may still change, and the newest ones, keyed `chainId:from:nonce:hash`. Only `transactions/journal` and `fill-archive` write. */
  journal: unknown;
  /** Transactions that nothing can change any more, and what is looked up in them. Only `transactions/journal` knows their shape. */
  archive: unknown;
  /** Batches of calls (EIP-5792) by origin, sender and id. Only `transactions/batches` writes. */
  calls: unknown;
  /** Cursors of durable subscriptions, by origin, chain and name. Only `subscriptions/durable` writes. */
  cursor: unknown;
  /** Payments to the accounts, by chain. Only `received/record` writes. */
  received: unknown;
  /** Permits that were signed here, by chain, account, token and spender. Only `assets/signed-permits` writes. */
  permits: unknown;
}

/** The names of the stores. */
export type StoreName = keyof Stores;
