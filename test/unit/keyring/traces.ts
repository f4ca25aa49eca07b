import type { Sentinel, VaultTraces } from '../../../src/keyring/vault/traces.js';

/** What a browser profile keeps outside the database, in memory. Values are copies, as they are there. */
export function createMemoryTraces(): VaultTraces & { clear(): void; lose(part: 'sentinel' | 'copy'): void } {
  let sentinel: Sentinel | null = null;
  let copy: string | null = null;
  return {
    sentinel: () => sentinel,
    setSentinel: (given) => {
      sentinel = { ...given };
    },
    dropSentinel: () => {
      sentinel = null;
    },
    copy: async () => (copy === null ? null : JSON.parse(copy)),
    setCopy: async (record) => {
      copy = JSON.stringify(record);
    },
    dropCopy: async () => {
      copy = null;
    },
    clear() {
      sentinel = null;
      copy = null;
    },
    lose(part) {
      if (part === 'sentinel') sentinel = null;
      else copy = null;
    },
  };
}
