import 'fake-indexeddb/auto';
import { describe, expect, test } from 'vitest';
import { createIdbStorage } from '../../../../src/storage/idb.js';
import { createMemoryStorage } from '../../../../src/storage/memory.js';
import { type Batch, createBatchStore } from '../../../../src/transactions/batches/batch-store.js';

const origin = 'https://app.example';
const from = `0x${'aa'.repeat(20)}` as const;
const other = `0x${'bb'.repeat(20)}` as const;
const day = 86_400_000;
const batch = (change: Partial<Batch> = {}): Batch => ({
  id: 'one',
  origin,
  from,
  chainId: 31,
  createdAt: 10 * day,
  calls: [{ hash: `0x${'01'.repeat(32)}`, to: other, value: '0x1' }],
  ...change,
});

let count = 0;
describe.each([
  ['memory', () => createMemoryStorage()],
  ['IndexedDB', () => createIdbStorage({ name: `batches-${++count}` })],
])('%s', (_, storage) => {
  test('a recorded batch is found by its id, origin and sender', async () => {
    const batches = createBatchStore(storage());
    await batches.record(batch());
    expect(await batches.find(origin, from, 'one')).toEqual(batch());
    expect(await batches.find(origin, from, 'two')).toBeUndefined();
  });

  test('an id belongs to one sender of one origin', async () => {
    const batches = createBatchStore(storage());
    await batches.record(batch());
    await batches.record(batch({ from: other }));
    await batches.record(batch({ origin: 'https://two.example' }));
    expect(await batches.find(origin, other, 'one')).toEqual(batch({ from: other }));
  });

  test('an id in use is 5720, and its batch stays', async () => {
    const batches = createBatchStore(storage());
    await batches.record(batch());
    await expect(batches.record(batch({ chainId: 30 }))).rejects.toMatchObject({ code: 5720 });
    expect(await batches.find(origin, from, 'one')).toEqual(batch());
    await batches.remove(batch());
    await batches.record(batch({ chainId: 30 }));
  });
});

test('EIP-5792 (9) kept for a day whatever their number, and the newest for longer', async () => {
  const storage = createMemoryStorage();
  const batches = createBatchStore(storage);
  const many = (name: string, createdAt: number, number: number) =>
    storage.put(
      'calls',
      Array.from({ length: number }, (_, i) => {
        const each = batch({ id: `${name}${i}`, createdAt });
        return [`${origin} ${from} ${each.id}`, each] as const;
      }),
    );
  await many('old', 8 * day, 400);
  await many('fresh', 9.5 * day, 400);
  await batches.record(batch());
  const ids = ((await storage.all('calls')) as Batch[]).map(({ id }) => id);
  expect(ids.filter((id) => id.startsWith('fresh'))).toHaveLength(400);
  expect(ids).toHaveLength(500);
  await many('later', 10 * day, 600);
  await batches.record(batch({ id: 'two' }));
  expect(await storage.all('calls')).toHaveLength(400 + 600 + 2);
});

test('the batches of one origin delete none of another, and are refused beyond a thousand in a day', async () => {
  const storage = createMemoryStorage();
  const batches = createBatchStore(storage);
  const many = (name: string, createdAt: number, number: number) =>
    storage.put(
      'calls',
      Array.from({ length: number }, (_, i) => {
        const each = batch({ id: `${i}`, createdAt, origin: name });
        return [`${name} ${from} ${each.id}`, each] as const;
      }),
    );
  const hostile = 'https://hostile.example';
  await many(origin, 5 * day, 400);
  await many(hostile, 9.5 * day, 999);
  await batches.requireRoom(hostile, 10 * day);
  await batches.record(batch({ origin: hostile, id: 'last' }));
  expect(await storage.all('calls', `${origin} `)).toHaveLength(400);
  await expect(batches.requireRoom(hostile, 10 * day)).rejects.toMatchObject({
    code: -32005,
    data: { reason: 'stored' },
  });
  await batches.requireRoom(origin, 10 * day);
  await batches.requireRoom(hostile, 11 * day);
});

test('a database of before keeps its records when the store is added', async () => {
  const name = 'before';
  await new Promise<void>((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      for (const store of ['vault', 'journal', 'cursor']) opening.result.createObjectStore(store);
      opening.transaction?.objectStore('vault').put('secret', 'a');
    };
    opening.onsuccess = () => {
      opening.result.close();
      resolve();
    };
    opening.onerror = reject;
  });
  const storage = createIdbStorage({ name });
  await createBatchStore(storage).record(batch());
  expect(await storage.get('vault', 'a')).toBe('secret');
  expect(await storage.all('calls')).toEqual([batch()]);
});
