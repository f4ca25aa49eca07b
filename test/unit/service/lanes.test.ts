import { expect, test } from 'vitest';
import { inLanes } from '../../../src/service/lanes.js';
import { fc } from '../../support/property.js';

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

test('runs at most the limit at once and keeps the order of the items', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer()), fc.integer({ min: 1, max: 9 }), async (items, limit) => {
      let running = 0;
      let most = 0;
      const doubled = await inLanes(items, limit, async (item) => {
        most = Math.max(most, ++running);
        await soon();
        running--;
        return item * 2;
      });
      expect(doubled).toEqual(items.map((item) => item * 2));
      expect(most).toBe(Math.min(limit, items.length));
    }),
    { numRuns: 50 },
  );
});

test('the first failure ends it', async () => {
  const started: number[] = [];
  const failing = inLanes([1, 2, 3, 4, 5, 6], 2, async (item) => {
    started.push(item);
    await soon();
    if (item === 2) throw new Error('two');
  });
  await expect(failing).rejects.toThrow('two');
  await soon();
  await soon();
  expect(started).toEqual([1, 2, 3]);
});
