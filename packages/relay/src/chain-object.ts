import { createFloodCheck, firstMessage } from './access/floods.js';
import { defaultLimits } from './access/limits.js';
import { createObjectEngine, type ObjectDatabase } from './engines/object-engine.js';
import { createRelay, type Relay, type SavedConnection } from './handler.js';
import type { Outlet } from './heads/outlet.js';
import {
  namespaceOf,
  type ObjectId,
  optionsOf,
  type WorkerEnvironment,
} from './options/worker-environment.js';
import type { Session } from './session.js';

/** The Durable Object of one chain, which its name says. */
export class ChainObject {
  readonly #state: ObjectState;
  readonly #sessions = new Map<string, Session>();
  readonly #floods = new Map<string, () => boolean>();
  #messagesPerSecond: number = defaultLimits.messagesPerSecond;
  #relay!: Relay;
  #chainId!: number;
  /** When the alarm is due; `null` where none is set. */
  #alarm: number | null = null;
  /** When the head is polled next, in milliseconds since 1970; `null` without subscribers. */
  #pollAt: number | null = null;
  /** Connections that have not sent anything, and when they are closed for it: milliseconds since 1970. */
  readonly #silent = new Map<string, number>();
  #failures = 0;

  constructor(state: ObjectState, env: WorkerEnvironment) {
    this.#state = state;
    void state.blockConcurrencyWhile(async () => {
      const { networks, ...options } = await optionsOf(env);
      const network = networks.find(({ chainId }) =>
        namespaceOf(env).idFromName(String(chainId)).equals(state.id),
      );
      if (!network) throw new Error('This object is of a chain that is not configured.');
      this.#chainId = network.chainId;
      this.#messagesPerSecond = options.limits?.messagesPerSecond ?? defaultLimits.messagesPerSecond;
      const engine = createObjectEngine(state.storage.sql);
      this.#relay = createRelay({ ...options, networks: [network], engine: () => engine }, { passive: true });
      this.#alarm = await state.storage.getAlarm();
      // Before a sleep the alarm was that of the next poll, unless a silent connection was open.
      this.#pollAt = this.#alarm;
      const sockets = state.getWebSockets();
      this.#forgetTopicsExcept(sockets.map((socket) => this.#idOf(socket)));
      for (const socket of sockets) this.#restore(socket);
    });
  }

