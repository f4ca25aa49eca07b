import { describe, expect, test, vi } from 'vitest';
import { createMutex } from '../../../src/async/mutex.js';

const pause = () => new Promise((resolve) => setTimeout(resolve, 2));

describe('createMutex', () => {
  test('runs one task at a time, in the order of the calls, also after a failure', async () => {
    const mutex = createMutex(null);
    const log: string[] = [];
    const work = (name: string, fails = false) =>
      mutex(async () => {
        log.push(`${name} begins`);
        await pause();
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const settled = await Promise.allSettled([work('a'), work('b', true), work('c')]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('without Web Locks (undefined or null) the callers of one mutex wait for each other', async () => {
    for (const locks of [undefined, null]) {
      vi.stubGlobal('navigator', { locks });
      const mutex = createMutex('a name');
      const log: string[] = [];
      const work = async () => {
        log.push('begins');
        await pause();
        log.push('ends');
      };
      await Promise.all([mutex(work), mutex(work)]);
      expect(log).toEqual(['begins', 'ends', 'begins', 'ends']);
    }
    vi.unstubAllGlobals();
  });

  test('holds the name as a Web Lock and rejects with the error of the task', async () => {
    const names: string[] = [];
    vi.stubGlobal('navigator', {
      locks: {
        request(name: string, work: () => unknown) {
          names.push(name);
          return work();
        },
      },
    });
    try {
      const mutex = createMutex('graft.vault');
      expect(await mutex(async () => 1)).toBe(1);
      const failure = new DOMException('mine', 'SecurityError');
      await expect(mutex(() => Promise.reject(failure))).rejects.toBe(failure);
      expect(names).toEqual(['graft.vault', 'graft.vault']);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('asks again where the browser could not run the task when it had the lock', async () => {
    let requests = 0;
    vi.stubGlobal('navigator', {
      locks: {
        async request(_name: string, work: () => unknown) {
          if (++requests === 1) throw new Error('The provided callback is no longer runnable.');
          return work();
        },
      },
    });
    try {
      expect(await createMutex('graft.vault')(async () => 'done')).toBe('done');
      expect(requests).toBe(2);
      const failure = new Error('mine');
      await expect(createMutex('graft.vault')(() => Promise.reject(failure))).rejects.toBe(failure);
      expect(requests).toBe(3);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('runs the task once where Web Locks are forbidden', async () => {
    vi.stubGlobal('navigator', {
      locks: { request: () => Promise.reject(new DOMException('opaque origin', 'SecurityError')) },
    });
    try {
      const work = vi.fn(async () => 'done');
      expect(await createMutex('graft.vault')(work)).toBe('done');
      expect(work).toHaveBeenCalledTimes(1);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
