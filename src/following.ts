import { createFollower, type Follower } from './chain/follower.js';
import type { Hex } from './rpc/schema.js';
import type { Service } from './service/service.js';
import { createFilters, type Filters } from './subscriptions/filters.js';
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.js';

/** Everything that follows the head of one chain, in one lazy chunk: most pages only read. */
export interface Following {
  readonly follower: Follower;
  readonly subscriptions: Subscriptions;
  readonly filters: Filters;
  /** Ends what the page follows; the follower goes on for whoever else watches. */
  clear(): void;
  close(): void;
}

export function createFollowing(options: createFollowing.Options): Following {
  const { service, notify, interval } = options;
  const follower = createFollower({ service, ...(interval !== undefined && { interval }) });
  const subscriptions = createSubscriptions({ service, follower, emit: notify });
  const filters = createFilters({ service, follower });
  const clear = () => {
    subscriptions.clear();
    filters.clear();
  };
  return {
    follower,
    subscriptions,
    filters,
    clear,
    close() {
      clear();
      follower.stop();
    },
  };
}

export declare namespace createFollowing {
  interface Options {
    readonly service: Service;
    readonly notify: (subscription: Hex, result: unknown) => void;
    /** Milliseconds between two looks at the head. */
    readonly interval?: number | undefined;
  }
}
