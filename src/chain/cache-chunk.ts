// One lazy chunk: the cache needs the head tracker, and both load at the first repeated read.
export { createCache } from '../service/cache/cache.js';
export { createHeadTracker } from './head-tracker.js';
