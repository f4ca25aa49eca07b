import { expect, test } from 'vitest';
import { lazy } from '../../../src/async/lazy.js';

test('default', async () => {
  let loads = 0;
  const load = lazy(async () => ++loads);
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test('a load that failed is tried again', async () => {
  let loads = 0;
  const load = lazy(async () => {
    if (++loads === 1) throw new Error('offline');
    return loads;
  });
  await expect(load()).rejects.toThrow('offline');
  expect(await load()).toBe(2);
});
