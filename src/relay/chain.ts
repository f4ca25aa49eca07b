import { type Clock, systemClock } from '../async/clock.js';
import type { BlockLink } from '../chain/blocks.js';
import { createFollower, type Follower } from '../chain/follower.js';
import { createHeadTracker } from '../chain/head-tracker.js';
import { isHeadPoll } from '../chain/tabs/shareable-requests.js';
import type { SharedService } from '../chain/tabs/shared-service.js';
import type { Observation, Observer } from '../observation.js';
import { limitExceeded } from '../rpc/core-errors.js';
import { logFilter } from '../rpc/criteria.js';
import { toJson } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { createCache } from '../service/cache/cache.js';
import { createService } from '../service/client.js';
import { isSend } from '../service/errors/errors.js';
import type { Call } from '../service/http/post.js';
import { seedLimits } from '../service/logs/limits.js';
import { createLogRanges, type LogRanges } from '../service/logs/ranges.js';
import { isOnThisMachine, type Network } from '../service/networks.js';
import type { QuotaStore } from '../service/rate-limit/daily-quota.js';
import { createLimiter } from '../service/rate-limit/limiter.js';
import { withPriority } from '../service/rate-limit/priority.js';
import { createRedactor } from '../service/redact.js';
import type { Service } from '../service/service.js';
import { createLogsOf, type LogsOf } from '../subscriptions/logs.js';
import { checkOf } from './checks.js';
import { type Announcement, createNodeSocket } from './heads/node-socket.js';
import type { Outcome } from './outcome.js';
import { createLongWords } from './words.js';

/** One chain that the relay serves. */
export interface ChainOptions {
  /** Such as 30. */
  readonly chainId: number;
  /** Endpoints in order of preference, each with the API key. */
  readonly urls: readonly string[];
  /** Milliseconds between two polls of the head. Default 6,000; while `socket` is connected 30,000. */
  readonly interval?: number | undefined;
  /** The node's WebSocket URL: its `newHeads` say when to poll. */
  readonly socket?: string | undefined;
  /** Requests per day (UTC); `null` for no limit. Default 25,000. */
  readonly requestsPerDay?: number | null | undefined;
  /** Requests per second; `null` for no limit. Default 20. */
  readonly requestsPerSecond?: number | null | undefined;
  /** Requests that may be sent at once after a pause. Default 100. */
  readonly burst?: number | undefined;
  /** Share of the day's requests that is kept for heads and sends. Default 0.1. */
  readonly reserve?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** For `socket`. Default `globalThis.WebSocket`. */
  readonly WebSocket?: (new (url: string) => WebSocket) | undefined;
  /** Milliseconds for one request with all its retries. Default 10,000. */
  readonly deadline?: number | undefined;
}

/** The upstream stack of one chain: client, head tracker, cache and limiter, as `chain-runtime.ts` builds them. */
export interface RelayChain {
  readonly chainId: number;
  /**
   * A read or a send as the service answers it, a read from the cache where that is possible. Equal sends under way are
   * one.
   * @throws ProviderRpcError as the service's request; how it was answered is in {@link outcomeOf} the error
   */
  request(method: string, params: readonly unknown[]): Promise<{ result: unknown; outcome: Outcome }>;
  /**
   * Whether the service has said within the last minute that it serves this chain. Where it cannot be asked, or serves
   * another one, false.
   */
  isConfirmed(): Promise<boolean>;
  /** A new follower of the head that continues from these links, oldest first; at most one at a time is used. */
  follow(from: readonly BlockLink[], onStep?: (step: Follower.Step) => void): Follower;
  /** The present follower. */
  readonly follower: Follower | undefined;
  /** All logs of a block: one request for all who want them. */
  readonly logsOf: LogsOf;
  /** For the relay's own reads: each is a request, which the rest of the day's quota is kept for. */
  readonly service: Service;
  /** Logs of any range of blocks. */
  logRanges(): Promise<LogRanges>;
  /** The height of the newest known block. */
  height(): number | null;
  /** Milliseconds since the last successful poll of the head; `null` before the first. */
  age(): number | null;
  /** Milliseconds between two polls of the head, at present. */
  interval(): number;
  /** `undefined` before the first request, and where nothing is limited. */
  quota(): Service.Quota | undefined;
  /** Polls the head now, if it is followed: something said that it may have moved. */
  poke(): void;
  close(): void;
}

/** How a request was answered that was rejected with this error. */
export const outcomeOf = (error: unknown): Outcome =>
  (typeof error === 'object' && error !== null && outcomes.get(error)) || 'upstream';

const outcomes = new WeakMap<object, Outcome>();

/**
 * At most 3 layers lie between a request and the client:
 *
 *     client   HTTP, retries, requests in flight, rate limits     service/client.ts
 *     1 fresh  the head tracker notes each answer; the reserve    chain/head-tracker.ts
 *     2 cache  answers repeated reads                             service/cache/cache.ts
 *     3 own    the priority of the relay's own reads              service/rate-limit/priority.ts
 */
