import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../../src/async/clock.js';
import { createThrottle } from '../../../../src/keyring/vault/throttle.js';
import { limitExceeded, unauthorized } from '../../../../src/rpc/core-errors.js';
import { createMemoryStorage } from '../../../../src/storage/memory.js';

const setup = () => {
  const storage = createMemoryStorage();
  const waits: number[] = [];
  let now = 1_000_000;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    setTimeout(run, delay) {
      waits.push(delay);
      now += delay;
      queueMicrotask(run);
    },
    clearTimeout() {},
  };
  const page = () => createThrottle(storage, clock);
  const wrong = async () => {
    throw unauthorized('Wrong password');
  };
  const fail = (throttle: ReturnType<typeof page>) =>
    expect(throttle(wrong)).rejects.toMatchObject({ code: 4100 });
  return { storage, waits, page, fail, pass: (ms: number) => (now += ms) };
};

describe('createThrottle', () => {
  test('five failures without delay, then 1 s, 2 s, 4 s … 30 s', async () => {
    const { waits, page, fail } = setup();
    const throttle = page();
    for (let i = 0; i < 5; i++) await fail(throttle);
    expect(waits).toEqual([]);
    for (let i = 0; i < 7; i++) await fail(throttle);
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test('counted across pages and reloads, and forgotten with the right password', async () => {
    const { waits, page, fail, storage } = setup();
    for (let i = 0; i < 6; i++) await fail(page());
    expect(waits).toEqual([1_000]);
    expect(await page()(async () => 'open')).toBe('open');
    expect(waits).toEqual([1_000, 2_000]);
    expect(await storage.all('vault')).toEqual([]);
    await fail(page());
    expect(waits).toHaveLength(2);
  });

  test('time that has passed counts, a clock set back waits once', async () => {
    const { waits, page, fail, pass } = setup();
    for (let i = 0; i < 6; i++) await fail(page());
    pass(1_500);
    await fail(page());
    expect(waits).toEqual([1_000, 500]);
    pass(-1_000_000);
    await fail(page());
    expect(waits).toEqual([1_000, 500, 4_000]);
  });

  test('an attempt counts while it runs, so that a reload does not undo it', async () => {
    const { page, waits, fail } = setup();
    for (let i = 0; i < 5; i++) void page()(() => new Promise(() => {}));
    await new Promise((resolve) => setTimeout(resolve));
    await fail(page());
    expect(waits).toEqual([1_000]);
  });

  test('only a wrong password counts as a failure', async () => {
    const { page, waits } = setup();
    for (let i = 0; i < 10; i++)
      await expect(
        page()(async () => {
          throw limitExceeded('no memory');
        }),
      ).rejects.toMatchObject({ code: -32005 });
    expect(waits).toEqual([]);
  });

  test('a storage that fails does not keep the right password out', async () => {
    const { storage } = setup();
    const broken = {
      ...storage,
      get: () => Promise.reject(new DOMException('x', 'UnknownError')),
      update: () => Promise.reject(new DOMException('full', 'QuotaExceededError')),
    };
    const clock = { now: () => 0, monotonic: () => 0, setTimeout: () => {}, clearTimeout: () => {} };
    expect(await createThrottle(broken, clock)(async () => 1)).toBe(1);
  });
});
