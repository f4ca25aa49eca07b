import { afterEach, expect, test, vi } from 'vitest';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { withCodedErrors } from '../../../src/storage/coded.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';

const coded = (storage: Storage) => withCodedErrors(async () => storage, storage.durable);

test('passes results through', async () => {
  const storage = coded(createMemoryStorage());
  expect(await storage.update('cursor', 'a', () => 1)).toBe(1);
  await storage.put('cursor', [['b', 2]]);
  expect(await storage.get('cursor', 'a')).toBe(1);
  expect(await storage.all('cursor')).toEqual([1, 2]);
  await storage.clear('cursor', [['c', 3]]);
  expect(await storage.all('cursor')).toEqual([3]);
  expect(storage.durable).toBe(false);
});

test('a storage failure becomes -32002 without its text', async () => {
  const full = async (): Promise<never> => {
    throw new DOMException('path of a secret', 'QuotaExceededError');
  };
  const storage = coded({
    ...createMemoryStorage(),
    get: full,
    all: full,
    update: full,
    put: full,
    clear: full,
  });
  for (const failed of [
    storage.get('vault', 'a'),
    storage.all('vault'),
    storage.update('vault', 'a', () => 1),
    storage.put('vault', [['a', 1]]),
    storage.clear('vault'),
  ])
    await expect(failed).rejects.toMatchObject({
      code: -32002,
      message: "The browser's storage failed (QuotaExceededError); nothing was changed.",
      data: { reason: 'storage-full' },
    });
});

test.each([
  [new DOMException('secret', 'UnknownError'), 'UnknownError', 'storage-failed'],
  [new TypeError('secret'), 'TypeError', 'storage-failed'],
  ['secret', 'unknown', 'storage-failed'],
])('any other failure has a word of its own: %s', async (error, name, reason) => {
  const storage = coded({ ...createMemoryStorage(), get: () => Promise.reject(error) });
  await expect(storage.get('vault', 'a')).rejects.toMatchObject({
    code: -32002,
    message: expect.stringContaining(`(${name})`),
    data: { reason },
  });
});

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['a sandboxed frame', 'null', 'https:', /^This frame has no origin.*allow-same-origin/],
  ['a page that blocks storage', 'https://app.example', 'https:', /\(SecurityError\)/],
  ['a page that was opened as a file', 'null', 'file:', /\(SecurityError\)/],
])('storage that is forbidden in %s', async (_where, origin, protocol, message) => {
  vi.stubGlobal('origin', origin);
  vi.stubGlobal('location', { protocol });
  const forbidden = () => Promise.reject(new DOMException('secret', 'SecurityError'));
  const storage = coded({ ...createMemoryStorage(), get: forbidden });
  await expect(storage.get('vault', 'a')).rejects.toMatchObject({
    code: -32002,
    message: expect.stringMatching(message),
    data: { reason: 'storage-failed' },
  });
});

test('a file that did not load is no failure of the storage', async () => {
  const error = new TypeError('Failed to fetch dynamically imported module: https://cdn.example/idb.js');
  const storage = coded({ ...createMemoryStorage(), get: () => Promise.reject(error) });
  await expect(storage.get('vault', 'a')).rejects.toMatchObject({
    code: -32002,
    message: expect.stringMatching(/did not load/),
  });
});

test('a ProviderRpcError thrown by the caller passes through', async () => {
  const storage = coded(createMemoryStorage());
  const refusal = new ProviderRpcError(4100, 'no');
  const refused = storage.update('vault', 'a', () => {
    throw refusal;
  });
  await expect(refused).rejects.toBe(refusal);
});

test('loads at the first use, again after a failure, and closes what it has loaded', async () => {
  let closed = 0;
  const loads: (() => Promise<Storage>)[] = [
    () => Promise.reject(new TypeError('Failed to fetch dynamically imported module')),
    async () => ({ ...createMemoryStorage(), close: () => closed++ }),
  ];
  const storage = withCodedErrors(async () => (loads.shift() as () => Promise<Storage>)());
  expect(loads).toHaveLength(2);
  await expect(storage.get('vault', 'a')).rejects.toMatchObject({
    code: -32002,
    message: expect.stringContaining('did not load'),
  });
  expect(await storage.get('vault', 'a')).toBeUndefined();
  expect(await storage.get('vault', 'b')).toBeUndefined();
  storage.close();
  expect([loads.length, closed]).toEqual([0, 1]);
});
