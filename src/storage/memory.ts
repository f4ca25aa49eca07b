import type { Storage, StoreName, Stores } from './storage.js';

/**
 * The in-memory twin of {@link Storage}: for tests, and for pages that may not store anything (a sandboxed
 * frame, a browser without IndexedDB). What it holds is gone with the page.
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
    async all(store) {
      // IndexedDB's order of string keys: by UTF-16 code unit, which is also the default order here.
      const keys = [...open(store).keys()].sort();
      return keys.map((key) => copy(open(store).get(key)));
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
    close() {},
  };
}
