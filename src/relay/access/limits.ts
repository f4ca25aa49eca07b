import { errorCode } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Service } from '../../service/service.js';
import type { Refusal } from '../words.js';

/** What each client may use. A client is the `sub` of its token, else its address (IPv6: its /64). */
export interface Limits {
  /** Of one client on one chain; without a chain, only what does not depend on it. */
  of(client: string, chainId?: number, grant?: Grant): ClientLimits;
  /** Clients that are remembered. */
  size(): number;
}

/** What a token widens. */
export interface Grant {
  /** Reads that reach the service, per minute. */
  readonly readsPerMinute?: number | undefined;
}

export interface ClientLimits {
  /** Counts one message. */
  message(): Refusal | undefined;
  /** Takes the cost of a read. */
  read(cost: number): Refusal | undefined;
  /** Gives back nine tenths of the cost of a read that cost the service nothing. */
  settle(cost: number, outcome: 'hit' | 'shared' | 'upstream'): void;
  send(): Refusal | undefined;
  /** Counts a request by POST; refuses it where the client has too many under way. */
  post(): Refusal | undefined;
  /** A request by POST has ended, and its answer has left. */
  posted(): void;
  /** Counts a connection; false where the client has too many. */
  connect(): boolean;
  disconnect(): void;
  /** Of one connection. */
  readonly maxSubscriptions: number;
}

/** Each has the default that is named. */
export interface LimitOptions {
  /** Messages per second and client. Default 20. */
  readonly messagesPerSecond?: number;
  /** Messages at once after a pause. Default 60. */
  readonly messageBurst?: number;
  /** Reads that reach the service, per minute and client; a read from the cache counts as a tenth. Default 30. */
  readonly readsPerMinute?: number;
  /** Such reads at once after a pause. Default 60. */
  readonly readBurst?: number;
  /** Signed transactions per second and client. Default 1. */
  readonly sendsPerSecond?: number;
  /** Signed transactions at once after a pause. Default 5. */
  readonly sendBurst?: number;
  /** Requests by POST of one client that are under way, or whose answer it has not read. Default 64. */
  readonly postsAtOnce?: number;
  /** Connections per client. Default 10. */
  readonly connections?: number;
  /** Connections in all. Default 5,000. */
  readonly connectionsInAll?: number;
  /** Subscriptions per connection. Default 20. */
  readonly subscriptions?: number;
  /** The share of a day's requests that one client may use. Default 0.05. */
  readonly shareOfDay?: number;
}

export const defaultLimits: Required<LimitOptions> = {
  messagesPerSecond: 20,
  messageBurst: 60,
  readsPerMinute: 30,
  readBurst: 60,
  sendsPerSecond: 1,
  sendBurst: 5,
  postsAtOnce: 64,
  connections: 10,
  connectionsInAll: 5_000,
  subscriptions: 20,
  shareOfDay: 0.05,
};

const day = 86_400_000;
/** Clients that are remembered. */
const mostClients = 50_000;

interface Bucket {
  tokens: number;
  countedAt: number;
}

interface Client {
  readonly messages: Bucket;
  readonly reads: Bucket;
  readonly sends: Bucket;
  /** Under way. */
  posts: number;
  connections: number;
  /** The day of {@link used}, in days since 1970. */
  today: number;
  /** Requests to the service on that day, by chain. */
  readonly used: Map<number, number>;
}

