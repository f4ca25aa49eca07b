import type { SessionMemory } from './session.js';

/**
 * A session memory in `localStorage`, the only store that a page can read synchronously, so that `eth_accounts` resolves without
 * waiting. A value that it cannot keep (a sandboxed frame, blocked cookies, a full storage) lasts as long as this page.
 */
export function createLocalMemory(key: string): SessionMemory {
  const storage = storageOfPage(key);
  let unwritten: string | null = null;
  return {
    read: () => unwritten ?? storage?.getItem(key) ?? null,
    write: (value) => {
      unwritten = value;
      try {
        storage?.setItem(key, value);
        if (storage) unwritten = null;
      } catch {
        // It is full or blocked.
      }
    },
    remove: () => {
      unwritten = null;
      storage?.removeItem(key);
    },
    watch(changed) {
      // Without a storage no other page can change anything, and in Node there is no such event.
      if (!storage) return () => {};
      const onStorage = (event: StorageEvent) => {
        if (event.key === key || event.key === null) changed();
      };
      globalThis.addEventListener('storage', onStorage);
      return () => globalThis.removeEventListener('storage', onStorage);
    },
  };
}

/** `undefined` where the page has none that can be read. */
function storageOfPage(key: string): Storage | undefined {
  try {
    const { localStorage } = globalThis;
    localStorage.getItem(key);
    return localStorage;
  } catch {
    return undefined;
  }
}
