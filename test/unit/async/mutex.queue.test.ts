import { expect, test } from 'vitest';
import { createQueue } from '../../../src/async/mutex.js';

test('runs tasks one after another in the order of the calls, also after a failure', async () => {
  const queue = createQueue();
  const log: string[] = [];
  const add = (name: string, fails = false) =>
    queue(async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const settled = await Promise.allSettled([add('a'), add('b', true), add('c')]);
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(settled).toMatchObject([{ value: 'a' }, { reason: { message: 'b' } }, { value: 'c' }]);
});
