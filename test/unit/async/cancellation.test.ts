import { expect, test } from 'vitest';
import { withTimeout } from '../../../src/async/cancellation.js';

test('resolves with the result of a task that is fast enough', async () => {
  expect(await withTimeout(1_000, async () => 1)).toBe(1);
});

test('resolves with undefined when the task fails or takes too long', async () => {
  expect(await withTimeout(1_000, () => Promise.reject(new Error('no')))).toBeUndefined();
  expect(await withTimeout(1, () => new Promise(() => {}))).toBeUndefined();
});
