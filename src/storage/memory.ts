import type { Storage, StoreName, Stores } from './storage.js';

/**
 * {@link Storage} in memory, for tests and for pages without IndexedDB, such as a sandboxed frame. Its contents end with
 * the page.
 *
 * @example
 * const wallet = createWallet({ networks, storage: createMemoryStorage() });
 */
export function createMemoryStorage(): Storage {
  const stores = new Map<StoreName, Map<string, unknown>>();
  const open = (store: StoreName): Map<string, unknown> => {
    const records = stores.get(store) ?? new Map<string, unknown>();
    stores.set(store, records);
    return records;
  };
  const copy = <S extends StoreName>(value: unknown): Stores[S] => structuredClone(value);

  return {
    durable: false,
    async get(store, key) {
      return copy(open(store).get(key));
    },
    async all(store, prefix = '', limit) {
      // Like IndexedDB, the default sort order is by UTF-16 code units.
      const keys = [...open(store).keys()].filter((key) => key.startsWith(prefix)).sort();
      return keys.slice(0, limit).map((key) => copy(open(store).get(key)));
    },
    async update(store, key, next) {
      const records = open(store);
      const value = next(copy(records.get(key)));
      if (value === undefined) records.delete(key);
      else records.set(key, copy(value));
      return value;
    },
    async put(store, records) {
      const copies = records.map(([key, value]) => [key, copy(value)] as const);
      for (const [key, value] of copies) open(store).set(key, value);
    },
    async remove(store, records) {
      for (const [key, value] of records)
        if (JSON.stringify(open(store).get(key)) === JSON.stringify(value)) open(store).delete(key);
    },
    async clear(store, records = []) {
      stores.set(store, new Map(records.map(([key, value]) => [key, copy(value)])));
    },
    close() {},
  };
}
