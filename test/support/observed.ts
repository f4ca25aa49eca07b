import type { HeadTracker } from '../../src/chain/head-tracker.js';
import type { Service } from '../../src/service/service.js';

/** The same service; `head` notes its answers, as in a chain runtime. */
export const observed = <Observed extends Service>(service: Observed, head: HeadTracker): Observed => ({
  ...service,
  async request(...call) {
    const tracked = head.begin(...call);
    try {
      const result = await service.request(...call);
      tracked.answered(result);
      return result;
    } finally {
      tracked.ended();
    }
  },
});
