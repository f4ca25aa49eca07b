import { expect, test } from 'vitest';
import { together } from '../../../src/async/single-flight.js';

function setup() {
  const ends: { resolve: (value: number) => void; reject: (error: unknown) => void }[] = [];
  const run = together(() => new Promise<number>((resolve, reject) => ends.push({ resolve, reject })));
  return { run, ends };
}

test('whoever asks while it runs gets what is under way', async () => {
  const { run, ends } = setup();
  const asked = [run(), run(), run()];
  ends[0]?.resolve(7);
  expect(await Promise.all(asked)).toEqual([7, 7, 7]);
  expect(ends).toHaveLength(1);
});

test('whoever asks afterwards gets a new one', async () => {
  const { run, ends } = setup();
  const first = run();
  ends[0]?.resolve(1);
  await first;
  const second = run();
  ends[1]?.resolve(2);
  expect(await second).toBe(2);
});

test('is everybody’s, and the next one runs again', async () => {
  const { run, ends } = setup();
  const asked = [run(), run()];
  ends[0]?.reject(new Error('no'));
  await expect(Promise.allSettled(asked)).resolves.toMatchObject([
    { reason: { message: 'no' } },
    { reason: { message: 'no' } },
  ]);
  const next = run();
  ends[1]?.resolve(3);
  expect(await next).toBe(3);
});
