import { expect, test } from 'vitest';
import { lazy } from '../../../src/async/lazy.js';

test('loads once for all calls', async () => {
  let loads = 0;
  const load = lazy(async () => ++loads);
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test('repeats a failed load at the next call', async () => {
  let loads = 0;
  const load = lazy(async () => {
    if (++loads === 1) throw new Error('offline');
    return loads;
  });
  await expect(load()).rejects.toThrow('offline');
  expect(await load()).toBe(2);
});

test('peek returns the value only when it has loaded, and does not load it', async () => {
  let loads = 0;
  const load = lazy(async () => ++loads);
  expect(load.peek()).toBeUndefined();
  expect(loads).toBe(0);
  const loading = load();
  expect(load.peek()).toBeUndefined();
  await loading;
  expect(load.peek()).toBe(1);
});

test('close disposes of a loaded value once', async () => {
  const disposed: string[] = [];
  const load = lazy(async () => 'value');
  await load();
  load.close((value) => disposed.push(value));
  load.close((value) => disposed.push(value));
  await load();
  expect(disposed).toEqual(['value']);
});

test('close disposes of a value that is loading before its callers get it', async () => {
  const log: string[] = [];
  const load = lazy(async () => 'value');
  const loading = load().then(() => log.push('loaded'));
  load.close(() => log.push('disposed'));
  expect(log).toEqual([]);
  await loading;
  expect(log).toEqual(['disposed', 'loaded']);
});

test('close does not start a load', () => {
  let loads = 0;
  const load = lazy(async () => ++loads);
  load.close(() => {});
  expect(loads).toBe(0);
});
