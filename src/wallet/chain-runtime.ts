import { type Lazy, lazy } from '../async/lazy.js';
import type { HeadTracker } from '../chain/head-tracker.js';
import type { Following } from '../methods/context.js';
import { own } from '../rpc/own.js';
import type { Cache } from '../service/cache/cache.js';
import { createService } from '../service/client.js';
import type { DescribeRevert } from '../service/errors/solidity-errors.js';
import type { LogRanges } from '../service/logs/ranges.js';
import { isOnThisMachine, type Network } from '../service/networks.js';
import type { RateLimits } from '../service/rate-limit/limits.js';
import { asPerson, noDapp, type Service, withPriority } from '../service/service.js';
import { createSteadyService } from '../service/steady/steady-service.js';
import { createLocalMemory } from '../session/memory.js';
import type { createFollowing } from './following.js';

/**
 * The services of one chain, layer by layer (`test/perf/walks.test.ts` counts what a request passes):
 *
 *     client     HTTP, retries, requests in flight, rate limits     service/client.ts
 *     1 fresh    takes back nothing that was shown, and has the head tracker note each answer
 *                                                                   service/steady/steady-service.ts
 *     2 cached   answers repeated reads                             service/cache/cache.ts
 *     2 sends, person, background   set priority and payer          service/service.ts
 *     2 shared   one request for all tabs, for `following()`        chain/tabs/shared-service.ts
 */
export interface ChainRuntime {
  readonly reads: {
    /** For pages: a repeated read is answered from the cache. Its object changes when the cache has loaded. */
    readonly cached: Service;
    /** Each read is a request. */
    readonly fresh: Service;
  };
  /** For the questions of the dapp, for which a person waits: sends, and the reads before a signature. */
  readonly sends: Service;
  /** For what the person does in the wallet itself, which is charged to no dapp. */
  readonly person: Service;
  /** For background work that no person or page waits for. */
  readonly background: Service;
  readonly logRanges: () => Promise<LogRanges>;
  /** Follows the head for subscriptions and filters; `following.peek()` does not start it. */
  readonly following: Lazy<Following>;
  /** Loads with the cache. */
  readonly head: () => Promise<HeadTracker>;
  usage(): Cache.Usage;
  close(): void;
}

export function createChainRuntime(given: createChainRuntime.Options): ChainRuntime {
  const options = own(given);
  const { network, limits, requireOpen, observation, createClient = createService } = options;

  // Local endpoints are not rate-limited unless the options say so.
  const isLimited = limits !== undefined || !network.urls.every(isOnThisMachine);
  const limiter = lazy(async () => {
    const { createLimiter } = await import('../service/rate-limit/limiter.js');
    const { changed: onChange, connected } = options;
    return createLimiter({ network, limits, memory: createLocalMemory, onChange, connected });
  });

  const client = createClient({
    network,
    describeRevert: options.describeRevert,
    limiter: isLimited ? limiter : undefined,
    observation,
    onContradicted: options.changed,
    dapp: options.dapp,
  });
  client.watch(options.onReachable);

  const fresh = createSteadyService({ service: client, requireOpen, head: () => cache.peek()?.head });
  const sends = withPriority(fresh, 'person');
  const person = asPerson(fresh);
  const background = withPriority(fresh, 'background', noDapp);

  // Loads at the first repeated read: many pages have none.
  const cache = lazy(async () => {
    const { createCache, createHeadTracker } = (await import('../chain/cache-chunk.js')).cacheChunk;
    const head = createHeadTracker({
      service: () => following.peek()?.service ?? fresh,
      interval: options.pollingInterval,
      onHead: (block) => observation?.by?.head(network.chainId, block),
      // A page that polls again and again shares its polls with the other tabs.
      onRepeatedPoll: () => void following().catch(() => {}),
    });
    firstReads.clear();
    return { head, service: createCache({ service: fresh, head, observation }) };
  });
  const firstReads = new Set<string>();
  const uncached: Service = {
    ...fresh,
    request(...call) {
      const key = JSON.stringify(call.slice(0, 2));
      if (firstReads.has(key)) cache().catch(() => {});
      else if (firstReads.size < maxKeys && key.length < maxKeyLength) firstReads.add(key);
      return fresh.request(...call);
    },
  };

  const logRanges = lazy(async () => {
    const [{ createLogRanges }, { head, service }] = await Promise.all([
      import('../service/logs/ranges.js'),
      cache(),
    ]);
    return createLogRanges(service.lasting, { head });
  });

  const following = lazy(async () => {
    const [chunk, { head }] = await Promise.all([import('./following.js'), cache()]);
    return chunk.createFollowing({
      ...options,
      service: fresh,
      head: {
        ...head,
        note(...answer) {
          fresh.note(...answer);
          head.note(...answer);
        },
      },
      accepts: fresh.accepts,
      logRanges,
      push: await chunk.loadPush(network),
    });
  });

  return {
    reads: {
      get cached() {
        return cache.peek()?.service ?? uncached;
      },
      fresh,
    },
    sends,
    person,
    background,
    logRanges,
    following,
    head: async () => (await cache()).head,
    usage: () => ({
      cached: {},
      ...(cache.peek()?.service ?? client).usage(),
      // Includes the requests that other tabs answered.
      ...following.peek()?.service.usage(),
      verified: client.verification?.peek()?.usage(),
    }),
    close() {
      following.close((loaded) => loaded.close());
      limiter.close((loaded) => loaded.close());
    },
  };
}

/** Reads that are remembered until one is repeated, and characters of each. */
const maxKeys = 1_000;
const maxKeyLength = 1_000;

export declare namespace createChainRuntime {
  interface Options
    extends Pick<createFollowing.Options, 'dapp' | 'name' | 'notify' | 'observation' | 'origin' | 'storage'> {
    readonly network: Network;
    /** Rate limits of the endpoints, if configured. */
    readonly limits: RateLimits | undefined;
    readonly describeRevert?: DescribeRevert | undefined;
    /** Milliseconds between two polls of the head; default: by the observed block time. */
    readonly pollingInterval?: number | undefined;
    /** Throws once the wallet is closed. */
    readonly requireOpen: () => void;
    /** Called when the service becomes reachable or unreachable. */
    readonly onReachable: (reachable: boolean) => void;
    /** Called when the state of the daily quota changes, and when a reply was contradicted. */
    readonly changed: () => void;
    /** The dapps that the person has connected. */
    readonly connected?: (() => Iterable<string>) | undefined;
    /** Default {@link createService}, over HTTP. */
    readonly createClient?: ((options: createService.Options) => Service) | undefined;
  }
}
