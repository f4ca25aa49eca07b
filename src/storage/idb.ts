import { type IDBPDatabase, type IDBPObjectStore, type OpenDBCallbacks, openDB } from 'idb';
import { resourceUnavailable } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import { databaseTimeout, inTime } from './in-time.js';
import type { Storage, StoreName, Stores } from './storage.js';

/** Must be raised with every change of {@link storeNames}. A database with a higher version refuses this build. */
const version = 4;
const storeNames: readonly StoreName[] = [
  'vault',
  'journal',
  'cursor',
  'calls',
  'archive',
  'received',
  'permits',
];

/**
 * {@link Storage} in IndexedDB, opened at the first use. If the connection is lost or never answers, it is reopened and the
 * operation repeated once (docs/notes/security.md#connections-that-the-browser-closes); after a failure the next call tries
 * again. A connection that blocks the upgrade by a newer build closes at once.
 *
 * Rejects with the browser's `DOMException`: `QuotaExceededError`, `VersionError` (a newer build has upgraded the database),
 * `SecurityError` (storage forbidden), `UnknownError` (the browser's database is broken), or with `TimeoutError`. A rejected write
 * has changed nothing, unless the connection was lost in its commit, both times. Where there is no IndexedDB, as in Node, it
 * rejects with a `ProviderRpcError` of code -32002.
 */
export function createIdbStorage(options?: createIdbStorage.Options): Storage {
  const name = own(options).name ?? 'graft';
  let connection: Promise<IDBPDatabase> | null = null;

  const release = (ended: Promise<IDBPDatabase>) => {
    if (connection === ended) connection = null;
  };
  const open = async (ended: () => void): Promise<IDBPDatabase> => {
    const callbacks = own<OpenDBCallbacks<unknown>>({
      upgrade(database) {
        for (const store of storeNames)
          if (!database.objectStoreNames.contains(store)) database.createObjectStore(store);
      },
      blocking(_current, _blocked, event) {
        (event.target as IDBDatabase).close();
        ended();
      },
      terminated: ended,
    });
    const opening = openDB(name, version, callbacks).catch((error: unknown) => {
      // Chromium aborts what is opened while it still closes the lost connection.
      if (error instanceof DOMException && error.name === 'AbortError')
        return openDB(name, version, callbacks);
      throw error;
    });
    // One that opens too late would keep a newer build from its upgrade.
    return inTime(opening, databaseTimeout, () => closeLater(opening));
  };
  const connect = (): Promise<IDBPDatabase> => {
    if (connection !== null) return connection;
    if (globalThis.indexedDB === undefined)
      throw resourceUnavailable(
        'There is no IndexedDB here. Give createWallet a storage, such as createMemoryStorage().',
      );
    const opening: Promise<IDBPDatabase> = open(() => release(opening));
    connection = opening;
    opening.catch(() => release(opening));
    return opening;
  };
  const run = async <T>(
    work: (database: IDBPDatabase, late: AbortSignal) => Promise<T>,
    isRead = false,
    isRepeated = false,
  ): Promise<T> => {
    const opening = connect();
    try {
      const database = await opening;
      const late = new AbortController();
      return await inTime(work(database, late.signal), databaseTimeout, () => late.abort());
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      // An aborted write is repeated only if the connection was lost: then nothing was written. No read is aborted otherwise.
      const isAborted = error.name === 'AbortError' && !isRepeated;
      const isLost =
        lost.has(error.name) || (isAborted && (isRead || connection !== opening || isClosed(await opening)));
      if (!isLost) throw error;
      // The next attempt, or the next call, opens another one.
      release(opening);
      closeLater(opening);
      if (isRepeated) throw error;
    }
    return run(work, isRead, true);
  };

  return {
    get: (store, key) => run((database) => recordsOf(database, store).get(key), true),
    all: (store, prefix = '', limit) =>
      run(
        (database) => recordsOf(database, store).getAll(keysWith(prefix), limit && Math.min(limit, maxCount)),
        true,
      ),
    update(store, key, next) {
      /** Values that an attempt has read and written. Its commit may have been lost, or only the confirmation. */
      let written: readonly [before: unknown, after: Stores[typeof store] | undefined] | null = null;
      return run((database, late) =>
        write(database, store, late, async (records) => {
          const current = await records.get(key);
          if (written && isSame(current, written[1]) && !isSame(written[0], written[1])) return written[1];
          const value = next(current as Stores[typeof store] | undefined);
          written = [current, value];
          await (value === undefined ? records.delete(key) : records.put(value, key));
          return value;
        }),
      );
    },
    put: (store, entries) =>
      run((database, late) => write(database, store, late, (records) => putAll(records, entries))),
    remove: (store, entries) =>
      run((database, late) =>
        write(database, store, late, async (records) => {
          for (const [key, value] of entries)
            if (isSame(await records.get(key), value)) await records.delete(key);
        }),
      ),
    clear: (store, entries = []) =>
      run((database, late) =>
        write(database, store, late, async (records) => {
          await records.clear();
          await putAll(records, entries);
        }),
      ),
    close() {
      if (connection) closeLater(connection);
      connection = null;
    },
  };
}

