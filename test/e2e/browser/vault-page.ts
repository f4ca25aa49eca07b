/** The page of `vault.test.ts`: a wallet as a page makes it, and what a browser can lose under it. */

import { headless } from '../../../packages/kit/src/testing/index.js';
import { createWallet, isProviderRpcError, type Wallet } from '../../../src/index.js';
import { readVaultRecord } from '../../../src/keyring/vault/record.js';
import { openVault } from '../../../src/keyring/vault/vault.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

export interface VaultPage {
  readonly wallet: Wallet;
  /** A function of the wallet, and the code and text of its error where it rejects. */
  call(name: Operation, ...args: readonly unknown[]): Promise<Outcome>;
  /** What is remembered of wrong passwords; `at`: milliseconds since 1970. */
  attempts(): Promise<{ readonly failures: number; readonly at: number }>;
  /** Resolves when the wallet locks. */
  locking(): Promise<void>;
  /** `sentinel`: in localStorage; `copy`: in the private file system. */
  lose(...what: ('database' | 'copy' | 'sentinel')[]): Promise<void>;
  /** How many of the vault's records, in all databases and files of this origin, `password` opens; and of how many. */
  opening(password: string): Promise<{ readonly opened: number; readonly records: number }>;
  /** Everything that this origin keeps, as text in which each byte is one character. */
  kept(): Promise<Record<'databases' | 'files' | 'texts', string>>;
}

export type Operation = {
  [K in keyof Wallet]: Wallet[K] extends (...args: never[]) => Promise<unknown> ? K : never;
}[keyof Wallet];
export type Outcome = { readonly result: unknown } | { readonly code: number; readonly message: string };

// Most tests are not about what a derivation costs.
if (location.search !== '?costly') hastenKdf();

// Nobody answers there: nothing here needs the service.
const wallet = createWallet({
  networks: [{ chainId: 31, url: 'http://127.0.0.1:9/none' }],
  name: 'vault',
  approver: () => headless(),
});

Object.assign(window, {
  page: {
    wallet,
    async call(name, ...args) {
      try {
        return { result: await (wallet[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args) };
      } catch (error) {
        if (!isProviderRpcError(error)) throw error;
        return { code: error.code, message: error.message };
      }
    },
    async attempts() {
      const storage = createIdbStorage({ name: 'graft:vault' });
      const attempts = await storage.get('vault', 'attempts');
      storage.close();
      return attempts as Awaited<ReturnType<VaultPage['attempts']>>;
    },
    locking: () =>
      new Promise((resolve) => {
        const undo = wallet.watch(async () => {
          if ((await wallet.vaultState()) !== 'locked') return;
          undo();
          resolve();
        });
      }),
    async lose(...what) {
      if (what.includes('database'))
        for (const { name } of await indexedDB.databases())
          await done(indexedDB.deleteDatabase(name as string));
      if (what.includes('copy')) {
        const directory = await navigator.storage.getDirectory();
        for await (const name of directory.keys()) await directory.removeEntry(name);
      }
      if (what.includes('sentinel')) localStorage.removeItem('graft:vault.vault');
    },
    async opening(password) {
      const values: unknown[] = [];
      for (const { name } of await indexedDB.databases()) {
        const database = await done(indexedDB.open(name as string));
        for (const store of database.objectStoreNames)
          values.push(...(await done(database.transaction(store).objectStore(store).getAll())));
        database.close();
      }
      for await (const handle of (await navigator.storage.getDirectory()).values())
        values.push(JSON.parse(await (await (handle as FileSystemFileHandle).getFile()).text()));
      const records = values
        .map(readVaultRecord)
        .flatMap((each) => (each.kind === 'record' ? [each.record] : []));
      const outcomes = await Promise.allSettled(records.map((record) => openVault(record, password)));
      const opened = outcomes.filter(({ status }) => status === 'fulfilled').length;
      return { opened, records: records.length };
    },
    async kept() {
      const databases = await Promise.all(
        (await indexedDB.databases()).map(async ({ name }) => {
          const database = await done(indexedDB.open(name as string));
          const stores = [...database.objectStoreNames];
          const records = await Promise.all(
            stores.flatMap((store) => {
              const records = database.transaction(store).objectStore(store);
              return [done(records.getAllKeys()), done(records.getAll())];
            }),
          );
          database.close();
          return spell([name, stores, records]);
        }),
      );
      const files: string[] = [];
      for await (const [name, handle] of (await navigator.storage.getDirectory()).entries())
        files.push(name, spell(await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer()));
      const texts = spell([{ ...localStorage }, { ...sessionStorage }, document.cookie, await caches.keys()]);
      return { databases: databases.join('\n'), files: files.join('\n'), texts };
    },
  } satisfies VaultPage,
});

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** All strings and bytes in a value, however deep. */
function spell(value: unknown): string {
  if (value instanceof ArrayBuffer) return String.fromCharCode(...new Uint8Array(value));
  if (ArrayBuffer.isView(value))
    return String.fromCharCode(...new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${spell(each)}`)
    .join('\n');
}
