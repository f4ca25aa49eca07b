import type { SessionMemory } from './session.js';

/**
 * A session memory that ends with the page, for Node, sandboxed frames and tests.
 *
 * @example
 * const wallet = createWallet({ networks, memory: createVolatileMemory() });
 */
export function createVolatileMemory(): SessionMemory {
  let value: string | null = null;
  return {
    read: () => value,
    write: (next) => {
      value = next;
    },
    remove: () => {
      value = null;
    },
    watch: () => () => {},
  };
}

/**
 * A session memory in `localStorage`, the only store that a page can read synchronously, so that `eth_accounts` resolves
 * without waiting. Where it is unavailable (a sandboxed frame, blocked cookies), the volatile memory is used.
 */
export function createLocalMemory(key: string): SessionMemory {
  let storage: Storage;
  try {
    storage = globalThis.localStorage;
    storage.getItem(key);
  } catch {
    return createVolatileMemory();
  }
  // Set when a write fails (storage full or blocked): the session continues in this page only.
  let unwritten: string | null = null;
  return {
    read: () => unwritten ?? storage.getItem(key),
    write: (value) => {
      try {
        storage.setItem(key, value);
        unwritten = null;
      } catch {
        unwritten = value;
      }
    },
    remove: () => {
      unwritten = null;
      storage.removeItem(key);
    },
    watch(changed) {
      const onStorage = (event: StorageEvent) => {
        if (event.key === key || event.key === null) changed();
      };
      globalThis.addEventListener('storage', onStorage);
      return () => globalThis.removeEventListener('storage', onStorage);
    },
  };
}
