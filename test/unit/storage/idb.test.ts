import 'fake-indexeddb/auto';
import { forceCloseDatabase } from 'fake-indexeddb';
import { describe, expect, test, vi } from 'vitest';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { storageContract } from './contract.js';

let count = 0;
const fresh = () => `storage-${++count}`;

describe('createIdbStorage', () => {
  storageContract(() => createIdbStorage({ name: fresh() }));

  test('nothing is opened before the first use', async () => {
    const name = fresh();
    const storage = createIdbStorage({ name });
    expect((await indexedDB.databases()).map((database) => database.name)).not.toContain(name);
    await storage.get('vault', 'a');
    expect((await indexedDB.databases()).map((database) => database.name)).toContain(name);
  });

  test('where there is no IndexedDB, the error says what to give instead', async () => {
    vi.stubGlobal('indexedDB', undefined);
    const reading = createIdbStorage({ name: fresh() }).get('vault', 'a');
    vi.unstubAllGlobals();
    await expect(reading).rejects.toMatchObject({
      code: -32002,
      message: 'There is no IndexedDB here. Give createWallet a storage, such as createMemoryStorage().',
    });
  });

  test('two connections of one name share the records, and writes are strict', async () => {
    const name = fresh();
    const durabilities: (string | undefined)[] = [];
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (this: IDBDatabase, stores, mode, options) {
      if (mode === 'readwrite') durabilities.push(options?.durability);
      return transaction.call(this, stores, mode, options);
    };
    try {
      await createIdbStorage({ name }).put('vault', [['a', 1]]);
      await createIdbStorage({ name }).update('vault', 'b', () => 2);
    } finally {
      IDBDatabase.prototype.transaction = transaction;
    }
    expect(await createIdbStorage({ name }).all('vault')).toEqual([1, 2]);
    expect(durabilities).toEqual(['strict', 'strict']);
  });

  test('reopens a connection that the browser closed', async () => {
    const name = fresh();
    const connections: IDBDatabase[] = [];
    const open = indexedDB.open;
    indexedDB.open = (...args) => {
      const request = open.apply(indexedDB, args);
      request.addEventListener('success', () => connections.push(request.result));
      return request;
    };
    try {
      const storage = createIdbStorage({ name });
      for (let i = 0; i < 20; i++) {
        expect(
          await storage.update('cursor', 'n', (current) => ((current as number | undefined) ?? 0) + 1),
        ).toBe(i + 1);
        const connection = connections.at(-1) as IDBDatabase;
        // With and without the `close` event that browsers send.
        if (i % 2 === 0) forceCloseDatabase(connection as never);
        else connection.close();
      }
      expect(connections).toHaveLength(20);
    } finally {
      indexedDB.open = open;
    }
  });

  test('closes at once for a newer version, and then rejects with VersionError', async () => {
    const name = fresh();
    const storage = createIdbStorage({ name });
    await storage.put('vault', [['a', 1]]);
    const newer = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, 99);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.onblocked = () => reject(new Error('the old connection holds the upgrade up'));
    });
    await expect(storage.get('vault', 'a')).rejects.toMatchObject({ name: 'VersionError' });
    newer.close();
  });

  test.each(['put', 'delete'] as const)('a %s over the quota rejects and changes nothing', async (kind) => {
    const storage = createIdbStorage({ name: fresh() });
    await storage.put('vault', [['a', 1]]);
    const original = IDBObjectStore.prototype[kind];
    IDBObjectStore.prototype[kind] = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    try {
      await expect(
        storage.update('vault', 'a', () => (kind === 'put' ? 2 : undefined)),
      ).rejects.toMatchObject({ name: 'QuotaExceededError' });
    } finally {
      IDBObjectStore.prototype[kind] = original as never;
    }
    expect(await storage.get('vault', 'a')).toBe(1);
  });

  test('a commit that aborts rejects and changes nothing', async () => {
    const storage = createIdbStorage({ name: fresh() });
    await storage.put('vault', [['a', 1]]);
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, value: unknown, key?: IDBValidKey) {
      const request = put.call(this, value, key);
      request.addEventListener('success', () => this.transaction.abort());
      return request;
    };
    try {
      await expect(storage.update('vault', 'a', () => 2)).rejects.toMatchObject({ name: 'AbortError' });
      await expect(storage.put('vault', [['b', 3]])).rejects.toMatchObject({ name: 'AbortError' });
    } finally {
      IDBObjectStore.prototype.put = put;
    }
    expect(await storage.all('vault')).toEqual([1]);
  });
});