/**
 * Names of the errors of a connection that is lost: closed by the browser, ended with its database process (Safari says so in
 * an `UnknownError`), or silent.
 */
const lost: ReadonlySet<string> = new Set([
  'InvalidStateError',
  'UnknownError',
  'TransactionInactiveError',
  'TimeoutError',
]);

/** Whether the browser has closed the connection. It aborts the transactions before it says so. */
function isClosed(database: IDBPDatabase): boolean {
  try {
    database.transaction(storeNames).done.catch(() => {});
    return false;
  } catch {
    return true;
  }
}

const closeLater = (opening: Promise<IDBPDatabase>): void =>
  void opening.then(
    (database) => database.close(),
    () => {},
  );

/** Whether two records are the same, for those that JSON can tell apart. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export declare namespace createIdbStorage {
  interface Options {
    /** The database's name. Default `graft`. */
    name?: string | undefined;
  }
}

/** The largest number that `getAll` takes. */
const maxCount = 2 ** 32 - 1;

/** Keys are ordered by UTF-16 code units, of which U+FFFF is the last. */
const keysWith = (prefix: string) => IDBKeyRange.bound(prefix, `${prefix}\uffff`);

/** A store's records, to be read in a transaction of its own, whose abort its request reports. */
function recordsOf(database: IDBPDatabase, store: StoreName) {
  const transaction = database.transaction(store);
  transaction.done.catch(() => {});
  return transaction.store;
}

type Records = IDBPObjectStore<unknown, [StoreName], StoreName, 'readwrite'>;

/** One after another: parallel requests after a failed one would reject unhandled. */
async function putAll(
  records: Records,
  entries: readonly (readonly [key: string, value: unknown])[],
): Promise<void> {
  for (const [key, value] of entries) await records.put(value, key);
}

/** Runs `work` in one transaction, which is durable once this resolves; an error in `work`, or `late`, aborts it. */
async function write<T>(
  database: IDBPDatabase,
  store: StoreName,
  late: AbortSignal,
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
  const abort = (): void => {
    try {
      transaction.abort();
    } catch {
      // The transaction has ended already.
    }
  };
  late.addEventListener('abort', abort, own({ once: true }));
  let result: T;
  try {
    result = await work(transaction.store);
  } catch (error) {
    abort();
    const cause = (await done)?.error;
    // A request of a transaction that the browser aborts says only that; the transaction says why.
    throw error instanceof DOMException && error.name === 'AbortError' ? (cause ?? error) : error;
  }
  const failure = await done;
  if (failure !== undefined) throw failure.error ?? new DOMException('The write was aborted', 'AbortError');
  return result;
}
