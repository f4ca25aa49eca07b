import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLock, type Lock } from '../../../src/keyring/lock.js';
import { waitFor } from '../../support/wait-for.js';
import { createTestClock } from './clock.js';

const opened: Lock<unknown>[] = [];
let channels = 0;
afterEach(() => {
  for (const lock of opened.splice(0)) lock.lock();
});

const setup = (channelName: string | null = `lock-${++channels}`) => {
  const clock = createTestClock();
  const lock = createLock<string>({ clock, idle: () => 1_000, absolute: 5_000, channelName });
  opened.push(lock);
  const seen: boolean[] = [];
  lock.watch((locked) => seen.push(locked));
  return { clock, lock, seen, channelName };
};
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

describe('createLock', () => {
  test('holds a value between unlock and lock, and emits each once', () => {
    const { lock, seen } = setup();
    expect(lock.held()).toBeNull();
    lock.unlock('a');
    lock.unlock('b');
    lock.replace('c');
    expect(lock.held()).toBe('c');
    lock.lock();
    lock.lock();
    expect(lock.held()).toBeNull();
    lock.replace('d');
    expect(lock.held()).toBeNull();
    expect(seen).toEqual([false, true]);
  });

  test('it locks after the idle timeout, by timer or at use', () => {
    const { lock, clock, seen } = setup();
    lock.unlock('a');
    clock.advance(900);
    lock.touch();
    clock.advance(900);
    expect(lock.held()).toBe('a');
    clock.advance(100);
    expect(seen).toEqual([false, true]);
    lock.unlock('a');
    clock.sleep(2_000, 0);
    expect(lock.held()).toBeNull();
    expect(seen).toEqual([false, true, false, true]);
  });

  describe('with something that needs no person', () => {
    const keeping = (keeps = () => true) => {
      const clock = createTestClock();
      const lock = createLock<string>({
        ...{ clock, keeps, idle: () => 1_000, absolute: 5_000 },
        channelName: `lock-${++channels}`,
      });
      opened.push(lock);
      const seen: boolean[] = [];
      lock.watch((locked) => seen.push(locked));
      lock.unlock('a');
      return { clock, lock, seen };
    };

    test('keeps the value after the idle timeout until the absolute one', () => {
      const { clock, lock, seen } = keeping();
      expect(lock.kept()).toBe('a');
      clock.advance(1_000);
      expect([lock.held(), lock.kept(), seen]).toEqual([null, 'a', [false, true]]);
      lock.replace('b');
      expect([lock.held(), lock.kept()]).toEqual([null, 'b']);
      clock.advance(3_999);
      expect(lock.kept()).toBe('b');
      clock.advance(1);
      expect([lock.kept(), seen]).toEqual([null, [false, true]]);
    });

    test('drops it after the absolute timeout, also where no timer has run', () => {
      const { clock, lock } = keeping();
      clock.advance(1_000);
      clock.sleep(4_000, 0);
      expect(lock.kept()).toBeNull();
    });

    test.each<[string, (lock: Lock<string>) => void]>([
      ['locking', (lock) => lock.lock()],
      ['locking this page', (lock) => lock.lockHere()],
      ['closing', (lock) => lock.close()],
    ])('drops it at once by %s', (_, act) => {
      const { clock, lock } = keeping();
      clock.advance(1_000);
      expect(lock.kept()).toBe('a');
      act(lock);
      expect(lock.kept()).toBeNull();
    });

    test('drops it when another page locks', async () => {
      const { clock, lock } = keeping();
      clock.advance(1_000);
      const { lock: other } = setup(`lock-${channels}`);
      other.lock();
      await waitFor(() => expect(lock.kept()).toBeNull());
    });

    test('keeps nothing while nothing needs it, and nothing of an earlier unlock', () => {
      const { clock, lock } = keeping(() => false);
      clock.advance(1_000);
      expect(lock.kept()).toBeNull();
      const again = keeping();
      again.clock.advance(1_000);
      again.lock.unlock('b');
      expect([again.lock.held(), again.lock.kept(), again.seen]).toEqual(['b', 'b', [false, true, false]]);
      again.lock.lock();
      expect(again.lock.kept()).toBeNull();
    });
  });

  test('locks reach other pages; uses and other messages do not', async () => {
    const { lock: a, channelName, clock } = setup();
    const { lock: b, seen } = setup(channelName);
    const { lock: other } = setup();
    a.unlock('a');
    b.unlock('b');
    other.unlock('c');
    const stranger = new BroadcastChannel(channelName as string);
    stranger.postMessage('unlock');
    stranger.postMessage({ type: 'lock' });
    clock.advance(1_000);
    await settled();
    expect(a.held()).toBeNull();
    expect(b.held()).toBe('b');
    // From a page that is locked itself.
    a.lock();
    await waitFor(() => expect(b.held()).toBeNull());
    expect(seen).toEqual([false, true]);
    expect(other.held()).toBe('c');
    stranger.close();
  });

  test('telling the others leaves this page as it is', async () => {
    const { lock: a, channelName } = setup();
    const { lock: b } = setup(channelName);
    a.unlock('a');
    b.unlock('b');
    a.lockOthers();
    await waitFor(() => expect(b.held()).toBeNull());
    expect(a.held()).toBe('a');
  });

  test('closing locks this page alone, stops its timer and channel, and is final', async () => {
    const { lock: a, channelName, clock, seen } = setup();
    const { lock: b } = setup(channelName);
    a.unlock('a');
    b.unlock('b');
    expect(clock.timers).toHaveLength(1);
    a.close();
    a.close();
    a.lock();
    expect([a.held(), seen, clock.timers]).toEqual([null, [false, true], []]);
    a.watch((locked) => seen.push(locked));
    for (const refused of [() => a.unlock('a'), () => a.requireOpen()])
      expect(refused).toThrow(expect.objectContaining({ code: 4900 }));
    expect(a.held()).toBeNull();
    await settled();
    expect(b.held()).toBe('b');
    expect(seen).toEqual([false, true]);
  });

  test('a watcher that throws stops neither the other watchers nor the lock', () => {
    const raised: (() => void)[] = [];
    vi.stubGlobal('queueMicrotask', (run: () => void) => raised.push(run));
    try {
      const { lock, clock } = setup(null);
      const seen: boolean[] = [];
      lock.watch((locked) => {
        throw new Error(`watcher ${locked}`);
      });
      lock.watch((locked) => seen.push(locked));
      lock.unlock('a');
      expect(lock.held()).toBe('a');
      lock.lock();
      lock.unlock('a');
      clock.advance(1_000);
      lock.unlock('a');
      lock.close();
      expect(lock.held()).toBeNull();
      expect(seen).toEqual([false, true, false, true, false, true]);
      // The page's own error handler hears of each.
      expect(raised).toHaveLength(6);
      expect(raised[0]).toThrow('watcher false');
      expect(raised[1]).toThrow('watcher true');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('leaving the page locks it', () => {
    const listeners = new Map<string, () => void>();
    vi.stubGlobal('addEventListener', (type: string, listener: () => void) => listeners.set(type, listener));
    vi.stubGlobal('removeEventListener', (type: string) => listeners.delete(type));
    try {
      const { lock } = setup(null);
      expect(listeners.size).toBe(0);
      lock.unlock('a');
      listeners.get('pagehide')?.();
      expect(lock.held()).toBeNull();
      expect(listeners.size).toBe(0);
      lock.unlock('a');
      expect(listeners.size).toBe(1);
      lock.close();
      expect(listeners.size).toBe(0);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('a removed watcher is not called; one added twice is called twice', () => {
    const { lock } = setup(null);
    const seen: boolean[] = [];
    const listener = (locked: boolean) => seen.push(locked);
    const leave = lock.watch(listener);
    lock.watch(listener);
    lock.unlock('a');
    leave();
    lock.lock();
    expect(seen).toEqual([false, false, true]);
  });
});
