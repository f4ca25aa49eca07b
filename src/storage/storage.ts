/**
 * Where the wallet remembers what must survive the page. One contract suite runs over every
 * implementation (`idb`, `memory`). Values are structured-cloneable and never aliased: what is read is a
 * copy, changing it changes nothing stored.
 */
export interface Storage {
  get<S extends StoreName>(store: S, key: string): Promise<Stores[S] | undefined>;
  /** All values of a store, ordered by key. */
  all<S extends StoreName>(store: S): Promise<Stores[S][]>;
  /**
   * Reads and writes one record in one transaction: `next` gets the current value and returns the new one
   * (`undefined` deletes). `next` must be synchronous. Resolves with what was written, once it is durable
   * (`durability: 'strict'`); rejects, leaving the store as it was, when `next` throws or the write aborts.
   */
  update<S extends StoreName>(
    store: S,
    key: string,
    next: (current: Stores[S] | undefined) => Stores[S] | undefined,
  ): Promise<Stores[S] | undefined>;
  /** Several records, of one store, in one transaction: all or none. */
  put<S extends StoreName>(
    store: S,
    records: readonly (readonly [key: string, value: Stores[S]])[],
  ): Promise<void>;
  close(): void;
  /** `false` where everything is gone with the page, so that nobody looks for it later. Default true. */
  readonly durable?: boolean;
}

/** Every store and the type of its values. Adding one raises the database version in `idb.ts`. */
export interface Stores {
  /** Vault slots and the pointer to the current one. Only `keyring/vault` knows their shape. */
  vault: unknown;
  /** Signed transactions and their fate, keyed `chainId:from:nonce:hash`. Only `transactions/journal` writes. */
  journal: unknown;
  /** Batches of calls (EIP-5792) by origin, sender and id. Only `calls/batches` writes. */
  calls: unknown;
  /** Delivered-up-to positions of subscriptions, by origin, chain and the name a page gave. Only `subscriptions/cursor` writes. */
  cursor: unknown;
}

export type StoreName = keyof Stores;
