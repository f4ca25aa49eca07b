import { singleFlight } from './async/single-flight.js';
import { createFollower, type Follower } from './chain/follower.js';
import type { ObservedHead } from './chain/head-tracker.js';
import { retell } from './chain/tabs/retelling.js';
import { createSharedService, type SharedService } from './chain/tabs/shared-service.js';
import type { Hex } from './rpc/schema.js';
import type { LogRanges } from './service/logs/ranges.js';
import type { Service } from './service/service.js';
import type { Storage } from './storage/storage.js';
import { createFilters, type Filters } from './subscriptions/filters/filters.js';
import { createLogsOf } from './subscriptions/logs.js';
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.js';

/** Everything that follows the head of one chain, in one lazy chunk: most pages only read. */
export interface Following {
  /** For looks at the head: all tabs share them. */
  readonly service: SharedService;
  readonly follower: Follower;
  readonly subscriptions: Subscriptions;
  readonly filters: Filters;
  /** Ends what the page follows; the follower goes on for whoever else watches. */
  clear(): void;
  close(): void;
}

export function createFollowing(options: createFollowing.Options): Following {
  const { head, logRanges, notify, storage, origin } = options;
  const catchUp = () => void follower.catchUp().catch(() => {});
  const shared = createSharedService(options.service, {
    name: options.name,
    onHead: catchUp,
  });
  const service = head.observe(shared);
  const follower: Follower = createFollower({
    service: retell(service, head, catchUp),
    interval: head.interval,
    onRest: service.rest,
  });
  const logsOf = createLogsOf(service);
  const subscriptions = createSubscriptions({
    ...{ service, follower, logsOf, logRanges, emit: notify, storage, origin },
  });
  // What a page polls at once is answered by one look, where an answer need not be a new one.
  const look = singleFlight(follower.catchUp);
  const freshen = async () => {
    const isCurrent = head.isFresh() && head.hash() === follower.head()?.hash;
    if (!isCurrent) await (head.maxAge() > 0 ? look() : follower.catchUp());
  };
  const filters = createFilters({ service, follower, logsOf, logRanges, freshen });
  const clear = () => {
    subscriptions.clear();
    filters.clear();
  };
  return {
    service,
    follower,
    subscriptions,
    filters,
    clear,
    close() {
      clear();
      follower.stop();
      service.stop();
    },
  };
}

export declare namespace createFollowing {
  interface Options {
    /** This tab's own: what follows the chain shares it with the other tabs. */
    readonly service: Service;
    /** The wallet's. Tabs of one name, chain and service ask as one. */
    readonly name: string;
    readonly logRanges: LogRanges;
    readonly head: ObservedHead;
    /** Where the names are kept under which subscriptions go on, and whose they are. */
    readonly storage: Storage;
    readonly origin: string;
    readonly notify: (subscription: Hex, result: unknown) => void;
  }
}
