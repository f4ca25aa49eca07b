/** Buckets of a client: `replays` has bytes of earlier steps that are sent again, `answers` those of all answers. */
export type BucketKind = 'messages' | 'reads' | 'sends' | 'replays' | 'answers';

/** The counts of a client, or of a block of addresses. */
export interface Client extends Readonly<Record<BucketKind, Bucket>> {
  readonly name: string;
  /** Each returns bytes that were sent and that the client has not read. */
  readonly unread: Set<() => number>;
  /** Requests by POST under way. */
  posts: number;
  connections: number;
  /** Requests that are at the service or wait for it, and those of them that come before the second one of others. */
  turns: number;
  firsts: number;
  /** Requests of the outermost block that wait for their turn, in order. */
  readonly waiting: Waiting[];
  /** The day of {@link used}, in days since 1970. */
  today: number;
  /** Requests to the service on that day, by chain; and of these the number that was stored last. */
  readonly used: Map<number, number>;
  readonly stored: Map<number, number>;
}

/** A request that waits for its turn. */
export interface Waiting {
  /** Its client and the blocks around it, the smallest first. */
  readonly clients: readonly Client[];
  start(): void;
}

/** A token bucket. */
export interface Bucket {
  tokens: number;
  /** Milliseconds since 1970. */
  countedAt: number;
}

/** The clients that are remembered: a bounded number, so that many addresses cost little memory. */
export interface Clients {
  /** @param factor of the full buckets of a new one. Default 1. */
  find(name: string, factor?: number): Client;
  /** Keeps a client that is used from being forgotten. */
  touch(client: Client): void;
  /** Forgets what a client has used of an earlier day. */
  startDay(client: Client, today: number): void;
  size(): number;
}

const day = 86_400_000;
/** Clients that are tried when one must be forgotten. */
const maxTries = 16;

/**
 * Where there are too many, the client that was idle longest is forgotten. One that has used its share of the day goes
 * after all others, since it would begin again with a whole one; one with connections or requests under way stays.
 */
export function createClients({ now, full, maxClients = 50_000 }: createClients.Options): Clients {
  /** Clients with nothing to remember but their buckets, and the others. Those that were used last come last. */
  const idle = new Map<string, Client>();
  const counted = new Map<string, Client>();
  /** Goes on where it was: a new one would pass all places of clients that were used since, or forgotten. */
  let oldest = idle.keys();

  const isHeld = ({ connections, posts, turns }: Client) => connections + posts + turns > 0;
  const isCounted = (client: Client) => {
    startDay(client, Math.floor(now() / day));
    return isHeld(client) || [...client.used.values()].some((used) => used >= 1);
  };

  function startDay(client: Client, today: number): void {
    if (client.today === today) return;
    client.today = today;
    client.used.clear();
    client.stored.clear();
  }

  function put(client: Client): void {
    idle.delete(client.name);
    counted.delete(client.name);
    (isCounted(client) ? counted : idle).set(client.name, client);
  }

  function forgetOne(): void {
    let { value: name } = oldest.next();
    if (name === undefined) {
      oldest = idle.keys();
      name = oldest.next().value;
    }
    if (name !== undefined) return void idle.delete(name);
    for (const client of [...counted.values()].slice(0, maxTries)) {
      counted.delete(client.name);
      if (!isHeld(client)) return;
      counted.set(client.name, client);
    }
  }

  return {
    size: () => idle.size + counted.size,
    startDay,
    touch(client) {
      // A forgotten client is not put back.
      if ((idle.get(client.name) ?? counted.get(client.name)) === client) put(client);
    },
    find(name, factor = 1) {
      const found = idle.get(name) ?? counted.get(name);
      if (found) {
        put(found);
        return found;
      }
      if (idle.size + counted.size >= maxClients) forgetOne();
      const time = now();
      const bucket = (kind: BucketKind) => ({ tokens: full[kind].burst * factor, countedAt: time });
      const client: Client = {
        name,
        messages: bucket('messages'),
        reads: bucket('reads'),
        sends: bucket('sends'),
        replays: bucket('replays'),
        answers: bucket('answers'),
        unread: new Set(),
        posts: 0,
        connections: 0,
        turns: 0,
        firsts: 0,
        waiting: [],
        today: Math.floor(time / day),
        used: new Map(),
        stored: new Map(),
      };
      idle.set(name, client);
      return client;
    },
  };
}

export declare namespace createClients {
  interface Options {
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** Tokens in the buckets of a new client. */
    readonly full: Readonly<Record<BucketKind, { readonly burst: number }>>;
    /** Clients that are remembered. Default 50,000. */
    readonly maxClients?: number | undefined;
  }
}
