import { own } from '../rpc/own.js';

/**
 * What the vault leaves outside its storage, because a browser can lose a database silently (security.md
 * finding 13): a sentinel that says that there was a vault, and a second copy of it.
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
  const fileName = `${name}.vault.json`;
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
    async copy() {
      try {
        const directory = await navigator.storage.getDirectory();
        const file = await (await directory.getFileHandle(fileName)).getFile();
        return JSON.parse(await file.text());
      } catch {
        return null;
      }
    },
    async setCopy(record) {
      try {
        const directory = await navigator.storage.getDirectory();
        const handle = await directory.getFileHandle(fileName, { create: true });
        // Written beside the old file, which `close` replaces at once: a crash leaves one of the two.
        const file = await handle.createWritable();
        await file.write(JSON.stringify(record));
        await file.close();
      } catch {
        // Not supported (private windows, Safari before 26), or no space.
      }
    },
    async dropCopy() {
      let directory: FileSystemDirectoryHandle;
      try {
        directory = await navigator.storage.getDirectory();
      } catch {
        return; // Where there is no file system, there is no copy.
      }
      // Browsers write beside the file first, under its name and an ending of their own.
      const names: string[] = [];
      for await (const name of directory.keys()) names.push(name);
      for (const name of names) if (name.startsWith(fileName)) await directory.removeEntry(name);
    },
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
