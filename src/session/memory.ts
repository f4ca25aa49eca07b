import type { SessionMemory } from './session.js';

/** The in-memory twin: nothing survives the page. For Node, sandboxed frames and tests. */
export function createVolatileMemory(): SessionMemory {
  let value: string | null = null;
  return {
    read: () => value,
    write: (next) => {
      value = next;
    },
    watch: () => () => {},
  };
}

/**
 * `localStorage`: the only store a page can read before its first task ends, which is what lets `eth_accounts`
 * be answered without waiting. Where it is refused (sandboxed frame, blocked cookies) or absent, the volatile
 * twin takes its place.
 */
export function createLocalMemory(key: string): SessionMemory {
  let storage: Storage;
  try {
    storage = globalThis.localStorage;
    storage.getItem(key);
  } catch {
    return createVolatileMemory();
  }
  // Set once a write is refused (full, blocked since): the session goes on in this page only.
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
    watch(changed) {
      const onStorage = (event: StorageEvent) => {
        if (event.key === key || event.key === null) changed();
      };
      globalThis.addEventListener('storage', onStorage);
      return () => globalThis.removeEventListener('storage', onStorage);
    },
  };
}
