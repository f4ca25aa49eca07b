import { own } from '../../../../src/rpc/own.js';
import type { QuotaStore } from '../../../../src/service/rate-limit/daily-quota.js';
import type { Service } from '../../../../src/service/service.js';
import { once } from '../once.js';
import { type Refusal, tooMany } from '../refusal.js';
import { type AddressBlock, levelsOf, maxConnections } from './client-address.js';
import { type Bucket, type BucketKind, type Client, createClients, type Waiting } from './clients.js';

/**
 * Limits per client. A client is the `sub` of its token, else its address (IPv6: its /64). Every request to the service that a
 * client causes is charged to it. A /64 is charged together with the /56 and the /48 around it, which have a few times the limits
 * of one client; its share of the day and its connections count for the /32 too.
 */
export interface Limits {
  /** The limits of one client on one chain; without a chain, only those that do not depend on it. */
  of(client: string, chainId?: number, grant?: Grant): ClientLimits;
  /** Clients that are remembered. */
  size(): number;
}

/** Limits that a token overrides. */
export interface Grant {
  /** Reads that reach the service, per minute. */
  readonly readsPerMinute?: number | undefined;
}

/** The account of a subscription: its requests to the service, and the bytes that are sent to it again. */
export interface Payer {
  /** Charges requests that were made on its account: owed, where nothing is left. */
  charge(requests: number): void;
  /** The refusal of further requests today; `undefined` while the account has a share left. */
  spent(): Refusal | undefined;
  /** Takes the bytes of earlier steps that are sent again; 0 asks whether any may be. */
  replay(bytes: number): Refusal | undefined;
}

export interface ClientLimits extends Payer {
  /** Counts messages; 0 asks whether one more would be taken. */
  message(count?: 0 | 1): Refusal | undefined;
  /** Takes the cost of a read. */
  read(cost: number): Refusal | undefined;
  /**
   * Gives back nine tenths of the cost of a read that cost the service nothing, and charges the requests beyond its cost.
   * @param sent requests that were made for it, repeated ones included
   */
  settle(cost: number, outcome: 'hit' | 'shared' | 'upstream', sent?: number): void;
  /** Takes a subscription, which costs as much as a read from memory. */
  stream(): Refusal | undefined;
  /** Takes a signed transaction. */
  send(): Refusal | undefined;
  /**
   * Settles a transaction. One that was accepted costs a second request, since the head is read again after it; one that
   * was refused costs five; one that joined an equal one, or was answered here, none.
   */
  sent(outcome: 'accepted' | 'refused' | 'shared'): void;
  /** The refusal of a further answer, where the client was sent too many bytes, or has not read them. */
  full(): Refusal | undefined;
  /**
   * Charges the bytes of an answer, or of what is pushed: owed, where nothing is left.
   * @returns whether less than a whole minute is owed
   */
  answered(bytes: number): boolean;
  /** Counts bytes that the client has not read, until the returned function is called. */
  hold(unread: () => number): () => void;
  /** Counts a request by POST; refuses it where the client has too many under way. */
  post(): Refusal | undefined;
  /** A request by POST has ended, and its answer has left. */
  posted(): void;
  /** Counts a connection; false where the client has too many. */
  connect(): boolean;
  disconnect(): void;
  /** Resolves when one more request of the client may be under way. */
  turn(): Promise<Turn>;
  /** Maximum subscriptions per connection. */
  readonly maxSubscriptions: number;
}

/** A request that is under way. */
export interface Turn {
  /** Whether no other one of the client is, nor more of a block of addresses than it counts as clients. */
  readonly isFirst: boolean;
  end(): void;
}

