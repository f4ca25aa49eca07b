import { type Clock, systemClock } from '../../../src/async/clock.js';
import type { BlockLink } from '../../../src/chain/blocks.js';
import { createFollower, type Follower } from '../../../src/chain/follower.js';
import { createHeadTracker } from '../../../src/chain/head-tracker.js';
import type { SharedService } from '../../../src/chain/tabs/shared-service.js';
import { limitExceeded } from '../../../src/rpc/core-errors.js';
import { isProviderRpcError } from '../../../src/rpc/errors.js';
import { toJson } from '../../../src/rpc/message.js';
import { mustNotRepeat } from '../../../src/rpc/method-facts/method-facts.js';
import { isSend } from '../../../src/rpc/method-facts/wallet-facts.js';
import type { Observation, Observer } from '../../../src/rpc/observation.js';
import { own } from '../../../src/rpc/own.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { logFilter } from '../../../src/rpc/selectors.js';
import { createCache } from '../../../src/service/cache/cache.js';
import { createService } from '../../../src/service/client.js';
import { copyOf, isRefusal } from '../../../src/service/errors/errors.js';
import type { Call } from '../../../src/service/http/post.js';
import { seedLimits } from '../../../src/service/logs/limits.js';
import { createLogRanges, type LogRanges } from '../../../src/service/logs/ranges.js';
import { isOnThisMachine, type Network } from '../../../src/service/networks.js';
import type { QuotaStore } from '../../../src/service/rate-limit/daily-quota.js';
import { createLimiter } from '../../../src/service/rate-limit/limiter.js';
import type { Service } from '../../../src/service/service.js';
import { isHeadPoll } from '../../../src/service/steady/contradiction.js';
import { createSettling } from '../../../src/service/steady/settling.js';
import { createSteadyService } from '../../../src/service/steady/steady-service.js';
import { createLogsOf, type LogsOf } from '../../../src/subscriptions/logs-of-block.js';
import { createRefusedSenders } from './access/refused-senders.js';
import { checkOf } from './checks.js';
import { type Announcement, createNodeSocket } from './heads/node-socket.js';
import { JsonText } from './json-text.js';

/** One chain that the relay serves. */
export interface ChainOptions {
  /** Such as 30. */
  readonly chainId: number;
  /** Endpoints in order of preference, each with the API key. */
  readonly urls: readonly string[];
  /** Milliseconds between two polls of the head. Default 6,000; while `socket` is connected 30,000. Reads poll more often. */
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
   * A read or a send as the service answers it, a read from the cache where that is possible: there an object is a
   * {@link JsonText}. Equal sends under way are
   * one, and a sender that the service has just refused gets the same error.
   * @throws ProviderRpcError as the service's request; how it was answered is in {@link outcomeOf} the error
   */
  request(
    method: string,
    params: readonly unknown[],
    options?: RelayChain.RequestOptions,
  ): Promise<{ result: unknown; outcome: Outcome }>;
  /**
   * Whether the service has said within the last minute that it serves this chain. Where it cannot be asked, or serves
   * another one, false.
   * @param onRequest called with each HTTP request that is sent for it
   */
  isConfirmed(onRequest?: () => void): Promise<boolean>;
  /** Whether {@link isConfirmed} is true without a request. */
  wasConfirmed(): boolean;
  /** A new follower of the head that continues from these links, oldest first; at most one at a time is used. */
  follow(from: readonly BlockLink[], options?: RelayChain.FollowOptions): Follower;
  /** The present follower. */
  readonly follower: Follower | undefined;
  /** All logs of a block: one request for all who want them. */
  readonly logsOf: LogsOf;
  /** For the relay's own reads of blocks: each is a request, which the rest of the day's quota is kept for. */
  readonly service: Service;
  /**
   * Logs of any range of blocks.
   * @param onRequest called with each request that they take
   */
  logRanges(onRequest?: () => void): Promise<LogRanges>;
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

export declare namespace RelayChain {
  interface FollowOptions {
    /** Called with each step, before the listeners. */
    readonly onStep?: ((step: Follower.Step) => void) | undefined;
    /** Called before each poll of the head. Where it stops the follower, nothing is requested. */
    readonly beforePoll?: (() => void) | undefined;
    /** Called with each request of the follower. */
    readonly onRequest?: (() => void) | undefined;
  }

