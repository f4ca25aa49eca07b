import { expect, test } from 'vitest';
import { createFairQueue } from '../../../src/approvals/approvals.js';

/** Adds a task for each letter, its key, and returns the order in which they ran. */
async function orderOf(letters: string, maxInRow: number) {
  const queue = createFairQueue(maxInRow);
  let order = '';
  await Promise.all(
    [...letters].map((key) =>
      queue(key, async () => {
        order += key;
        await undefined;
      }),
    ),
  );
  return order;
}

test('tasks of one key run in the order of the calls, one after another', async () => {
  const queue = createFairQueue(1);
  const seen: string[] = [];
  await Promise.all(
    [1, 2, 3].map((each) =>
      queue('a', async () => {
        seen.push(`${each} begins`);
        await undefined;
        seen.push(`${each} ends`);
      }),
    ),
  );
  expect(seen).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends']);
});

test('keys take turns, with as many tasks in a row as they may have', async () => {
  expect(await orderOf('aaaabbc', 1)).toBe('abcabaa');
  expect(await orderOf('aaaabbc', 3)).toBe('aaabbca');
  expect(await orderOf('abab', 2)).toBe('aabb');
});

test('a task that fails rejects for its caller, and the next one runs', async () => {
  const queue = createFairQueue(1);
  const failed = queue('a', async () => {
    throw new Error('failed');
  });
  const next = queue('b', async () => 'done');
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('done');
});
