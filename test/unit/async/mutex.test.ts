import { describe, expect, test, vi } from 'vitest';
import { createExclusive } from '../../../src/async/mutex.js';

const pause = () => new Promise((resolve) => setTimeout(resolve, 2));

describe('createExclusive', () => {
  test('one at a time, in the order asked, whatever becomes of each', async () => {
    const exclusive = createExclusive(null);
    const log: string[] = [];
    const work = (name: string, fails = false) =>
      exclusive(async () => {
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

  test('without Web Locks, absent or null, the callers of this function wait for each other', async () => {
    for (const locks of [undefined, null]) {
      vi.stubGlobal('navigator', { locks });
      const exclusive = createExclusive('a name');
      const log: string[] = [];
      const work = async () => {
        log.push('begins');
        await pause();
        log.push('ends');
      };
      await Promise.all([exclusive(work), exclusive(work)]);
      expect(log).toEqual(['begins', 'ends', 'begins', 'ends']);
    }
    vi.unstubAllGlobals();
  });

  test('a name is held as a Web Lock, and its errors are those of the work', async () => {
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
      const exclusive = createExclusive('graft.vault');
      expect(await exclusive(async () => 1)).toBe(1);
      const failure = new DOMException('mine', 'SecurityError');
      await expect(exclusive(() => Promise.reject(failure))).rejects.toBe(failure);
      expect(names).toEqual(['graft.vault', 'graft.vault']);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('where Web Locks are forbidden the work is done all the same, once', async () => {
    vi.stubGlobal('navigator', {
      locks: { request: () => Promise.reject(new DOMException('opaque origin', 'SecurityError')) },
    });
    try {
      const work = vi.fn(async () => 'done');
      expect(await createExclusive('graft.vault')(work)).toBe('done');
      expect(work).toHaveBeenCalledTimes(1);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
