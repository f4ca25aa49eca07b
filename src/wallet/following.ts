import { lazy, singleFlight } from '../async/lazy.js';
import { createFollower, type Follower } from '../chain/follower.js';
import type { HeadTracker } from '../chain/head-tracker.js';
import type { HeadSource } from '../chain/heads/head-source.js';
import type { createPushedHeads, PushedHeads } from '../chain/heads/pushed-heads.js';
import { livePollingInterval } from '../chain/tabs/shareable-requests.js';
import { createSharedService, type SharedService } from '../chain/tabs/shared-service.js';
import type { Following } from '../methods/context.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { own } from '../rpc/own.js';
import type { Hex } from '../rpc/schema.js';
import type { LogRanges } from '../service/logs/ranges.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';
import type { Storage } from '../storage/storage.js';
import { createFilters } from '../subscriptions/filters/filters.js';
import { createSubscriptions } from '../subscriptions/subscriptions.js';

/** Where new heads of a network are pushed, as lazy chunks. If one does not load, the head is polled. */
export async function loadPush(network: Network): Promise<createFollowing.Push | undefined> {
  const { push, poll } = own(network);
  if (push === undefined && poll !== 'filter') return undefined;
  try {
    const [{ createPushedHeads }, createSource] = await Promise.all([
      import('../chain/heads/pushed-heads.js'),
      loadSource(push, network.urls[0] as string),
    ]);
    return { createPushedHeads, createSource };
  } catch {
    return undefined;
  }
}

async function loadSource(
  url: string | undefined,
  serviceUrl: string,
): Promise<createFollowing.Push['createSource']> {
  if (url === undefined) {
    const { createFilterSource } = await import('../chain/heads/filter-source.js');
    return (service, interval) => createFilterSource({ service, interval });
  }
  const { createSocketSource, isSameOrigin } = await import('../chain/heads/socket-source.js');
  // A socket at the service's origin is trusted like the service.
  return () => createSocketSource({ url, takesBlocks: isSameOrigin(url, serviceUrl) });
}

export function createFollowing(given: createFollowing.Options): Following {
  const options = own(given);
  const { head, logRanges, notify, storage, origin, observation, push } = options;
  const { chainId } = options.service.network;
  const catchUp = () => follower.catchUp(service.isLive()).catch(() => {});
  const isFollowing = () => follower.links().length > 0;
  const ports = { clock: options.ports?.clock, visibility: options.ports?.visibility };
  const pushed: PushedHeads | undefined = push?.createPushedHeads({
    ...ports,
    service: options.service,
    source: push.createSource(options.service, head.interval),
    poll: () =>
      isFollowing()
        ? follower.catchUp(true)
        : service.request('eth_getBlockByNumber', ['latest', false], { maxAge: 0 }),
    isKnown: (hash) => follower.links().some((link) => link.hash === hash),
    isFollowing,
    interval: head.interval,
    onLost() {
      service.endPush();
      follower.catchUp(true).catch(() => {});
    },
    onAnswer: head.note,
    accepts: options.accepts,
  });
  const service: SharedService = createSharedService(pushed?.service ?? options.service, {
    ...own(options.ports),
    name: options.name,
    onHead: catchUp,
    onAnswer: head.note,
    accepts: options.accepts,
    dapp: options.dapp,
    observation,
    onSends: pushed?.setActive,
    isPushed: pushed?.isLive,
    isFollowing,
  });
  const rarely = () => Math.max(livePollingInterval, head.interval());
  // Another tab polls as usual: the leader answers it from memory, and one that does not is replaced.
  const interval = (failing: boolean) => (pushed?.isLive() && !failing ? rarely() : head.interval());
  const maxAge = () => (service.isLive() ? rarely() : head.interval());
  const follower: Follower = createFollower({
    ...ports,
    service,
    latest: head.createReader(() => void catchUp()),
    interval,
    maxAge,
    onIdle: service.rest,
    onStep: (step) => observation?.by?.step(chainId, step),
  });
  const logEvents = lazy(async () => {
    const [{ createLogEvents }, ranges] = await Promise.all([
      import('../subscriptions/log-events.js').catch(throwNotLoaded),
      logRanges().catch(throwNotLoaded),
    ]);
    return createLogEvents({ service, follower, logRanges: ranges });
  });
  const sources = { service, follower, logEvents };
  const subscriptions = createSubscriptions({ ...sources, emit: notify, storage, origin, observation });
  const sharedCatchUp = singleFlight(follower.catchUp);
  const freshen = async () => {
    const isCurrent = head.isFresh() && head.hash() === follower.head()?.hash;
    // Filters polled at the same time share a poll, unless every answer must be a new one.
    if (!isCurrent) await (head.maxAge() > 0 ? sharedCatchUp() : follower.catchUp());
  };
  const filters = createFilters({ ...sources, freshen });
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
      pushed?.close();
    },
  };
}

export declare namespace createFollowing {
  interface Push {
    readonly createPushedHeads: (options: createPushedHeads.Options) => PushedHeads;
    /** @param interval milliseconds between two polls of the head */
    readonly createSource: (service: Service, interval: () => number) => HeadSource;
  }
  interface Options extends Pick<createSharedService.Options, 'accepts' | 'dapp' | 'name' | 'observation'> {
    /** This tab's own; the shared service is built on it. */
    readonly service: Service;
    readonly logRanges: () => Promise<LogRanges>;
    readonly head: HeadTracker;
    /** Where new heads are pushed: lazy chunks. */
    readonly push?: createFollowing.Push | undefined;
    /** Keeps the cursors of durable subscriptions. */
    readonly storage: Storage;
    /** Origin that the cursors belong to. */
    readonly origin: string;
    readonly notify: (subscription: Hex, result: unknown) => void;
    /** Default: those of the page. */
    readonly ports?:
      | Pick<createSharedService.Options, 'clock' | 'visibility' | 'locks' | 'open' | 'random'>
      | undefined;
  }
}