export function createRelayChain(given: createRelayChain.Options): RelayChain {
  const options = own(given);
  const { chainId, clock = systemClock, now = Date.now, upstream, reserve = 0.1 } = options;
  const network: Network = own({
    chainId,
    name: `Chain ${chainId}`,
    currency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    coinType: 37310,
    testnet: true,
    urls: options.urls,
  });
  const limits = limitsOf(options);
  const isLimited = limits !== undefined || !network.urls.every(isOnThisMachine);
  const limiter = isLimited
    ? createLimiter({ network, limits, memory: options.quotaStore, onChange: () => {}, date: now })
    : undefined;

  const longWords = createLongWords(createRedactor(network.urls));
  /** How the requests under way have been answered so far, by their ids. */
  const open = new Map<number, Outcome>();
  let requests = 0;
  const observation: Observation = {
    by: observerOf({
      read(_chainId, _method, from, asked) {
        if (asked === undefined || !open.has(asked)) return;
        if (from === 'service') open.set(asked, 'upstream');
        else if (from === 'shared' && open.get(asked) === 'hit') open.set(asked, 'shared');
      },
      posted(_service, _url, calls, reply) {
        const ended = (status: number | 'failed') => {
          for (const { method } of calls) upstream?.(method, status);
        };
        reply.then(
          (posted) => {
            const { status, text } = own(posted as { status?: number; text?: string });
            ended(status ?? 'failed');
            const [call] = calls as readonly Partial<Call>[];
            if (call?.method && call.params && text) longWords.note(call.method, call.params, text);
          },
          () => ended('failed'),
        );
      },
    }),
  };

  const client = (options.createClient ?? createService)({
    network,
    fetch: options.fetch,
    deadline: options.deadline,
    // A service that is back serves all clients again within this time.
    coolDown: longestPause,
    // Of a browser; a server knows nothing of the kind.
    online: () => true,
    limiter: limiter && (async () => limiter),
    observation,
  });

  /** When the last successful poll was requested: milliseconds since 1970. */
  let polledAt: number | undefined;
  const fresh: Service = {
    ...client,
    async request(method, params, requestOptions) {
      const { priority = 'read' } = own(requestOptions);
      if (priority !== 'person' && !isSend(method)) keepReserve();
      const startedAt = now();
      const result = await head.observe(client, method, params, requestOptions);
      if (isHeadPoll(method, params)) polledAt = startedAt;
      return result;
    },
  };

  /** @throws ProviderRpcError -32005 where the rest of the day is kept for heads and sends */
  function keepReserve(): void {
    const quota = limiter?.usage();
    if (!quota?.perDay || quota.today < quota.perDay * (1 - reserve)) return;
    const retryAfter = Math.ceil((day - (now() % day)) / 1_000);
    throw limitExceeded(
      `The rest of the service's daily quota is kept for heads and transactions; try again in ${retryAfter} s`,
      { reason: 'quota', retryAfter },
    );
  }

  const socketInterval = options.interval ?? defaultSocketInterval;
  const interval = options.socket
    ? Math.min(defaultInterval, socketInterval)
    : (options.interval ?? defaultInterval);
  const head = createHeadTracker({
    service: () => polls,
    interval,
    now,
  });
  /** While the node announces its blocks, polls are rarer, and their answers are used for longer. */
  const polls: Service = {
    ...fresh,
    slowdown: () =>
      (client.slowdown?.() ?? 1) *
      (socket?.live() ? socketInterval / interval : 1) *
      (options.slowdown?.() ?? 1),
  };
  const cache = createCache({
    service: fresh,
    head,
    observation,
    capacity: cacheCharacters,
    mostEntries: cacheEntries,
    now,
  });
  const service = withPriority(fresh, 'person');
  const logRanges = createLogRanges(withPriority(cache.lasting, 'person'), {
    head,
    limits: { ...seedLimits(), atMost: longestRange },
  });

  let follower: Follower | undefined;
  /** A read has just polled another head: the follower takes that answer. */
  let isKnown = false;
  const reader = head.createReader(() => {
    isKnown = true;
    follower?.catchUp().catch(() => {});
  });
  const latest = (requestOptions: SharedService.RequestOptions) => {
    // Else a tick could be answered by a poll that is one interval old, and a head be found two intervals late.
    const maxAge = isKnown ? knownAge : 0;
    isKnown = false;
    return reader.latest(own({ priority: 'person' as const, ...requestOptions, maxAge }));
  };

  const poke = () => follower?.poke();
  let expecting: unknown;
  /** The node behind HTTP may not have the announced block yet: polls again, a few times. */
  function expectHead(block: Announcement | undefined, attempt = 0): void {
    clock.clearTimeout(expecting);
    if (block && (block.hash === head.hash() || block.height < head.state().height)) return;
    if (!block && attempt > 0) return;
    poke();
    if (block && attempt < attempts)
      expecting = clock.setTimeout(() => expectHead(block, attempt + 1), 500 * 2 ** attempt);
  }
  const socket = options.socket
    ? createNodeSocket({
        url: options.socket,
        clock,
        WebSocket: options.WebSocket,
        onHead: (block) => expectHead(block),
        onLost: poke,
      })
    : undefined;

  const rest = () => {
    clock.clearTimeout(expecting);
    socket?.stop();
  };

  async function ask(method: string, params: readonly unknown[]) {
    const asked = ++requests;
    open.set(asked, 'hit');
    const outcome = () => open.get(asked) ?? 'upstream';
    const check = checkOf(method, params);
    const source = isForNode(method, params) ? fresh : cache;
    try {
      const result = await source.request(method, params, own({ asked, ...(check && { check }) }));
      return { result, outcome: outcome() };
    } catch (error) {
      if (typeof error === 'object' && error !== null) outcomes.set(error, outcome());
      longWords.restore(method, params, error);
      throw error;
    } finally {
      open.delete(asked);
    }
  }

  /** Sends under way, by their bytes. */
  const sends = new Map<string, ReturnType<typeof ask>>();

  async function send(method: string, params: readonly unknown[]) {
    const key = JSON.stringify([method, params]).toLowerCase();
    const same = sends.get(key);
    if (same) return { ...(await same), outcome: 'shared' as const };
    const sent = ask(method, params).finally(() => sends.delete(key));
    sends.set(key, sent);
    return sent;
  }

  return {
    chainId,
    isConfirmed: () =>
      client.verifyChain().then(
        () => true,
        () => false,
      ),
    request: (method, params) => (isSend(method) ? send(method, params) : ask(method, params)),
    follow(from, onStep) {
      const created: Follower = createFollower({
        service,
        latest,
        from,
        onStep(step) {
          onStep?.(step);
          socket?.polled(head.state().height);
        },
        interval: head.interval,
        clock,
        // The next one may have begun already.
        onIdle: () => follower === created && rest(),
      });
      follower = created;
      socket?.start();
      return created;
    },
    get follower() {
      return follower;
    },
    logsOf: createLogsOf(service, now),
    service,
    logRanges: async () => logRanges,
    height: () => (head.state().height < 0 ? null : head.state().height),
    age: () => (polledAt === undefined ? null : Math.max(0, now() - polledAt)),
    interval: head.interval,
    quota: () => limiter?.usage(),
    poke,
    close() {
      follower?.stop();
      rest();
      limiter?.close();
    },
  };
}

