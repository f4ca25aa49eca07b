import { own } from '../../rpc/own.js';
import { createPrivateFile } from '../../storage/private-file.js';

/**
 * What the vault leaves outside its storage, because a browser can lose a database silently (docs/notes/security.md#storage-that-disappears): a sentinel that says that there was a vault, and a second copy of it.
 */
export interface VaultTraces {
  /** `null`: no vault was ever made here, or the sentinel is gone too. */
  sentinel(): Sentinel | null;
  setSentinel(sentinel: Sentinel): void;
  /** The copy as it was written; `null` where there is none. Never rejects. */
  copy(): Promise<unknown>;
  /** Never rejects: the copy is a second chance, not a condition. */
  setCopy(record: unknown): Promise<void>;
  /** Deletes the copy, and what an interrupted write may have left of one. Rejects when any of it stays. */
  dropCopy(): Promise<void>;
}

export interface Sentinel {
  readonly vaultId: string;
  readonly gen: number;
}

/** The sentinel in localStorage, the copy in the origin's private file system. Either may be missing. */
export function createBrowserTraces(name: string): VaultTraces {
  const key = `${name}.vault`;
  const copy = createPrivateFile(`${name}.vault.json`);
  return {
    sentinel() {
      try {
        const value: unknown = JSON.parse(globalThis.localStorage?.getItem(key) ?? 'null');
        return isSentinel(value) ? value : null;
      } catch {
        return null;
      }
    },
    setSentinel({ vaultId, gen }) {
      try {
        globalThis.localStorage?.setItem(key, JSON.stringify({ vaultId, gen }));
      } catch {
        // Forbidden or full. The vault itself is written.
      }
    },
    copy: copy.read,
    setCopy: copy.write,
    dropCopy: copy.remove,
  };
}

/** For storage that is gone with the page: there is nothing to miss later. */
export const noTraces: VaultTraces = {
  sentinel: () => null,
  setSentinel() {},
  copy: async () => null,
  async setCopy() {},
  async dropCopy() {},
};

function isSentinel(value: unknown): value is Sentinel {
  const { vaultId, gen } = own((value ?? {}) as { vaultId?: unknown; gen?: unknown });
  return typeof vaultId === 'string' && Number.isSafeInteger(gen);
}
