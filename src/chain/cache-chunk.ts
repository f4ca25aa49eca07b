import { createCache } from '../service/cache/cache.js';
import { createHeadTracker } from './head-tracker.js';

/** One lazy chunk: the cache needs the head tracker, and both load at the first repeated read. */
export const cacheChunk = { createCache, createHeadTracker };