/** What breaks the rules of its method is for the node to refuse, in its own words: the cache looks at no more than it needs. */
function isForNode(method: string, params: readonly unknown[]): boolean {
  if (method === 'eth_blockNumber') return params.length > 0;
  if (method !== 'eth_getLogs') return false;
  try {
    logFilter(toJson(params[0]), 'params[0]');
    return params.length !== 1;
  } catch {
    return true;
  }
}

function limitsOf({ requestsPerDay, requestsPerSecond, burst }: ChainOptions) {
  if (requestsPerDay === undefined && requestsPerSecond === undefined && burst === undefined)
    return undefined;
  return own({
    ...(requestsPerDay !== undefined && { requestsPerDay }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(burst !== undefined && { burst }),
  });
}

/** An observer that takes part of what is reported. */
const observerOf = (part: Pick<Observer, 'read' | 'posted'>): Observer => ({
  request: (_method, context, run) => run(context),
  head() {},
  step() {},
  subscription() {},
  unsubscribed() {},
  delivered() {},
  leader() {},
  served() {},
  question() {},
  ...part,
});

/** Milliseconds between polls. */
const defaultInterval = 6_000;
const defaultSocketInterval = 30_000;
/** Milliseconds: how old the poll of a read may be that tells the follower of a new head. */
const knownAge = 1_000;
/** Blocks of one eth_getLogs: as many as the service accepts with any number of logs. */
const longestRange = 2_000;
/** Further polls for an announced block, after 0.5, 1, 2 and 4 s. */
const attempts = 4;
/** Milliseconds for which a service that failed is avoided. */
const longestPause = 5_000;
const day = 86_400_000;
/** Of the cache: characters of JSON, about bytes, and entries. */
const cacheCharacters = 64_000_000;
const cacheEntries = 20_000;

export declare namespace createRelayChain {
  interface Options extends ChainOptions {
    /** Opens the store of a count of the daily quota. */
    readonly quotaStore: (name: string) => QuotaStore;
    /** Called with each request to the service and the HTTP status of its reply. */
    readonly upstream?: ((method: string, status: number | 'failed') => void) | undefined;
    /** Milliseconds since 1970. */
    readonly now?: (() => number) | undefined;
    readonly clock?: Clock | undefined;
    /** A further factor by which polls are rarer. */
    readonly slowdown?: (() => number) | undefined;
    /** Default {@link createService}, over HTTP. */
    readonly createClient?: ((options: createService.Options) => Service) | undefined;
  }
}