  interface RequestOptions {
    /** Called with each HTTP request that is sent for it: repeated ones, and polls of the head, count too. */
    readonly onRequest?: (() => void) | undefined;
    /** Called with the bytes of each reply to them. */
    readonly onReply?: ((bytes: number) => void) | undefined;
    /** `background` waits for the rate limit behind those of other clients. Default `read`. */
    readonly priority?: 'read' | 'background' | undefined;
  }
}

/** How a request was answered that was rejected with this error. */
export const outcomeOf = (error: unknown): Outcome =>
  (typeof error === 'object' && error !== null && outcomes.get(error)) || 'upstream';

const outcomes = new WeakMap<object, Outcome>();

/** A request of a client that is under way. */
interface Asked extends Pick<RelayChain.RequestOptions, 'onRequest' | 'onReply'> {
  outcome: Outcome;
}

/** How a request was answered: from memory, by joining an equal request in flight, or by a request upstream. */
type Outcome = 'hit' | 'shared' | 'upstream';

const keyOf = (method: string, params: readonly unknown[]): string => JSON.stringify([method, params]);
const headKey = keyOf('eth_getBlockByNumber', ['latest', false]);

/**
 * At most 3 layers lie between a request and the client:
 *
 *     client     HTTP, retries, requests in flight, rate limits         service/client.ts
 *     1 steady   takes back nothing that was shown to any client, and   service/steady/steady-service.ts
 *                notes each answer with the head tracker
 *     2 fresh    the reserve, which only heads and sends pass
 *     3 cache    answers repeated reads                                 service/cache/cache.ts
 *
 * Only sends have the priority of a person: the last requests of a day are theirs.
 */
export function createRelayChain(settings: createRelayChain.Options): RelayChain {
  const options = own(settings);
  const { chainId, clock = systemClock, upstream, reserve = 0.1 } = options;
  const { now } = clock;
  const network: Network = own({
    chainId,
    name: `Chain ${chainId}`,
    currency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    coinType: 37310,
    testnet: true,
    urls: options.urls,
  });
  const { requestsPerDay, requestsPerSecond, burst } = options;
  const present = Object.entries({ requestsPerDay, requestsPerSecond, burst }).filter(
    ([, value]) => value !== undefined,
  );
  // Without any, a node on this machine has none, beside a hosted one too.
  const limits = present.length > 0 ? Object.fromEntries(present) : undefined;
  const isLimited = limits !== undefined || !network.urls.every(isOnThisMachine);
  const limiter = isLimited
    ? createLimiter({ network, limits, memory: options.quotaStore, onChange: () => {}, date: now })
    : undefined;

  /** The requests under way, by their ids. */
  const open = new Map<number, Asked>();
  /** Callers that wait for the request in flight with this key. The first one has begun it, and is charged. */
  const waiting = new Map<string, Asked[]>();
  let requests = 0;
  /** The requests with this key are on the account of `asked` until the answer. */
  async function charging<T>(asked: Asked, key: string, answer: () => Promise<T>): Promise<T> {
    const all = waiting.get(key) ?? [];
    waiting.set(key, all);
    all.push(asked);
    try {
      return await answer();
    } finally {
      all.splice(all.indexOf(asked), 1);
      if (all.length === 0) waiting.delete(key);
    }
  }
  const observation: Observation = {
    by: observerOf({
      read(_chainId, _method, from, id) {
        const asked = id === undefined ? undefined : open.get(id);
        if (!asked) return;
        if (from === 'service') asked.outcome = 'upstream';
        else if (from === 'shared' && asked.outcome === 'hit') asked.outcome = 'shared';
      },
      posted(_service, _url, calls, reply) {
        const payers = (calls as readonly Partial<Call>[]).map(
          ({ method, params = [] }) => waiting.get(keyOf(method as string, params))?.[0],
        );
        for (const payer of payers) payer?.onRequest?.();
        const ended = (status: number | 'failed') => {
          for (const { method } of calls) upstream?.(method, status);
        };
        reply.then(
          (posted) => {
            const { status, text } = own(posted as { status?: number; text?: string });
            ended(status ?? 'failed');
            for (const payer of payers) payer?.onReply?.((text?.length ?? 0) / payers.length);
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
    // Clients get texts: one for all that join a request.
    sharesResults: true,
    nodeErrors: true,
    // A service that is back serves all clients again within this time.
    coolDown: maxPause,
    // A server is always online.
    online: () => true,
    limiter: limiter && (async () => limiter),
    observation,
  });

  const steady = createSteadyService({
    service: {
      ...client,
      request(method, params, requestOptions) {
        const asked = open.get(own(requestOptions).asked ?? 0);
        const answer = () => client.request(method, params, requestOptions);
        // Its params may be others than the client's.
        return asked ? charging(asked, keyOf(method, params), answer) : answer();
      },
    },
    clock,
    now,
    deadline: options.deadline,
    createSettling,
    head: () => ({ begin: (method, ...call) => (isSend(method) ? untracked : head.begin(method, ...call)) }),
  });

  /** When the last successful poll was requested: milliseconds since 1970. */
  let polledAt: number | undefined;
  let pollsBegun = 0;
  const tracked: Service = {
    ...client,
    async request(method, params, requestOptions) {
      if (isSend(method)) return sendTracked(method, params, requestOptions);
      const startedAt = now();
      const isPoll = isHeadPoll(method, params);
      if (isPoll) pollsBegun += 1;
      const result = await steady.request(method, params, requestOptions);
      if (isPoll) {
        polledAt = startedAt;
        options.onPoll?.(startedAt);
      }
      return result;
    },
  };
  /** Answers from before a send are read again; a refused one has changed nothing. */
  async function sendTracked(...call: Parameters<Service['request']>) {
    let isRefused = false;
    try {
      return await steady.request(...call);
    } catch (error) {
      isRefused = isRefusal(error);
      throw error;
    } finally {
      if (!isRefused) {
        head.begin(...call).ended();
        reads.clear();
      }
    }
  }
  const fresh: Service = {
    ...tracked,
    async request(method, params, requestOptions) {
      if (!isSend(method)) keepReserve();
      return tracked.request(method, params, requestOptions);
    },
  };

  /** Whether fewer of the day's requests are spent than a share of those that are not reserved. */
  function hasSpentLessThan(share: number): boolean {
    const quota = limiter?.usage();
    return !quota?.perDay || quota.today < quota.perDay * (1 - reserve) * share;
  }

  /** @throws ProviderRpcError -32005 where the rest of the day is kept for heads and sends */
  function keepReserve(): void {
    if (hasSpentLessThan(1)) return;
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
  const head = createHeadTracker({ service: () => polls, interval, now });
  /** While the node announces its blocks, polls are rarer, and their answers are used for longer. */
  const slowdown = () =>
    (client.slowdown?.() ?? 1) *
    (socket?.live() ? socketInterval / interval : 1) *
    (options.slowdown?.() ?? 1);
  const polls: Service = { ...tracked, slowdown };
  /**
   * Milliseconds for which a poll answers reads: {@link freshAge} while the day's requests are below an even pace, else as
   * long as the interval is. Clients that poll wait for the relay's poll after their own.
   */
  function maxAge(): number {
    const hasToSpare = slowdown() === 1 && hasSpentLessThan((now() % day) / day);
    return hasToSpare ? Math.min(head.maxAge(), freshAge) : head.maxAge();
  }

  /** The read that is being looked up in the cache: a poll that it begins in the same turn is its own. */
  let lookedUp: Asked | undefined;
  const cache = createCache({
    service: fresh,
    head: {
      ...head,
      maxAge,
      isFresh: () => head.isFresh(maxAge()),
      latest(given) {
        return lookedUp ? charging(lookedUp, headKey, () => head.latest(given)) : head.latest(given);
      },
    },
    observation,
    capacity: cacheCharacters,
    maxEntries: cacheEntries,
    now,
  });

  const logLimits = { ...seedLimits(), atMost: maxRange };
  let follower: Follower | undefined;
  /** Milliseconds: how old a poll may be that the follower takes in place of its next one. */
  let knownAge = 0;
  const readLatest = head.createReader(() => {
    knownAge = ageOfReads;
    follower?.catchUp().catch(() => {});
  });
  const latest = (requestOptions: SharedService.RequestOptions) => {
    // Else a tick could be answered by a poll that is one interval old, and a head be found two intervals late.
    const maxAge = knownAge;
    knownAge = 0;
    return readLatest(own({ ...requestOptions, maxAge }));
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

  /** Reads under way, while nothing newer is known than when they began: by priority and key. */
  const reads = new Map<string, ReturnType<typeof ask>>();
  let known: unknown;

  /**
   * Joins equal reads above the layers, each of which would else take every one of them through by itself. One that began before
   * the head moved, or before a transaction was sent, is not joined: the layers answer what came later with nothing older.
   */
  async function read(...[method, params, settings = {}]: Parameters<typeof ask>): ReturnType<typeof ask> {
    if (known !== head.state()) reads.clear();
    known = head.state();
    const key = `${settings.priority}${keyOf(method, params)}`;
    const same = reads.get(key);
    if (same)
      try {
        const { result, outcome } = await same;
        return { result, outcome: outcome === 'hit' ? 'hit' : 'shared' };
      } catch (error) {
        throw again(error, outcomeOf(error) === 'hit' ? 'hit' : 'shared');
      }
    const answer = ask(method, params, settings).finally(() => {
      if (reads.get(key) === answer) reads.delete(key);
    });
    reads.set(key, answer);
    return answer;
  }

  async function ask(
    method: string,
    params: readonly unknown[],
    { onRequest, onReply, priority = 'read' }: RelayChain.RequestOptions = {},
  ): ReturnType<RelayChain['request']> {
    const id = ++requests;
    const asked: Asked = { outcome: 'hit', onRequest, onReply };
    open.set(id, asked);
    const check = checkedOnce(checkOf(method, params));
    // Only checked results are kept for other clients.
    const source: Pick<typeof cache, 'request'> = isForNode(method, params) || !check ? fresh : cache;
    try {
      lookedUp = asked;
      const answer = source.request(method, params, own({ asked: id, priority, fromJson, check }));
      lookedUp = undefined;
      return { result: await answer, outcome: asked.outcome };
    } catch (error) {
      if (typeof error === 'object' && error !== null) outcomes.set(error, asked.outcome);
      throw error;
    } finally {
      open.delete(id);
    }
  }

  let confirmedUntil = Number.NEGATIVE_INFINITY;
  async function isConfirmed(onRequest?: () => void): Promise<boolean> {
    const startedAt = clock.monotonic();
    let isNew = false;
    const asked: Asked = {
      outcome: 'hit',
      onRequest() {
        isNew = true;
        onRequest?.();
      },
    };
    try {
      await charging(asked, keyOf('eth_chainId', []), () => client.verifyChain());
      if (isNew) confirmedUntil = startedAt + confirmationHolds;
      return true;
    } catch {
      confirmedUntil = Number.NEGATIVE_INFINITY;
      return false;
    }
  }
  const wasConfirmed = () => clock.monotonic() < confirmedUntil;

  /** Sends under way, by their bytes. */
  const sends = new Map<string, ReturnType<typeof ask>>();
  const refusedSenders = createRefusedSenders({ chainId, now });
  /** The same error for a transaction that was not sent. */
  const again = (error: unknown, outcome: Outcome = 'shared') => {
    if (!isProviderRpcError(error)) return error;
    const copy = copyOf(error);
    outcomes.set(copy, outcome);
    return copy;
  };

  async function send(...[method, params, settings]: Parameters<typeof ask>): ReturnType<typeof ask> {
    const [raw] = params as [Hex];
    const key = keyOf(method, params).toLowerCase();
    const same = sends.get(key);
    if (same)
      return same.then(
        ({ result }) => ({ result, outcome: 'shared' }),
        (error) => {
          throw again(error);
        },
      );
    const refusal = refusedSenders.find(raw);
    if (refusal) throw again(refusal);
    const sent = ask(method, params, settings).finally(() => sends.delete(key));
    sends.set(key, sent);
    sent.then(
      () => refusedSenders.answered(raw),
      (error) => refusedSenders.answered(raw, error),
    );
    return sent;
  }

  return {
    chainId,
    isConfirmed,
    wasConfirmed,
    request: (method, params, settings) =>
      (isSend(method) ? send : mustNotRepeat(method) ? ask : read)(method, params, settings),
    follow(from, { onStep, beforePoll, onRequest } = {}) {
      // A poll that a client's read has just made will do for the beginning.
      knownAge = head.interval();
      const created: Follower = createFollower({
        service: withRequests(tracked, onRequest),
        latest(requestOptions) {
          beforePoll?.();
          requestOptions.signal?.throwIfAborted();
          const before = pollsBegun;
          const block = latest(requestOptions);
          if (pollsBegun !== before) onRequest?.();
          return block;
        },
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
    logsOf: createLogsOf(tracked, now),
    service: tracked,
    logRanges: async (onRequest) =>
      createLogRanges(withRequests(cache.lasting, onRequest), { head, limits: logLimits }),
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

/** The check, which passes over a result that another asker of the same read has checked. */
const checkedOnce = (check: ((result: unknown) => void) | undefined) =>
  check &&
  ((result: unknown) => {
    const isObject = typeof result === 'object' && result !== null;
    if (isObject && sound.has(result)) return;
    check(result);
    if (isObject) sound.add(result);
  });
const sound = new WeakSet<object>();

const untracked = { answered() {}, ended() {} };

const fromJson = (json: string) => new JsonText(json);

/** The same service; `onRequest` is called with each request. */
const withRequests = (service: Service, onRequest: (() => void) | undefined): Service =>
  onRequest
    ? {
        ...service,
        request(...call) {
          onRequest();
          return service.request(...call);
        },
      }
    : service;

/**
 * Whether the params are invalid, so that the node must refuse them in its own words: the cache reads no more of them than it
 * needs.
 */
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

/** An observer that takes part of what is reported. */
const observerOf = (part: Pick<Observer, 'read' | 'posted'>): Observer => ({
  asked: (_method, context) => ({ context, answered() {}, failed() {} }),
  head() {},
  step() {},
  subscription() {},
  unsubscribed() {},
  delivered() {},
  leader() {},
  served() {},
  contradicted() {},
  permission() {},
  question() {},
  ...part,
});

/** Milliseconds between polls. */
const defaultInterval = 6_000;
const defaultSocketInterval = 30_000;
/** Milliseconds for which a poll answers reads at most, while there are requests to spare: no wallet polls more often. */
const freshAge = 900;
/** Milliseconds: how old the poll of a read may be that tells the follower of a new head. */
const ageOfReads = 1_000;
/** Milliseconds for which the service's chain id is known: shorter than the client's own minute. */
const confirmationHolds = 59_000;
/** Blocks of one eth_getLogs: as many as the service accepts with any number of logs. */
const maxRange = 2_000;
/** Further polls for an announced block, after 0.5, 1, 2 and 4 s. */
const attempts = 4;
/** Milliseconds for which a service that failed is avoided. */
const maxPause = 5_000;
const day = 86_400_000;
/** Maximum size of the cache: characters of JSON (about bytes), and entries. */
const cacheCharacters = 64_000_000;
const cacheEntries = 20_000;

export declare namespace createRelayChain {
  interface Options extends ChainOptions {
    /** Opens the store of a count of the daily quota. */
    readonly quotaStore: (name: string) => QuotaStore;
    /** Called with each request to the service and the HTTP status of its reply. */
    readonly upstream?: ((method: string, status: number | 'failed') => void) | undefined;
    /** Called after each successful poll of the head with the time of its request. */
    readonly onPoll?: ((at: number) => void) | undefined;
    readonly clock?: Clock | undefined;
    /** A further factor by which polls are rarer. */
    readonly slowdown?: (() => number) | undefined;
    /** Default {@link createService}, over HTTP. */
    readonly createClient?: ((options: createService.Options) => Service) | undefined;
  }
}
