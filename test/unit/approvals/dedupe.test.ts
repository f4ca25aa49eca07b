import { expect, test } from 'vitest';
import { createDedupe } from '../../../src/approvals/dedupe.js';
import { limitExceeded } from '../../../src/rpc/core-errors.js';

/** Work that the test ends, and the signals that it was started with. */
function work() {
  const started: AbortSignal[] = [];
  let end: (outcome: string) => void = () => {};
  let fail: (error: Error) => void = () => {};
  return {
    started,
    end: (outcome: string) => end(outcome),
    fail: (error: Error) => fail(error),
    run: (signal: AbortSignal) => {
      started.push(signal);
      return new Promise<string>((resolve, reject) => {
        [end, fail] = [resolve, reject];
      });
    },
  };
}

test('a task runs, and its outcome is the caller’s', async () => {
  expect(await createDedupe()('a', async () => 1)).toBe(1);
});

test('callers with the same key share one outcome while the task is in flight', async () => {
  const dedupe = createDedupe();
  const { run, started, end } = work();
  const both = [dedupe('a', run), dedupe('a', run)];
  end('done');
  expect(await Promise.all(both)).toEqual(['done', 'done']);
  expect(started).toHaveLength(1);
});

test('another key, and a call after the end, start a new task', async () => {
  const dedupe = createDedupe();
  let count = 0;
  const next = async () => ++count;
  expect(await Promise.all([dedupe('a', next), dedupe('b', next)])).toEqual([1, 2]);
  expect(await dedupe('a', next)).toBe(3);
});

test('an aborted caller leaves the task to the others; the last one aborts it, and later callers start a new one', async () => {
  const dedupe = createDedupe();
  const { run, started, end } = work();
  const [one, two] = [new AbortController(), new AbortController()];
  const asked = [dedupe('a', run, one.signal), dedupe('a', run, two.signal)];
  one.abort();
  await expect(asked[0]).rejects.toMatchObject({ code: 4001 });
  expect(started[0]?.aborted).toBe(false);
  two.abort();
  const late = dedupe('a', run);
  await expect(asked[1]).rejects.toMatchObject({ code: 4001 });
  expect(started.map(({ aborted }) => aborted)).toEqual([true, false]);
  end('second');
  expect(await late).toBe('second');
});

test('a caller without a signal keeps the task running', async () => {
  const dedupe = createDedupe();
  const { run, started, end } = work();
  const gone = new AbortController();
  const stays = dedupe('a', run);
  const leaves = dedupe('a', run, gone.signal);
  gone.abort();
  await expect(leaves).rejects.toMatchObject({ code: 4001 });
  expect(started[0]?.aborted).toBe(false);
  end('done');
  expect(await stays).toBe('done');
});

test('an aborted signal starts no task', async () => {
  const { run, started } = work();
  await expect(createDedupe()('a', run, AbortSignal.abort())).rejects.toMatchObject({ code: 4001 });
  expect(started).toEqual([]);
});

test('a failure rejects all callers', async () => {
  const dedupe = createDedupe();
  const { run, fail } = work();
  const both = [dedupe('a', run), dedupe('a', run)];
  fail(limitExceeded('too many'));
  for (const each of both) await expect(each).rejects.toMatchObject({ code: -32005 });
});
