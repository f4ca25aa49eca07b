import { lazy } from '../async/lazy.js';
import type { Cache } from '../service/cache/cache.js';
import type { Service } from '../service/service.js';
import type { Caching, createCaching } from './caching.js';

/** The service of a chain, and the same with a memory, which loads when a page first asks what it has asked before. */
export interface Reads {
  /** Every request goes out; what remembers sees the answers. */
  readonly service: Service;
  /** For pages: answered from memory where that holds. */
  readonly remembered: Service;
  /** The memory, loaded now. */
  readonly caching: () => Promise<Caching>;
  usage(): Cache.Usage;
}

export function createReads(options: createCaching.Options): Reads {
  const own = options.service;
  const asked = new Set<string>();
  let made: Caching | undefined;

  const caching = lazy(async () => {
    const { createCaching } = await import('./caching.js');
    made = createCaching(options);
    asked.clear();
    return made;
  });

  const service: Service = { ...own, request: (...question) => (made?.service ?? own).request(...question) };
  return {
    service,
    remembered: {
      ...own,
      request(...question) {
        if (made) return made.cache.request(...question);
        const key = JSON.stringify(question.slice(0, 2));
        if (asked.has(key)) caching().catch(() => {});
        else if (asked.size < most && key.length < longest) asked.add(key);
        return own.request(...question);
      },
    },
    caching,
    usage: () => ({ cached: {}, ...(made?.cache ?? own).usage() }),
  };
}

/** Questions, and characters of one. */
const most = 1_000;
const longest = 1_000;