/** Each has the default that is named. */
export interface LimitOptions {
  /** Messages per second and client. Default 20. */
  readonly messagesPerSecond?: number | undefined;
  /** Messages at once after a pause. Default 60. */
  readonly messageBurst?: number | undefined;
  /** Reads that reach the service, per minute and client; a read from the cache counts as a tenth. Default 30. */
  readonly readsPerMinute?: number | undefined;
  /** Such reads at once after a pause. Default 60. */
  readonly readBurst?: number | undefined;
  /** Signed transactions per second and client; one that the service refuses counts as five. Default 1. */
  readonly sendsPerSecond?: number | undefined;
  /** Signed transactions at once after a pause. Default 5. */
  readonly sendBurst?: number | undefined;
  /** Bytes of earlier steps that are sent again, per minute and client. Default 2,097,152. */
  readonly replayBytesPerMinute?: number | undefined;
  /**
   * Bytes of answers, events and pushed messages per minute and client, also from memory or shared. An answer that exceeds them
   * is still sent, and the excess is owed. Default 8,388,608.
   */
  readonly answerBytesPerMinute?: number | undefined;
  /** Bytes that one client has not read, above which it gets no further answer. Default 8,388,608. */
  readonly unreadBytes?: number | undefined;
  /** Requests by POST of one client that are under way, or whose answer it has not read. Default 64. */
  readonly postsAtOnce?: number | undefined;
  /** Connections per client. Default 10. */
  readonly connections?: number | undefined;
  /**
   * TCP connections of one address, whatever comes over them: `serveRelay` counts them where there are no `trustedProxies`.
   * Default 256.
   */
  readonly sockets?: number | undefined;
  /** Connections in all. Default 5,000. */
  readonly connectionsInAll?: number | undefined;
  /** Subscriptions per connection. Default 20. */
  readonly subscriptions?: number | undefined;
  /** The share of a day's requests that one client may use. Its last tenth is kept for transactions. Default 0.05. */
  readonly shareOfDay?: number | undefined;
}

/** Every limit with its value. */
export type LimitValues = { readonly [Name in keyof LimitOptions]-?: NonNullable<LimitOptions[Name]> };

export const defaultLimits: LimitValues = {
  messagesPerSecond: 20,
  messageBurst: 60,
  readsPerMinute: 30,
  readBurst: 60,
  sendsPerSecond: 1,
  sendBurst: 5,
  replayBytesPerMinute: 2_097_152,
  answerBytesPerMinute: 8_388_608,
  unreadBytes: 8_388_608,
  postsAtOnce: 64,
  connections: 10,
  sockets: 256,
  connectionsInAll: 5_000,
  subscriptions: 20,
  shareOfDay: 0.05,
};

/** The limits that a relay has with these options: an absent one and `undefined` are the default. */
export const limitValues = (options: LimitOptions = {}): LimitValues => ({
  ...defaultLimits,
  ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
});

const day = 86_400_000;
/** Share of a client's share of the day that reads may use: the rest is kept for its transactions. */
const shareOfReads = 0.9;
/** A read that was answered from memory or shared, as a part of its cost. */
const shared = 0.1;
/** The count of a transaction that the service has refused. */
const refusedSend = 5;
/** Maximum requests of one client at the service: others wait for few of them. */
const maxAtOnce = 8;

/** A client, or a block of addresses that counts as several. */
interface Level extends AddressBlock {
  readonly client: Client;
}

/** Tokens that a bucket gets per second, and that it holds; and what its refusal calls them. */
interface Pace {
  readonly rate: number;
  readonly burst: number;
  readonly of: string;
}

const perMinute = (burst: number, of: string): Pace => ({ rate: burst / 60, burst, of });

