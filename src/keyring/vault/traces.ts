import { own } from '../../rpc/own.js';
import { createPrivateFile } from '../../storage/private-file.js';

/**
 * Traces of the vault outside its storage, because a browser can lose a database silently: a sentinel, which shows that
 * there was a vault, and a second copy of the record (docs/notes/security.md#storage-that-disappears).
 */
export interface VaultTraces {
  /** `null` if no vault was ever created here, or the sentinel is lost too. */
  sentinel(): Sentinel | null;
  setSentinel(sentinel: Sentinel): void;
  dropSentinel(): void;
  /** Reads the copy as it was written; `null` without one. Never rejects. */
  copy(): Promise<unknown>;
  /** Never rejects: the copy is optional. */
  setCopy(record: unknown): Promise<void>;
  /** Deletes the copy and remains of interrupted writes. Rejects if any of it is left. */
  dropCopy(): Promise<void>;
}

export interface Sentinel {
  readonly vaultId: string;
  readonly gen: number;
  /** The version of the record, from 3 on. */
  readonly v?: number;
}

/** Keeps the sentinel in localStorage and the copy in the origin private file system. Either may be unavailable. */
export function createBrowserTraces(name: string): VaultTraces {
  const key = `${name}.vault`;
  const copy = createPrivateFile(`${name}.vault.json`);
  return {
    sentinel: () =>
      attempt(() => {
        const value: unknown = JSON.parse(globalThis.localStorage?.getItem(key) ?? 'null');
        return isSentinel(value) ? value : null;
      }),
    setSentinel({ vaultId, gen, v }) {
      attempt(() => globalThis.localStorage?.setItem(key, JSON.stringify({ vaultId, gen, v })));
    },
    dropSentinel() {
      attempt(() => globalThis.localStorage?.removeItem(key));
    },
    copy: copy.read,
    setCopy: copy.write,
    dropCopy: copy.remove,
  };
}

/** `null` where the storage is forbidden or full, or its content is damaged: the vault itself is elsewhere. */
function attempt<T>(use: () => T): T | null {
  try {
    return use();
  } catch {
    return null;
  }
}

/** Keeps nothing, for storage that ends with the page. */
export const noTraces: VaultTraces = {
  sentinel: () => null,
  setSentinel() {},
  dropSentinel() {},
  copy: async () => null,
  async setCopy() {},
  async dropCopy() {},
};

function isSentinel(value: unknown): value is Sentinel {
  const { vaultId, gen } = own((value ?? {}) as { vaultId?: unknown; gen?: unknown });
  return typeof vaultId === 'string' && Number.isSafeInteger(gen);
}
