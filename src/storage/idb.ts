import type { IDBPDatabase, OpenDBCallbacks } from 'idb';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Storage, StoreName } from './storage.js';

/** Must be raised with every change of {@link storeNames}. A database with a higher version refuses this build. */
const version = 2;
const storeNames: readonly StoreName[] = ['vault', 'journal', 'cursor', 'calls'];

/**
 * {@link Storage} in IndexedDB, opened at the first use. If the browser has closed the connection, it is reopened and the
 * operation retried once (docs/notes/security.md#connections-that-the-browser-closes). A connection that blocks the
 * upgrade by a newer build closes at once.
 *
 * Rejects with the browser's `DOMException`: `QuotaExceededError`, `VersionError` (a newer build has upgraded
 * the database), `SecurityError` (storage forbidden). A rejected write has changed nothing. Where there is no IndexedDB, as
 * in Node, it rejects with a `ProviderRpcError` of code -32002.
 */
export function createIdbStorage(options?: createIdbStorage.Options): Storage {
  const name = own(options).name ?? 'graft';
  let connection: Promise<IDBPDatabase> | null = null;

  const release = (ended: Promise<IDBPDatabase>) => {
    if (connection === ended) connection = null;
  };
  const connect = (): Promise<IDBPDatabase> => {
    if (connection !== null) return connection;
    if (globalThis.indexedDB === undefined)
      throw new ProviderRpcError(
        errorCode.resourceUnavailable,
        'There is no IndexedDB here. Give createWallet a storage, such as createMemoryStorage().',
      );
    const opening: Promise<IDBPDatabase> = import('idb').then(({ openDB }) =>
      openDB(
        name,
        version,
        own<OpenDBCallbacks<unknown>>({
          upgrade(database) {
            for (const store of storeNames)
              if (!database.objectStoreNames.contains(store)) database.createObjectStore(store);
          },
          blocking(_current, _blocked, event) {
            (event.target as IDBDatabase).close();
            release(opening);
          },
          terminated: () => release(opening),
        }),
      ),
    );
    connection = opening;
    opening.catch(() => release(opening));
    return opening;
  };
  const run = async <T>(work: (database: IDBPDatabase) => Promise<T>): Promise<T> => {
    const first = connect();
    try {
      return await work(await first);
    } catch (error) {
      // An aborted transaction is retried only if the connection was lost: then nothing was written.
      const lost = error instanceof DOMException && error.name === 'AbortError' && connection !== first;
      const closed = error instanceof DOMException && error.name === 'InvalidStateError';
      if (!lost && !closed) throw error;
      release(first);
      return work(await connect());
    }
  };

  return {
    get: (store, key) => run((database) => database.get(store, key)),
    all: (store, prefix = '') => run((database) => database.getAll(store, keysWith(prefix))),
    update: (store, key, next) =>
      run((database) =>
        write(database, store, async (records) => {
          const value = next(await records.get(key));
          await (value === undefined ? records.delete(key) : records.put(value, key));
          return value;
        }),
      ),
    put: (store, entries) =>
      run((database) =>
        write(database, store, async (records) => {
          // One after another: parallel requests after a failed one would reject unhandled.
          for (const [key, value] of entries) await records.put(value, key);
        }),
      ),
    clear: (store, entries = []) =>
      run((database) =>
        write(database, store, async (records) => {
          await records.clear();
          for (const [key, value] of entries) await records.put(value, key);
        }),
      ),
    close() {
      const open = connection;
      connection = null;
      open?.then(
        (database) => database.close(),
        () => {},
      );
    },
  };
}

export declare namespace createIdbStorage {
  interface Options {
    /** The database's name. Default `graft`. */
    name?: string;
  }
}

/** Keys are ordered by UTF-16 code units, of which U+FFFF is the last. */
const keysWith = (prefix: string) => IDBKeyRange.bound(prefix, `${prefix}\uffff`);

interface Records {
  get(key: string): Promise<unknown>;
  put(value: unknown, key: string): Promise<unknown>;
  delete(key: string): Promise<void>;
  clear(): Promise<void>;
}

/** Runs `work` in one transaction, which is durable once this resolves; an error in `work` aborts it. */
async function write<T>(
  database: IDBPDatabase,
  store: StoreName,
  work: (records: Records) => Promise<T>,
): Promise<T> {
  const transaction = database.transaction(
    store,
    'readwrite',
    own<IDBTransactionOptions>({ durability: 'strict' }),
  );
  // Awaited below in every case; until then an abort must not be an unhandled rejection.
  const done = transaction.done.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  let result: T;
  try {
    result = await work(transaction.store);
  } catch (error) {
    try {
      transaction.abort();
    } catch {
      // The transaction has aborted already, with `error`.
    }
    await done;
    throw error;
  }
  const failure = await done;
  if (failure !== undefined) throw failure.error ?? new DOMException('The write was aborted', 'AbortError');
  return result;
}