export function createLimits(given: createLimits.Options): Limits {
  const options = own(given);
  const { now, quota = () => undefined, share = () => undefined, maxClients } = options;
  const limits = limitValues(options.limits);
  const defaultPaces: Readonly<Record<BucketKind, Pace>> = {
    messages: { rate: limits.messagesPerSecond, burst: limits.messageBurst, of: 'messages' },
    reads: { rate: limits.readsPerMinute / 60, burst: limits.readBurst, of: 'reads' },
    sends: { rate: limits.sendsPerSecond, burst: limits.sendBurst, of: 'signed transactions' },
    replays: perMinute(limits.replayBytesPerMinute, 'blocks sent again'),
    answers: perMinute(limits.answerBytesPerMinute, 'bytes of answers'),
  };
  const clients = createClients({ now, maxClients, full: defaultPaces });

  /** Requests of a client on this day. */
  function usedOf(client: Client, chainId: number): number {
    clients.startDay(client, Math.floor(now() / day));
    const counted = client.used.get(chainId);
    if (counted !== undefined) return counted;
    const [today = 0, count = 0] = (share(chainId, client.name)?.read() ?? '').split(' ').map(Number);
    const used = today === client.today ? count : 0;
    client.used.set(chainId, used);
    client.stored.set(chainId, used);
    return used;
  }

  return {
    size: clients.size,
    of(name, chainId, grant) {
      const levels: readonly Level[] = levelsOf(name).map((block) => ({
        ...block,
        client: clients.find(block.name, block.factor),
      }));
      /** The levels whose rates are limited. */
      const paced = levels.filter(({ isWide }) => !isWide);
      const reads = grant?.readsPerMinute ?? limits.readsPerMinute;
      const paces = {
        ...defaultPaces,
        reads: { rate: reads / 60, burst: Math.max(limits.readBurst, reads), of: 'reads' },
      };
      const touch = () => {
        for (const { client } of levels) clients.touch(client);
      };

      /** Takes `cost` from a bucket of each level where each has at least `min`; else the refusal. */
      function take(kind: BucketKind, cost: number, min = cost): Refusal | undefined {
        const { rate, burst, of } = paces[kind];
        const waits = paced.map(({ client, factor }) => {
          const bucket = client[kind];
          refill(bucket, rate * factor, burst * factor, now());
          // Tolerates floating-point rounding.
          if (bucket.tokens + 1e-6 >= min) return 0;
          return Math.max(1, Math.ceil((min - bucket.tokens) / (rate * factor)));
        });
        const wait = Math.max(...waits);
        if (wait > 0) return tooFast(of, wait);
        for (const { client } of paced) client[kind].tokens -= cost;
        return undefined;
      }

      /** Adds to what was used of the day; less than nothing gives back. */
      function use(requests: number): void {
        if (chainId === undefined) return;
        for (const { client } of levels)
          client.used.set(chainId, Math.max(0, usedOf(client, chainId) + requests));
        touch();
      }

      /** Like {@link use}, for requests that are settled: the count is stored. */
      function spend(requests: number): void {
        use(requests);
        if (chainId === undefined) return;
        for (const { client } of levels) {
          const count = Math.ceil(client.used.get(chainId) ?? 0);
          if (count === (client.stored.get(chainId) ?? 0)) continue;
          client.stored.set(chainId, count);
          share(chainId, client.name)?.write(`${client.today} ${count}`);
        }
      }

      function give(kind: BucketKind, tokens: number): void {
        for (const { client, factor } of paced)
          client[kind].tokens = Math.min(paces[kind].burst * factor, client[kind].tokens + tokens);
      }

      /** The refusal of `cost` more requests, where they would be more than `part` of the client's share of the day. */
      function spent(cost: number, part: number): Refusal | undefined {
        const state = chainId === undefined ? undefined : quota(chainId);
        if (chainId === undefined || !state || state.perDay === null) return undefined;
        const perDay = state.perDay * limits.shareOfDay * part;
        const today = Math.floor(now() / day);
        const isSpent = levels.some(({ client, factor }) => {
          const used = usedOf(client, chainId);
          // A share that is smaller than one request still allows one.
          return used > 0 && used + cost > perDay * factor + 1e-6;
        });
        if (!isSpent) return undefined;
        const wait = Math.ceil(((today + 1) * day - now()) / 1000);
        return tooMany('quota', `your share of today's requests is used up; try again in ${wait} s`, wait);
      }

      const read = (cost: number): Refusal | undefined => {
        // A tenth suffices to begin, since the cache may have the answer; what it costs more is owed.
        const refusal = spent(cost, shareOfReads) ?? take('reads', cost, cost * shared);
        if (!refusal) use(cost);
        return refusal;
      };
      const settle: ClientLimits['settle'] = (cost, outcome, sent = 0) => {
        const isSent = outcome === 'upstream';
        give('reads', cost - Math.max(isSent ? cost : cost * shared, sent));
        spend(Math.max(isSent ? cost : 0, sent) - cost);
      };

      return {
        maxSubscriptions: limits.subscriptions,
        message(count = 1) {
          touch();
          return take('messages', count, 1);
        },
        read,
        settle,
        stream() {
          const refusal = read(1);
          if (!refusal) settle(1, 'hit');
          return refusal;
        },
        charge(requests) {
          give('reads', -requests);
          spend(requests);
        },
        spent: () => spent(0, shareOfReads),
        send() {
          const refusal = spent(1, 1) ?? take('sends', 1);
          if (!refusal) use(1);
          return refusal;
        },
        sent(outcome) {
          if (outcome === 'shared') return spend(-1);
          if (outcome === 'accepted') return spend(1);
          give('sends', 1 - refusedSend);
          spend(refusedSend - 1);
        },
        replay: (bytes) => take('replays', bytes, 1),
        full() {
          const refusal = take('answers', 0, 1);
          if (refusal) return refusal;
          const isFull = paced.some(({ client, factor }) => unreadOf(client) >= limits.unreadBytes * factor);
          return isFull ? tooFast('answers that were not read', 1) : undefined;
        },
        answered(bytes) {
          for (const { client } of paced) client.answers.tokens -= bytes;
          return paced.every(
            ({ client, factor }) => client.answers.tokens >= -limits.answerBytesPerMinute * factor,
          );
        },
        hold(unread) {
          for (const { client } of paced) client.unread.add(unread);
          return () => {
            for (const { client } of paced) client.unread.delete(unread);
          };
        },
        post() {
          if (paced.some(({ client, factor }) => client.posts >= limits.postsAtOnce * factor))
            return tooFast('requests at once', 1);
          for (const { client } of paced) client.posts++;
          touch();
          return undefined;
        },
        posted() {
          for (const { client } of paced) client.posts = Math.max(0, client.posts - 1);
          touch();
        },
        connect() {
          const max = (level: Level) => maxConnections(level, limits.connections, limits.connectionsInAll);
          if (levels.some((level) => level.client.connections >= max(level))) return false;
          for (const { client } of levels) client.connections++;
          touch();
          return true;
        },
        disconnect() {
          for (const { client } of levels) client.connections = Math.max(0, client.connections - 1);
          touch();
        },
        turn: () => takeTurn(paced),
      };
    },
  };
}