export function createLimits(given: createLimits.Options): Limits {
  const options = own(given);
  const { now, quota = () => undefined, most = mostClients } = options;
  const limits: Required<LimitOptions> = { ...defaultLimits, ...options.limits };
  /** Those that were used last come last. */
  const clients = new Map<string, Client>();

  function find(name: string): Client {
    const found = clients.get(name);
    if (found) {
      clients.delete(name);
      clients.set(name, found);
      return found;
    }
    if (clients.size >= most) forgetOne();
    const bucket = (tokens: number): Bucket => ({ tokens, countedAt: now() });
    const made: Client = {
      messages: bucket(limits.messageBurst),
      reads: bucket(limits.readBurst),
      sends: bucket(limits.sendBurst),
      posts: 0,
      connections: 0,
      today: dayOf(now()),
      used: new Map(),
    };
    clients.set(name, made);
    return made;
  }

  /** A client with a connection that sends is not idle. */
  function touch(name: string, client: Client): void {
    if (clients.get(name) !== client) return;
    clients.delete(name);
    clients.set(name, client);
  }

  /** Forgets the client that was idle longest. One with connections or requests under way goes to the end instead. */
  function forgetOne(): void {
    for (let tries = clients.size; tries > 0; tries--) {
      const [name, client] = clients.entries().next().value as [string, Client];
      clients.delete(name);
      if (client.connections === 0 && client.posts === 0) return;
      clients.set(name, client);
    }
  }

  /** Takes `cost` where there is at least `least`. @returns seconds to wait, or `undefined` */
  function take(bucket: Bucket, rate: number, burst: number, cost: number, least = cost): number | undefined {
    const passed = Math.max(0, now() - bucket.countedAt);
    bucket.countedAt = now();
    bucket.tokens = Math.min(burst, bucket.tokens + (passed * rate) / 1000);
    // Of a sum of fractions a little may be missing.
    if (bucket.tokens + 1e-6 < least) return Math.max(1, Math.ceil((least - bucket.tokens) / rate));
    bucket.tokens -= cost;
    return undefined;
  }

  /** Seconds until the next day, where this client has had its share of the day's requests. */
  function spentFor(client: Client, chainId: number | undefined): number | undefined {
    if (chainId === undefined) return undefined;
    const state = quota(chainId);
    if (!state || state.perDay === null) return undefined;
    const today = dayOf(now());
    if (client.today !== today) {
      client.today = today;
      client.used.clear();
    }
    const isSpent = (client.used.get(chainId) ?? 0) >= state.perDay * limits.shareOfDay;
    return isSpent ? Math.ceil(((today + 1) * day - now()) / 1000) : undefined;
  }

  return {
    size: () => clients.size,
    of(name, chainId, grant) {
      const client = find(name);
      const readRate = grant?.readsPerMinute ?? limits.readsPerMinute;
      const readBurst = Math.max(limits.readBurst, readRate);
      const add = (cost: number) => {
        if (chainId !== undefined) client.used.set(chainId, (client.used.get(chainId) ?? 0) + cost);
      };
      return {
        maxSubscriptions: limits.subscriptions,
        message() {
          touch(name, client);
          return rate(take(client.messages, limits.messagesPerSecond, limits.messageBurst, 1), 'messages');
        },
        read(cost) {
          const wait = spentFor(client, chainId);
          if (wait !== undefined) return quotaSpent(wait);
          // A tenth suffices to begin, since the cache may have the answer; what it costs more is owed.
          const refusal = rate(take(client.reads, readRate / 60, readBurst, cost, cost / 10), 'reads');
          if (!refusal) add(cost);
          return refusal;
        },
        settle(cost, outcome) {
          if (outcome === 'upstream') return;
          client.reads.tokens = Math.min(readBurst, client.reads.tokens + cost * 0.9);
          add(-cost);
        },
        send: () =>
          rate(take(client.sends, limits.sendsPerSecond, limits.sendBurst, 1), 'signed transactions'),
        post() {
          if (client.posts >= limits.postsAtOnce) return rate(1, 'requests at once');
          client.posts++;
          return undefined;
        },
        posted() {
          client.posts = Math.max(0, client.posts - 1);
        },
        connect() {
          if (client.connections >= limits.connections) return false;
          client.connections++;
          return true;
        },
        disconnect() {
          client.connections = Math.max(0, client.connections - 1);
        },
      };
    },
  };
}

export declare namespace createLimits {
  interface Options {
    readonly limits?: LimitOptions | undefined;
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** What is used of the day. */
    readonly quota?: (chainId: number) => Service.Quota | undefined;
    /** Clients that are remembered. Default 50,000. */
    readonly most?: number;
  }
}

const dayOf = (time: number) => Math.floor(time / day);

function rate(wait: number | undefined, what: string): Refusal | undefined {
  if (wait === undefined) return undefined;
  const message = `too many ${what}: try again in ${wait} s`;
  return {
    error: { code: errorCode.limitExceeded, message, data: { reason: 'rate', retryAfter: wait } },
    status: 429,
    retryAfter: wait,
  };
}

const quotaSpent = (wait: number): Refusal => ({
  error: {
    code: errorCode.limitExceeded,
    message: `your share of today's requests is used up; try again in ${wait} s`,
    data: { reason: 'quota', retryAfter: wait },
  },
  status: 429,
  retryAfter: wait,
});
