import { expect, test } from 'vitest';
import { singleFlight } from '../../../src/async/lazy.js';

function setup() {
  const ends: { resolve: (value: number) => void; reject: (error: unknown) => void }[] = [];
  const run = singleFlight(() => new Promise<number>((resolve, reject) => ends.push({ resolve, reject })));
  return { run, ends };
}

test('calls during a run share it', async () => {
  const { run, ends } = setup();
  const calls = [run(), run(), run()];
  ends[0]?.resolve(7);
  expect(await Promise.all(calls)).toEqual([7, 7, 7]);
  expect(ends).toHaveLength(1);
});

test('a call after a run starts a new one', async () => {
  const { run, ends } = setup();
  const first = run();
  ends[0]?.resolve(1);
  await first;
  const second = run();
  ends[1]?.resolve(2);
  expect(await second).toBe(2);
});

test('a failure rejects all callers of the run, and the next call starts a new one', async () => {
  const { run, ends } = setup();
  const calls = [run(), run()];
  ends[0]?.reject(new Error('no'));
  await expect(Promise.allSettled(calls)).resolves.toMatchObject([
    { reason: { message: 'no' } },
    { reason: { message: 'no' } },
  ]);
  const next = run();
  ends[1]?.resolve(3);
  expect(await next).toBe(3);
});