export declare namespace createLimits {
  interface Options {
    readonly limits?: LimitOptions | undefined;
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** Reads the state of a chain's daily quota. */
    readonly quota?: ((chainId: number) => Service.Quota | undefined) | undefined;
    /** Opens the store of a client's usage on this day. Default: it is kept in memory only. */
    readonly share?: ((chainId: number, client: string) => QuotaStore | undefined) | undefined;
    /** Clients that are remembered. Default 50,000. */
    readonly maxClients?: number | undefined;
  }
}

function refill(bucket: Bucket, rate: number, burst: number, time: number): void {
  const passed = Math.max(0, time - bucket.countedAt);
  bucket.countedAt = time;
  bucket.tokens = Math.min(burst, bucket.tokens + (passed * rate) / 1000);
}

/**
 * Requests of the outermost block wait once {@link maxAtOnce} are under way. The next one is of the block, and in it of the
 * client, with the fewest under way: one /64 does not hold the turns of its neighbours.
 *
 * @param levels the client and the blocks around it, the smallest first
 */
async function takeTurn(levels: readonly Level[]): Promise<Turn> {
  const clients = levels.map(({ client }) => client);
  const outermost = levels[levels.length - 1] as Level;
  const { waiting } = outermost.client;
  const count = (turns: number) => {
    for (const client of clients) client.turns += turns;
  };
  if (outermost.client.turns >= maxAtOnce)
    await new Promise<void>((resolve) =>
      waiting.push({
        clients,
        start() {
          count(1);
          resolve();
        },
      }),
    );
  else count(1);
  const isFirst = clients[0]?.turns === 1 && outermost.client.firsts < outermost.factor;
  if (isFirst) outermost.client.firsts += 1;
  return {
    isFirst,
    end: once(() => {
      count(-1);
      if (isFirst) outermost.client.firsts -= 1;
      const next = waiting.reduce<Waiting | undefined>(
        (best, each) => (best && !hasFewer(each, best) ? best : each),
        undefined,
      );
      if (!next) return;
      waiting.splice(waiting.indexOf(next), 1);
      next.start();
    }),
  };
}

/** Compares the largest blocks that differ. */
function hasFewer({ clients }: Waiting, { clients: others }: Waiting): boolean {
  for (let i = clients.length - 1; i >= 0; i--) {
    const difference = (clients[i]?.turns ?? 0) - (others[i]?.turns ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

const unreadOf = ({ unread }: Client): number => [...unread].reduce((bytes, read) => bytes + read(), 0);

/** @param wait seconds */
const tooFast = (of: string, wait: number): Refusal =>
  tooMany('rate', `too many ${of}: try again in ${wait} s`, wait);
