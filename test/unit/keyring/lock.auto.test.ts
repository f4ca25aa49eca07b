import { describe, expect, test, vi } from 'vitest';
import { createAutoLock } from '../../../src/keyring/lock.js';
import { createTestClock } from './clock.js';

const minute = 60_000;
const setup = (options: { idle?: () => number; absolute?: number } = {}) => {
  const clock = createTestClock();
  const expire = vi.fn();
  const autoLock = createAutoLock({
    clock,
    expire,
    idle: () => 15 * minute,
    absolute: 480 * minute,
    ...options,
  });
  autoLock.start();
  return { clock, expire, autoLock };
};

describe('createAutoLock', () => {
  test('expires by timer after the idle time', () => {
    const { clock, expire, autoLock } = setup();
    clock.advance(15 * minute - 1);
    expect(autoLock.expired()).toBe(false);
    expect(expire).not.toHaveBeenCalled();
    clock.advance(1);
    expect(expire).toHaveBeenCalledTimes(1);
    expect(autoLock.expired()).toBe(true);
  });

  test('a shorter idle time counts from the last use, also where it has passed already', () => {
    let idle = 15 * minute;
    const { clock, expire, autoLock } = setup({ idle: () => idle });
    clock.advance(2 * minute);
    idle = 5 * minute;
    autoLock.reschedule();
    clock.advance(3 * minute - 1);
    expect(expire).not.toHaveBeenCalled();
    idle = minute;
    autoLock.reschedule();
    clock.advance(0);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  test('a use restarts the idle timeout, never the absolute one', () => {
    const { clock, expire, autoLock } = setup();
    for (let i = 0; i < 47; i++) {
      clock.advance(10 * minute);
      autoLock.touch();
    }
    expect(expire).not.toHaveBeenCalled();
    clock.advance(10 * minute);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  test('expiry is seen at use after timers slept, by whichever clock advanced', () => {
    for (const [wall, steady] of [
      [16 * minute, 0],
      [0, 16 * minute],
      [-60 * minute, 16 * minute],
    ] as const) {
      const { clock, expire, autoLock } = setup();
      clock.sleep(wall, steady);
      expect(autoLock.expired()).toBe(true);
      expect(expire).not.toHaveBeenCalled();
    }
  });

  test('a clock set back does not prolong it', () => {
    const { clock, expire } = setup();
    clock.advance(10 * minute);
    clock.jump(-24 * 60 * minute);
    clock.advance(5 * minute);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  test('stopping leaves no timer', () => {
    const { clock, expire, autoLock } = setup();
    autoLock.touch();
    expect(clock.timers).toHaveLength(1);
    autoLock.stop();
    expect(clock.timers).toHaveLength(0);
    clock.advance(1_000 * minute);
    expect(expire).not.toHaveBeenCalled();
  });

  test('times longer than a timer can count', () => {
    const month = 30 * 24 * 60 * minute;
    const { clock, expire } = setup({ idle: () => 3 * month, absolute: 4 * month });
    expect(clock.timers).toEqual([2_147_483_647]);
    clock.advance(3 * month - 1);
    expect(expire).not.toHaveBeenCalled();
    clock.advance(1);
    expect(expire).toHaveBeenCalledTimes(1);
  });
});
