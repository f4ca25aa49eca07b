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
