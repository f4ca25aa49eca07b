import { singleFlight } from './async/single-flight.js';
import { createFollower, type Follower } from './chain/follower.js';
import type { HeadTracker } from './chain/head-tracker.js';
import { createSharedService, type SharedService } from './chain/tabs/shared-service.js';
import type { Hex } from './rpc/schema.js';
import type { LogRanges } from './service/logs/ranges.js';
import type { Service } from './service/service.js';
import type { Storage } from './storage/storage.js';
import { createFilters, type Filters } from './subscriptions/filters/filters.js';
import { createLogsOf } from './subscriptions/logs.js';
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.js';

/** Everything that follows the head of one chain: a lazy chunk, since most pages only read. */
export interface Following {
  /** Shared with the other tabs of the origin. */
  readonly service: SharedService;
  readonly follower: Follower;
  readonly subscriptions: Subscriptions;
  readonly filters: Filters;
  /** Ends all subscriptions and filters of the page; other watchers of the follower stay. */
  clear(): void;
  close(): void;
}

export function createFollowing(options: createFollowing.Options): Following {
  const { head, logRanges, notify, storage, origin } = options;
  const catchUp = () => void follower.catchUp().catch(() => {});
  const service = createSharedService(options.service, {
    name: options.name,
    onHead: catchUp,
    onAnswer: head.note,
  });
  const follower: Follower = createFollower({
    service,
    latest: head.createReader(catchUp).latest,
    interval: head.interval,
    onIdle: service.rest,
  });
  const logsOf = createLogsOf(service);
  const subscriptions = createSubscriptions({
    service,
    follower,
    logsOf,
    logRanges,
    emit: notify,
    storage,
    origin,
  });
  const sharedCatchUp = singleFlight(follower.catchUp);
  const freshen = async () => {
    const isCurrent = head.isFresh() && head.hash() === follower.head()?.hash;
    // Filters polled at the same time share a poll, unless every answer must be a new one.
    if (!isCurrent) await (head.maxAge() > 0 ? sharedCatchUp() : follower.catchUp());
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
    /** This tab's own; the shared service is built on it. */
    readonly service: Service;
    /** Of the wallet. Tabs with the same name, chain and endpoints share requests. */
    readonly name: string;
    readonly logRanges: LogRanges;
    readonly head: HeadTracker;
    /** Keeps the cursors of durable subscriptions. */
    readonly storage: Storage;
    /** Whose cursors they are. */
    readonly origin: string;
    readonly notify: (subscription: Hex, result: unknown) => void;
  }
}
