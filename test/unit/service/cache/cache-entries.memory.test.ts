import { expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { type CacheEntry, createEntryStore } from '../../../../src/service/cache/cache-entries.js';

const entry = (answer: Partial<CacheEntry>): CacheEntry => ({
  scope: 'always',
  state: { height: 0, branch: { since: 0 }, since: 0 },
  isCertain: false,
  sentAt: 0,
  cachedAt: 0,
  ...answer,
});

test('keeps an object as JSON and other values unchanged', () => {
  const memory = createEntryStore(1_000);
  memory.put('a', entry({ result: { deep: [1] } }));
  memory.put('b', entry({ result: '0x1' }));
  memory.put('c', entry({ result: null }));
  expect(memory.get('a')).toMatchObject({ result: undefined, json: '{"deep":[1]}' });
  expect(memory.get('b')).toMatchObject(entry({ result: '0x1' }));
  expect(memory.get('c')).toMatchObject(entry({ result: null }));
  memory.remove('a');
  expect(memory.get('a')).toBeUndefined();
});

test('keeps a copy of an error', () => {
  const memory = createEntryStore(1_000);
  const error = new ProviderRpcError(3, 'execution reverted', '0x01');
  memory.put('a', entry({ error }));
  Object.assign(error, { message: 'changed' });
  expect(memory.get('a')?.error).toMatchObject({ code: 3, message: 'execution reverted', data: '0x01' });
});

test('drops the least recently used entries beyond the capacity', () => {
  const memory = createEntryStore(1_600);
  const keys = Array.from({ length: 17 }, (_, index) => `key ${String(index).padStart(2, '0')}`);
  // 6 + 94 characters each: sixteen fit.
  for (const key of keys.slice(0, 16)) memory.put(key, entry({ result: 'x'.repeat(94) }));
  memory.touch('key 00');
  memory.put('key 16', entry({ result: 'x'.repeat(94) }));
  expect(keys.filter((key) => !memory.get(key))).toEqual(['key 01']);
  // The same key again takes no more room.
  for (let again = 0; again < 50; again++) memory.put('key 16', entry({ result: 'y'.repeat(94) }));
  expect(keys.filter((key) => !memory.get(key))).toEqual(['key 01']);
});

test('keeps at most 2,048 entries', () => {
  const memory = createEntryStore(10_000_000);
  for (let index = 0; index < 5_000; index++) memory.put(`${index}`, entry({ result: '' }));
  expect(memory.get('2951')).toBeUndefined();
  expect(memory.get('2952')).toBeDefined();
});

test.each([
  ['text longer than a sixteenth of the capacity', 'x'.repeat(101)],
  ['an object longer than that', { text: 'x'.repeat(101) }],
  ['a list of more than 1,000', Array.from({ length: 1_001 }, () => 1)],
  [
    'what is too deeply nested to be written out',
    Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 0),
  ],
])('%s is not kept and removes the entry of its key', (_what, result) => {
  const memory = createEntryStore(1_600);
  memory.put('a', entry({ result: '0x1' }));
  memory.put('a', entry({ result }));
  expect(memory.get('a')).toBeUndefined();
});