  async fetch(request: Request): Promise<Response> {
    const peer = { address: request.headers.get('cf-connecting-ip') ?? undefined };
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      const response = await this.#relay.fetch(request, peer);
      // A stream of blocks has subscribed.
      await this.#schedule();
      return response;
    }
    const accepted = await this.#relay.upgrade(request, peer);
    if (accepted instanceof Response) return accepted;
    const { 0: client, 1: server } = new WebSocketPair();
    const id = crypto.randomUUID();
    const { saved } = accepted;
    const outlet = outletOf(server);
    let refusal: Parameters<Outlet['close']> | undefined;
    const session = accepted.open({
      ...outlet,
      close(...reason) {
        refusal ??= reason;
        outlet.close(...reason);
      },
    });
    if (refusal) {
      // The close of a socket that may sleep is not sent before the object does.
      server.accept();
      outlet.close(...refusal);
    } else {
      this.#state.acceptWebSocket(server, [id]);
      const silentUntil = Date.now() + firstMessage;
      server.serializeAttachment({ saved, topics: [], silentUntil } satisfies Attachment);
      this.#sessions.set(id, session);
      this.#silent.set(id, silentUntil);
      await this.#schedule();
    }
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: accepted.protocol === undefined ? {} : { 'sec-websocket-protocol': accepted.protocol },
    } as ResponseInit);
  }

  async webSocketMessage(socket: ObjectSocket, data: string | ArrayBuffer): Promise<void> {
    const { saved, topics, stored } = socket.deserializeAttachment() as Attachment;
    const id = this.#idOf(socket);
    if (this.#silent.delete(id))
      socket.serializeAttachment({ saved, topics, ...(stored && { stored }) } satisfies Attachment);
    if (typeof data !== 'string') return outletOf(socket).close(1008, 'text only');
    const session = this.#sessions.get(id);
    if (!session || this.#isExpired(socket)) return;
    const floods = this.#floods.get(id) ?? createFloodCheck(this.#messagesPerSecond);
    this.#floods.set(id, floods);
    if (floods()) {
      this.#relay.metrics.dropped('rate');
      return outletOf(socket).close(1008, 'too many messages');
    }
    const { text } = await session.receive(data);
    this.#save(socket, session);
    if (text !== undefined) outletOf(socket).send(text);
    await this.#schedule();
  }

  async webSocketClose(socket: ObjectSocket): Promise<void> {
    await this.#end(socket);
  }

  async webSocketError(socket: ObjectSocket): Promise<void> {
    await this.#end(socket);
  }

  /** Polls, tells the clients, and sets the next alarm. */
  async alarm(): Promise<void> {
    this.#alarm = null;
    for (const socket of this.#state.getWebSockets())
      if (!this.#isExpired(socket)) this.#closeIfSilent(socket);
    const startedAt = Date.now();
    if (this.#pollAt !== null && this.#pollAt > startedAt) return this.#schedule();
    this.#pollAt = null;
    try {
      await this.#relay.core.poll(this.#chainId);
      this.#failures = 0;
    } catch {
      // An alarm that throws would be repeated by the platform, at its own pace.
      this.#failures += 1;
    }
    await this.#schedule(startedAt);
  }

  /** Sets the alarm for the next poll or silent connection, whichever is first; deletes it where there is neither. */
  async #schedule(from = Date.now()): Promise<void> {
    const { core } = this.#relay;
    const { storage } = this.#state;
    if (!core.leads(this.#chainId)) this.#pollAt = null;
    else {
      const interval = core.chains.get(this.#chainId)?.interval() ?? maxBackoff;
      const backoff = Math.min(maxBackoff, interval * 2 ** Math.max(0, this.#failures - 1));
      this.#pollAt = Math.min(this.#pollAt ?? Number.POSITIVE_INFINITY, from + Math.max(interval, backoff));
    }
    const next = Math.min(this.#pollAt ?? Number.POSITIVE_INFINITY, ...this.#silent.values());
    if (next === Number.POSITIVE_INFINITY) {
      if (this.#alarm === null) return;
      this.#alarm = null;
      return storage.deleteAlarm();
    }
    if (this.#alarm !== null && this.#alarm <= next) return;
    this.#alarm = next;
    return storage.setAlarm(next);
  }

  /** Closes a connection that has sent nothing for {@link firstMessage}, as on Node. */
  #closeIfSilent(socket: ObjectSocket): void {
    const id = this.#idOf(socket);
    if ((this.#silent.get(id) ?? Number.POSITIVE_INFINITY) > Date.now()) return;
    this.#closeSession(id);
    outletOf(socket).close(1008, 'no message');
  }

  /** Takes up a connection again that was open while the object slept. */
  #restore(socket: ObjectSocket): void {
    const outlet = outletOf(socket);
    const id = this.#idOf(socket);
    try {
      const { saved, topics, stored, silentUntil } = socket.deserializeAttachment() as Attachment;
      if (silentUntil !== undefined) this.#silent.set(id, silentUntil);
      const session = this.#relay.reopen(saved, outlet);
      this.#sessions.set(id, session);
      session.restore(stored ? this.#readTopics(id) : topics);
    } catch {
      outlet.close(1001, 'restart');
    }
  }

  /** Keeps the subscriptions of a connection: beside the socket, or in the database where they are too long for that. */
  #save(socket: ObjectSocket, session: Session): void {
    const { saved, topics, stored } = socket.deserializeAttachment() as Attachment;
    const present = session.topics();
    const id = this.#idOf(socket);
    const before = stored ? this.#readTopics(id) : topics;
    if (JSON.stringify(present) === JSON.stringify(before)) return;
    const { sql } = this.#state.storage;
    const isLong = JSON.stringify({ saved, topics: present }).length > maxAttachment;
    if (stored && !isLong) sql.exec('DELETE FROM topics WHERE id = ?', id);
    if (isLong)
      sql.exec('INSERT OR REPLACE INTO topics (id, topics) VALUES (?, ?)', id, JSON.stringify(present));
    const attachment: Attachment = isLong ? { saved, topics: [], stored: true } : { saved, topics: present };
    socket.serializeAttachment(attachment);
  }

  /** Deletes the rows of connections that ended while no object ran: no event comes for them. */
  #forgetTopicsExcept(ids: readonly string[]): void {
    const { sql } = this.#state.storage;
    sql.exec('CREATE TABLE IF NOT EXISTS topics (id TEXT PRIMARY KEY, topics TEXT NOT NULL)');
    const kept = new Set(ids);
    for (const { id } of [...sql.exec('SELECT id FROM topics')])
      if (!kept.has(String(id))) sql.exec('DELETE FROM topics WHERE id = ?', String(id));
  }

  #readTopics(id: string): readonly string[] {
    const [row] = [...this.#state.storage.sql.exec('SELECT topics FROM topics WHERE id = ?', id)];
    return row ? (JSON.parse(String(row.topics)) as string[]) : [];
  }

  async #end(socket: ObjectSocket): Promise<void> {
    const id = this.#idOf(socket);
    this.#closeSession(id);
    this.#floods.delete(id);
    if ((socket.deserializeAttachment() as Attachment | null)?.stored)
      this.#state.storage.sql.exec('DELETE FROM topics WHERE id = ?', id);
    outletOf(socket).close(1000, '');
    await this.#schedule();
  }

  #closeSession(id: string): void {
    this.#sessions.get(id)?.close();
    this.#sessions.delete(id);
    this.#silent.delete(id);
  }

  /** Closes a connection whose token has expired. */
  #isExpired(socket: ObjectSocket): boolean {
    const { saved } = socket.deserializeAttachment() as Attachment;
    if (saved.expires === undefined || saved.expires > Date.now()) return false;
    const id = this.#idOf(socket);
    if (this.#sessions.has(id)) this.#relay.metrics.dropped('expired');
    this.#closeSession(id);
    outletOf(socket).close(4001, 'token expired');
    return true;
  }

  #idOf(socket: ObjectSocket): string {
    return this.#state.getTags(socket)[0] ?? '';
  }
}

/** The state kept beside a socket while the object sleeps. */
interface Attachment {
  readonly saved: SavedConnection;
  readonly topics: readonly string[];
  /** The topics are in the database. */
  readonly stored?: boolean | undefined;
  /** When it is closed if it has sent nothing until then: milliseconds since 1970. */
  readonly silentUntil?: number | undefined;
}

/** The outlet of a socket. Its functions do not throw once the connection has ended. */
const outletOf = (socket: ObjectSocket): Outlet => ({
  send: (text) => unlessEnded(() => socket.send(text)),
  close: (code, reason) => unlessEnded(() => socket.close(code, reason)),
  // The platform does not say.
  buffered: () => 0,
});

function unlessEnded(run: () => void): void {
  try {
    run();
  } catch {
    // The connection has ended.
  }
}

/** Milliseconds between polls that fail. */
const maxBackoff = 30_000;
/** Characters that surely fit beside a socket. */
const maxAttachment = 1_500;

// The parts of the Workers runtime used here.

/** A WebSocket that stays open while its object sleeps. */
interface ObjectSocket {
  /** Opens it as one that keeps its object awake. */
  accept(): void;
  send(text: string): void;
  close(code: number, reason: string): void;
  serializeAttachment(attachment: unknown): void;
  deserializeAttachment(): unknown;
}

interface ObjectState {
  readonly id: ObjectId;
  readonly storage: {
    readonly sql: ObjectDatabase;
    getAlarm(): Promise<number | null>;
    setAlarm(time: number): Promise<void>;
    deleteAlarm(): Promise<void>;
  };
  blockConcurrencyWhile<T>(run: () => Promise<T>): Promise<T>;
  acceptWebSocket(socket: ObjectSocket, tags: string[]): void;
  getWebSockets(): ObjectSocket[];
  getTags(socket: ObjectSocket): string[];
}

declare const WebSocketPair: new () => { readonly 0: unknown; readonly 1: ObjectSocket };
