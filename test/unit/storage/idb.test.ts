import 'fake-indexeddb/auto';
import { forceCloseDatabase } from 'fake-indexeddb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { withCodedErrors } from '../../../src/storage/coded.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { waitFor } from '../../support/wait-for.js';
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

  describe('a connection that is lost', () => {
    const real = {
      open: indexedDB.open,
      transaction: IDBDatabase.prototype.transaction,
      put: IDBObjectStore.prototype.put,
      get: IDBObjectStore.prototype.get,
    };
    afterEach(() => {
      vi.restoreAllMocks();
      vi.useRealTimers();
      indexedDB.open = real.open;
      Object.assign(IDBDatabase.prototype, { transaction: real.transaction });
      Object.assign(IDBObjectStore.prototype, { put: real.put, get: real.get });
    });
    const dead = (name = 'UnknownError') =>
      new DOMException('Connection to Indexed Database server lost. Refresh the page to try again', name);
    /** Fails the next calls, as often as it says. */
    const times = (count: number, fail: () => never) => {
      let left = count;
      return () => {
        if (left-- > 0) fail();
      };
    };
    const throws = (name?: string) => (): never => {
      throw dead(name);
    };
    /** A request that fails without an answer of the database, or never has one. */
    const requestWith = (error: DOMException | null): IDBOpenDBRequest => {
      const request = Object.assign(Object.create(IDBOpenDBRequest.prototype), new EventTarget());
      const target = new EventTarget();
      for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const)
        Object.defineProperty(request, name, { value: target[name].bind(target) });
      Object.defineProperty(request, 'error', { value: error });
      if (error) setTimeout(() => target.dispatchEvent(new Event('error')));
      return request;
    };

    type Lose = (count: number, name?: string) => void;
    const losses: Readonly<Record<string, Lose>> = {
      'where a transaction begins': (count, name) => {
        const check = times(count, throws(name));
        IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args) {
          check();
          return real.transaction.apply(this, args);
        };
      },
      'where a record is read': (count, name) => {
        const check = times(count, throws(name));
        IDBObjectStore.prototype.get = function (this: IDBObjectStore, ...args) {
          check();
          return real.get.apply(this, args);
        };
      },
      'where it is opened': (count, name) => {
        let left = count;
        indexedDB.open = (...args) =>
          left-- > 0 ? requestWith(dead(name)) : real.open.apply(indexedDB, args);
      },
    };
    const kinds = ['UnknownError', 'InvalidStateError', 'TransactionInactiveError'];

    test.each(Object.keys(losses).flatMap((where) => kinds.map((kind) => [where, kind] as const)))(
      '%s (%s): it is opened again and the operation repeated once; later calls try again',
      async (where, kind) => {
        const name = fresh();
        await createIdbStorage({ name }).put('cursor', [['n', 1]]);
        const storage = createIdbStorage({ name });
        const lose = losses[where] as Lose;
        const add = () => storage.update('cursor', 'n', (current) => (current as number) + 1);
        lose(1, kind);
        expect(await add()).toBe(2);
        storage.close();
        lose(1, kind);
        expect(await storage.get('cursor', 'n')).toBe(2);
        storage.close();
        lose(2, kind);
        await expect(add()).rejects.toMatchObject({ name: kind });
        expect(await add()).toBe(3);
        expect(await storage.get('cursor', 'n')).toBe(3);
      },
    );

    test.each(['put', 'get'] as const)(
      'while it writes (%s): the abort comes before the event, and the write is repeated',
      async (call) => {
        const storage = createIdbStorage({ name: fresh() });
        await storage.put('cursor', [['n', 1]]);
        Object.assign(IDBObjectStore.prototype, {
          [call](this: IDBObjectStore, ...args: [never]) {
            Object.assign(IDBObjectStore.prototype, { [call]: real[call] });
            const request: IDBRequest = real[call].apply(this, args);
            request.addEventListener('success', () => {
              this.transaction.abort();
              this.transaction.db.close();
            });
            return request;
          },
        });
        expect(await storage.update('cursor', 'n', (current) => (current as number) + 1)).toBe(2);
        expect(await storage.get('cursor', 'n')).toBe(2);
      },
    );

    test('where it is opened while the browser still closes the lost one: that is aborted, and asked again', async () => {
      const storage = createIdbStorage({ name: fresh() });
      (losses['where it is opened'] as Lose)(3, 'AbortError');
      expect(await storage.update('cursor', 'n', () => 2)).toBe(2);
      expect(await storage.get('cursor', 'n')).toBe(2);
    });

    test.each(['get', 'put'] as const)(
      'while a request waits (%s), as Chromium reports it: the transaction says why, the request only that',
      async (call) => {
        const storage = createIdbStorage({ name: fresh() });
        await storage.put('cursor', [['n', 1]]);
        const lose = () =>
          Object.assign(IDBObjectStore.prototype, {
            [call](this: IDBObjectStore, ...args: [never]) {
              Object.assign(IDBObjectStore.prototype, { [call]: real[call] });
              const request: IDBRequest = real[call].apply(this, args);
              const { transaction } = this as unknown as { transaction: { _abort(name: string): void } };
              transaction._abort('UnknownError');
              return request;
            },
          });
        lose();
        expect(await storage.update('cursor', 'n', (current) => (current as number) + 1)).toBe(2);
        lose();
        expect(await storage.get('cursor', 'n')).toBe(2);
      },
    );

    test.each([true, false])(
      'a connection lost in the commit of a write: it is repeated, and counts once (written before: %s)',
      async (isWritten) => {
        const storage = createIdbStorage({ name: fresh() });
        await storage.put('cursor', [['n', 1]]);
        let isFirst = true;
        IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args) {
          const transaction = real.transaction.apply(this, args);
          if (!isFirst) return transaction;
          isFirst = false;
          let error = isWritten ? null : dead();
          Object.defineProperty(transaction, 'error', { get: () => error, set() {} });
          const listeners: ((event: Event) => void)[] = [];
          if (isWritten)
            transaction.addEventListener('complete', (event) => {
              event.stopImmediatePropagation();
              error = dead();
              for (const listener of listeners) listener(event);
            });
          const add = transaction.addEventListener.bind(transaction) as EventTarget['addEventListener'];
          transaction.addEventListener = (type: string, listener: (event: Event) => void) => {
            if (type === 'error') listeners.push(listener);
            add(type, listener);
          };
          return transaction;
        };
        if (!isWritten)
          IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args) {
            IDBObjectStore.prototype.put = real.put;
            const request = real.put.apply(this, args);
            request.addEventListener('success', () => this.transaction.abort());
            return request;
          };
        const seen: unknown[] = [];
        const added = await storage.update('cursor', 'n', (current) => {
          seen.push(current);
          return (current as number) + 1;
        });
        expect(added).toBe(2);
        expect(await storage.get('cursor', 'n')).toBe(2);
        expect(seen).toEqual(isWritten ? [1] : [1, 1]);
      },
    );

    test('a database that never opens: every call gets an error in time, and works once the database answers', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      // Not by their number: files that ran in this thread before may set some meanwhile.
      const set = vi.spyOn(globalThis, 'setTimeout');
      const cleared = vi.spyOn(globalThis, 'clearTimeout');
      const storage = withCodedErrors(async () => createIdbStorage({ name: fresh() }));
      let opened = 0;
      indexedDB.open = () => {
        opened++;
        return requestWith(null);
      };
      const outcomes = Promise.allSettled([storage.get('cursor', 'n'), storage.put('cursor', [['n', 1]])]);
      for (let i = 1; i <= 2; i++) {
        await waitFor(() => expect(opened).toBe(i));
        await vi.advanceTimersByTimeAsync(10_000);
      }
      for (const outcome of await outcomes)
        expect(outcome).toMatchObject({
          status: 'rejected',
          reason: { code: -32002, message: expect.stringContaining('TimeoutError') },
        });
      expect(opened).toBe(2);
      indexedDB.open = real.open;
      await storage.put('cursor', [['n', 1]]);
      expect(await storage.get('cursor', 'n')).toBe(1);
      const limits = set.mock.results.filter((_, at) => set.mock.calls[at]?.[1] === 10_000);
      expect(limits.length).toBeGreaterThanOrEqual(5);
      expect(limits.filter(({ value }) => !cleared.mock.calls.some(([timer]) => timer === value))).toEqual(
        [],
      );
    });

    test('a database that opens too late is closed, so that it keeps no newer build from its upgrade', async () => {
      const name = fresh();
      await createIdbStorage({ name }).put('vault', [['a', 1]]);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const storage = createIdbStorage({ name });
      const closed = vi.spyOn(IDBDatabase.prototype, 'close');
      let isFirst = true;
      const waiting: IDBOpenDBRequest[] = [];
      indexedDB.open = (...args) => {
        const request = real.open.apply(indexedDB, args);
        if (!isFirst) return request;
        isFirst = false;
        waiting.push(request);
        // Its answer is held back.
        const held = (event: Event) => event.stopImmediatePropagation();
        request.addEventListener('success', held);
        const proxy = requestWith(null);
        Object.defineProperty(proxy, 'result', { get: () => request.result });
        Object.assign(waiting, { answer: () => proxy.dispatchEvent(new Event('success')) });
        return proxy;
      };
      const reading = storage.get('cursor', 'n');
      await waitFor(() => expect(waiting).toHaveLength(1));
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await reading).toBeUndefined();
      expect(closed).not.toHaveBeenCalled();
      (waiting as unknown as { answer(): void }).answer();
      await waitFor(() => expect(closed).toHaveBeenCalledTimes(1));
      closed.mockRestore();
    });

    test('a database that falls silent in an operation: it is repeated on another one', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const storage = createIdbStorage({ name: fresh() });
      await storage.put('cursor', [['n', 7]]);
      let asked = 0;
      IDBObjectStore.prototype.get = function (this: IDBObjectStore, ...args) {
        if (asked++ > 0) return real.get.apply(this, args);
        return requestWith(null) as IDBRequest;
      };
      const reading = storage.get('cursor', 'n');
      await waitFor(() => expect(asked).toBe(1));
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await reading).toBe(7);
    });

    test.each(['QuotaExceededError', 'SecurityError', 'DataError'])(
      'an error that another connection would have too is not repeated: %s',
      async (kind) => {
        const storage = createIdbStorage({ name: fresh() });
        await storage.put('cursor', [['n', 1]]);
        (losses['where a transaction begins'] as Lose)(1, kind);
        await expect(storage.get('cursor', 'n')).rejects.toMatchObject({ name: kind });
        expect(await storage.get('cursor', 'n')).toBe(1);
      },
    );
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
