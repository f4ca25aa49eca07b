import type { HeadTracker } from '../../src/chain/head-tracker.js';
import type { Service } from '../../src/service/service.js';

/** The same service; `head` notes its answers, as in a chain runtime. */
export const observed = <Observed extends Service>(service: Observed, head: HeadTracker): Observed => ({
  ...service,
  request: (...call) => head.observe(service, ...call),
});
