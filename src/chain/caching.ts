import { type Cache, createCache } from '../service/cache/cache.js';
import type { Service } from '../service/service.js';
import { createHead, type ObservedHead } from './head-tracker.js';

/** What remembers what the pages of one chain read, in one lazy chunk: some pages ask nothing twice. */
export interface Caching {
  readonly head: ObservedHead;
  /** The service itself, seen by the head. */
  readonly service: Service;
  readonly cache: Cache;
}

export function createCaching(options: createCaching.Options): Caching {
  const { shared, interval, onRepeat } = options;
  const head = createHead({ service: () => shared() ?? service, interval, onRepeat });
  const service = head.observe(options.service);
  return { head, service, cache: createCache({ service, head }) };
}

export declare namespace createCaching {
  interface Options extends Pick<createHead.Options, 'interval' | 'onRepeat'> {
    readonly service: Service;
    /** What shares looks with other tabs, once it has loaded. It is observed. */
    readonly shared: () => Service | undefined;
  }
}
