import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { errorCode, isProviderRpcError } from '../../../src/rpc/errors.js';
import { own } from '../../../src/rpc/own.js';
import { membersOf } from '../../../src/rpc/own-data.js';
import { type Claims, createAuth, readBearer, readSubprotocols, tokenMissing } from './access/auth.js';
import { addressBehind, clientOf } from './access/client-address.js';
import { type ClientLimits, createLimits } from './access/limits.js';
import { createOrigins } from './access/origins.js';
import { createPolicy, signedSend } from './access/policy.js';
import { createEventStream, type EventStream } from './heads/event-stream.js';
import type { Outlet } from './heads/outlet.js';
import { once } from './once.js';
import { type RelayOptions, readOptions } from './options/config.js';
import { type Refusal, refused } from './refusal.js';
import { createRelayCore, type RelayCore } from './relay.js';
import { createMetrics, type Metrics } from './reports/metrics.js';
import { statusPage } from './reports/page.js';
import type { Session } from './session.js';

/**
 * A relay as a handler of the fetch API: it runs wherever there are `Request` and `Response`. `serveRelay` of
 * `graft-relay/node` puts it behind a server.
 *
 * @example
 * const relay = createRelay({
 *   networks: [{ chainId: 31, url: 'https://rpc.testnet.rootstock.io/my-key' }],
 *   origins: ['https://app.example'],
 * });
 * const request = new Request('https://relay.app.example/31', {
 *   method: 'POST',
 *   headers: { 'content-type': 'application/json', origin: 'https://app.example' },
 *   body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
 * });
 * const response = await relay.fetch(request, { address: '203.0.113.7' });
 * const metrics = await relay.admin(new Request('http://localhost/metrics'));
 * console.log(response.status, await metrics.text());
 * await relay.close();
 */
export interface Relay {
  /**
   * Answers one HTTP request: JSON-RPC by POST, blocks as server-sent events, `/health`; `/metrics` and `/status` with the
   * admin token. Never rejects. Not for an upgrade to a WebSocket.
   */
  fetch(request: Request, peer?: Peer): Promise<Response>;
  /** Decides on an upgrade to a WebSocket: the response that refuses it, or what to do once it is open. */
  upgrade(request: Request, peer?: Peer): Promise<Response | Accepted>;
  /**
   * Begins the session of a connection again, in a process that has come after the one that accepted it. Its subscriptions
   * are not part of this: see {@link Session.restore}.
   */
  reopen(saved: SavedConnection, outlet: Outlet): Session;
  /** Answers `/metrics` and `/status` without a token: for a port that only the owner reaches. */
  admin(request: Request): Promise<Response>;
  /**
   * Resolves once clients can be admitted. Until then, requests with a token may get 503.
   * @throws ProviderRpcError -32602 for a key of `jwt` that cannot be read; the package's error where `jose` is missing
   */
  ready(): Promise<void>;
  /** Its chains and sessions, for building another server around it. */
  readonly core: RelayCore;
  /** The numbers of `/metrics`. */
  readonly metrics: Metrics;
  /** Ends the streams of server-sent events and stops polling. */
  close(): Promise<void>;
}

/** The peer that sent a request. */
export interface Peer {
  /** Its IP address. */
  readonly address?: string | undefined;
  /**
   * Resolves when the client has the whole response, or is gone: until then a POST counts as under way, since its answer is
   * in memory. Absent: a POST ends when it is answered.
   */
  readonly ended?: Promise<void> | undefined;
  /** The body of the request, where the server has it in a form that costs less than the stream of a `Request`. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
}

/**
 * An upgrade that is allowed.
 *
 * @example
 * const relay = createRelay({
 *   networks: [{ chainId: 31, url: 'https://rpc.testnet.rootstock.io/my-key' }],
 *   origins: ['https://app.example'],
 * });
 * const request = new Request('https://relay.app.example/31', { headers: { origin: 'https://app.example' } });
 * const accepted = await relay.upgrade(request, { address: '203.0.113.7' });
 * if (!(accepted instanceof Response)) {
 *   const session = accepted.open({
 *     send: (text) => console.log(text),
 *     close: (code, reason) => console.log(code, reason),
 *     buffered: () => 0,
 *   });
 *   const { text } = await session.receive('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');
 *   console.log(text);
 *   session.close();
 * }
 */
export interface Accepted {
  /** For `Sec-WebSocket-Protocol`; absent where the client has offered none of ours. */
  readonly protocol?: string | undefined;
  /** When the client's token expires: milliseconds since 1970. */
  readonly expires?: number | undefined;
  /** The state from which {@link Relay.reopen} resumes its session. */
  readonly saved: SavedConnection;
  /**
   * Begins the session. Where there are too many connections, it closes the outlet with 1013 or 4003. The caller closes
   * the session when the connection ends.
   */
  open(outlet: Outlet): Session;
}

/** The state of a connection that a process must keep while it sleeps, as plain JSON. */
export interface SavedConnection {
  /** The chain of its path. */
  readonly chainId: number;
  /** Name of the client: `ip` and its address, or `sub` and the subject of its token. */
  readonly client: string;
  /** Reads per minute, where its token says so. */
  readonly reads?: number | undefined;
  /** When its token expires: milliseconds since 1970. */
  readonly expires?: number | undefined;
}

/** Seconds for which a browser may keep the answer to a preflight. */
const preflightAge = 600;
/** Bytes of the bodies of all clients that are in memory at once. */
const maxBodies = 2 ** 27;
/** The longest timeout that timers can hold. */
const maxTimeout = 2_147_483_647;

/**
 * Creates a relay: a handler between the browsers of one app and a hosted node, which keeps the API key, follows the chain
 * once for all, and answers equal reads once. Nothing is sent to the node before a client asks.
 *
 * @throws ProviderRpcError -32602 naming the option that is wrong
 * @example
 * const relay = createRelay({
 *   networks: [{ chainId: 31, url: 'https://rpc.testnet.rootstock.io/my-key' }],
 *   origins: ['https://app.example'],
 * });
 * const response = await relay.fetch(new Request('https://relay.app.example/health'));
 */
export function createRelay(options: RelayOptions, settings: createRelay.Settings = {}): Relay {
  const { passive = false } = own(settings);
  const checked = readOptions(options);
  const now = () => Date.now();
  const chainIds = checked.networks.map(({ chainId }) => chainId);
  const auth = checked.jwt && createAuth({ jwt: checked.jwt, now });
  const policy = createPolicy({
    chains: chainIds,
    methods: checked.methods,
    height: (chainId) => core.chains.get(chainId)?.height() ?? null,
  });
  const limits = createLimits({
    limits: checked.limits,
    now,
    quota: (chainId) => core.chains.get(chainId)?.quota(),
    share: (chainId, client) => core.share(chainId, client),
  });
  const metrics = createMetrics({ methods: policy.methods });
  const { engine, fetch, WebSocket } = checked;
  const core = createRelayCore({
    chains: checked.networks.map((network) => ({ ...network, fetch, WebSocket })),
    policy,
    metrics,
    passive,
    engine,
  });
  for (const [chainId, chain] of core.chains)
    metrics.observe(chainId, () => ({
      height: chain.height(),
      age: chain.age(),
      interval: chain.interval(),
      quota: chain.quota(),
      leading: core.leads(chainId),
    }));

  const streams = new Set<EventStream>();
  let connected = 0;
  /** Bytes of all bodies in memory. */
  let bodies = 0;

  /** The chain of `/`, `/31` or `/31/rest`; undefined for any other path. */
  function route(pathname: string): { chainId: number; rest: string } | undefined {
    const [first = '', ...others] = pathname.split('/').slice(1);
    const rest = others.join('/');
    if (first === '' && others.length === 0) return { chainId: chainIds[0] as number, rest: '' };
    if (!/^[1-9]\d{0,15}$/.test(first)) return undefined;
    const chainId = Number(first);
    return chainIds.includes(chainId) ? { chainId, rest } : undefined;
  }

  const origins = createOrigins(checked.origins);

  const addressOf = (request: Request, peer: Peer) =>
    addressBehind(peer.address, request.headers.get('x-forwarded-for'), checked.trustedProxies);

  /** Identifies the client and finds its limits; or refuses it. */
  async function admit(
    request: Request,
    peer: Peer,
    chainId: number,
    token = tokenOf(request),
  ): Promise<Admitted | Refusal> {
    const origin = request.headers.get('origin') ?? undefined;
    if (!origins.admits(origin, auth !== undefined))
      return refused(errorCode.unauthorized, 'The origin is not on the list of this relay.', 403);
    let claims: Claims | undefined;
    if (auth && token !== undefined) {
      const found = await auth.check(token, origin);
      if ('error' in found) return found;
      claims = found;
      if (claims.chains && !claims.chains.includes(chainId))
        return refused(errorCode.unauthorized, 'The token is for other chains.', 403);
    } else if (auth && (auth.required || !origins.isListed(origin))) return tokenMissing();
    const name =
      claims?.subject === undefined ? `ip ${clientOf(addressOf(request, peer))}` : `sub ${claims.subject}`;
    const client = limits.of(name, chainId, { readsPerMinute: claims?.reads });
    return { client, name, claims };
  }

  function tooOften(refusal: Refusal, headers?: HttpHeaders): Response {
    metrics.dropped('rate');
    return refuse(refusal, headers);
  }

  async function post(request: Request, peer: Peer, chainId: number): Promise<Response> {
    const encoding = request.headers.get('content-encoding');
    if (encoding !== null && encoding.toLowerCase() !== 'identity')
      return refuse(refused(errorCode.invalidRequest, 'The body must not be compressed.', 415));
    const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json' && type !== 'application/json-rpc')
      return refuse(
        refused(errorCode.invalidRequest, 'The body must be JSON (content-type: application/json).', 415),
      );
    const admitted = await admit(request, peer, chainId);
    if ('error' in admitted) return refuse(admitted);
    const { client } = admitted;
    // A body that would be refused is not read.
    const limited = client.message(0) ?? client.post();
    if (limited) return tooOften(limited, { connection: 'close' });
    const session = core.session(chainId, client);
    let unread = 0;
    const release = client.hold(() => unread);
    const ended = () => {
      release();
      client.posted();
    };
    let size = 0;
    const hasRoomFor = (bytes: number) => {
      size += bytes;
      bodies += bytes;
      return bodies <= maxBodies;
    };
    try {
      const text = await readBody(request, peer.body, policy.maxLength(signedSend), hasRoomFor);
      if (text === null) {
        metrics.dropped('full');
        return refuse(busy, { connection: 'close' });
      }
      if (text === undefined || (text.length > policy.maxLength() && !isSignedSend(text))) {
        metrics.dropped('size');
        client.message();
        return refuse(tooLarge, { connection: 'close' });
      }
      const { text: body, status, headers } = await session.receive(shortened(text));
      unread = body?.length ?? 0;
      return body === undefined ? plain(status, headers) : json(body, status, headers);
    } finally {
      session.close();
      bodies -= size;
      if (peer.ended) void peer.ended.then(ended);
      else ended();
    }
  }

  /** Counts a connection. @returns the code to close with, or a function that ends the count */
  function connect(kind: 'websocket' | 'sse', client: ClientLimits): number | (() => void) {
    const isFull = connected >= checked.limits.connectionsInAll;
    if (isFull || !client.connect()) {
      metrics.dropped('full');
      return isFull ? 1013 : 4003;
    }
    connected++;
    metrics.connection(kind, 1);
    return once(() => {
      connected--;
      metrics.connection(kind, -1);
      client.disconnect();
    });
  }

  /** Runs `end` when the token expires. Returns a function that cancels it. */
  function atExpiry(expires: number | undefined, end: () => void): () => void {
    if (expires === undefined) return () => {};
    const timer = setTimeout(
      () => {
        metrics.dropped('expired');
        end();
      },
      Math.min(maxTimeout, Math.max(0, expires - now())),
    );
    return () => clearTimeout(timer);
  }

  function openSession({ chainId, client: name, reads, expires }: SavedConnection, outlet: Outlet): Session {
    const client = limits.of(name, chainId, { readsPerMinute: reads });
    const disconnect = connect('websocket', client);
    if (typeof disconnect === 'number') {
      outlet.close(disconnect, disconnect === 1013 ? 'full' : 'too many connections');
      return closedSession;
    }
    const session = core.session(chainId, client, outlet);
    const cancel = passive ? () => {} : atExpiry(expires, () => outlet.close(4001, 'token expired'));
    return {
      ...session,
      receive: (text) => session.receive(shortened(text)),
      close() {
        cancel();
        disconnect();
        session.close();
      },
    };
  }

  async function heads(request: Request, peer: Peer, chainId: number): Promise<Response> {
    const admitted = await admit(request, peer, chainId);
    if ('error' in admitted) return refuse(admitted);
    const { client } = admitted;
    const lastId = request.headers.get('last-event-id') ?? '';
    const since = /^0x[0-9a-f]{64}$/.test(lastId) ? lastId : undefined;
    const limited =
      client.message() ?? client.stream() ?? (since === undefined ? undefined : client.replay(0));
    if (limited) return tooOften(limited);
    const disconnect = connect('sse', client);
    if (typeof disconnect === 'number')
      return refuse(refused(errorCode.resourceUnavailable, 'There are too many connections.', 503));
    let cancelExpiry = () => {};
    let release = () => {};
    try {
      const stream = createEventStream(
        (write, end) =>
          core.steps(
            chainId,
            since,
            ({ id, data }) => (client.answered(data.length) ? write('step', id, data) : end()),
            client,
          ),
        (reason) => {
          if (reason !== 'ended') metrics.dropped(reason);
          release();
          cancelExpiry();
          disconnect();
          streams.delete(stream);
        },
      );
      release = client.hold(stream.unread);
      streams.add(stream);
      cancelExpiry = atExpiry(admitted.claims?.expires, stream.end);
      request.signal?.addEventListener('abort', stream.end, { once: true });
      return eventStream(stream);
    } catch (error) {
      disconnect();
      if (!isProviderRpcError(error)) throw error;
      return refuse(refused(errorCode.resourceUnavailable, error.message, 503));
    }
  }

  /** The state of one chain, or of all. Counts as a message of the client. */
  function health(request: Request, peer: Peer, chainId?: number): Response {
    const limited = limits.of(`ip ${clientOf(addressOf(request, peer))}`).message();
    if (limited) return tooOften(limited);
    let isOk = true;
    const stateOf = (id: number) => {
      const { ok, ...state } = core.health(id);
      isOk &&= ok;
      return state;
    };
    const ids = chainId === undefined ? chainIds : [chainId];
    const chains = Object.fromEntries(ids.map((id) => [id, stateOf(id)]));
    return json(JSON.stringify(ids.length === 1 ? chains[ids[0] as number] : { chains }), isOk ? 200 : 503);
  }

  async function admin(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, { allow: 'GET, HEAD' });
    if (pathname === '/metrics')
      return new Response(metrics.text(), {
        headers: {
          'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8',
          'cache-control': 'no-store',
        },
      });
    if (pathname !== '/status') return plain(404);
    return new Response(statusPage(metrics.snapshot()), {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      },
    });
  }

  async function answer(request: Request, peer: Peer): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/metrics' || pathname === '/status') {
      if (checked.adminToken === undefined) return plain(404);
      const token = tokenOf(request);
      return token !== undefined && isSame(token, checked.adminToken)
        ? admin(request)
        : plain(401, { 'www-authenticate': 'Bearer' });
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (pathname === '/health') return isRead ? health(request, peer) : plain(405, { allow: 'GET, HEAD' });
    const found = route(pathname);
    if (!found || !['', 'heads', 'health'].includes(found.rest)) return refuse(notFound);
    const { chainId, rest } = found;
    if (request.method === 'OPTIONS') return preflight(request);
    if (rest === '') {
      if (request.method === 'POST') return post(request, peer, chainId);
      return plain(isRead ? 426 : 405, isRead ? { upgrade: 'websocket' } : { allow: 'POST, OPTIONS' });
    }
    if (!isRead) return plain(405, { allow: 'GET, HEAD' });
    if (rest === 'health') return health(request, peer, chainId);
    return request.method === 'HEAD' ? plain(405, { allow: 'GET' }) : heads(request, peer, chainId);
  }

  function preflight(request: Request): Response {
    const origin = request.headers.get('origin');
    if (origin === null || !origins.isListed(origin)) return plain(403);
    return plain(204, {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'Content-Type, Accept, Authorization, Last-Event-ID',
      'access-control-max-age': String(preflightAge),
    });
  }

  /** Adds what lets a page of the app read the response. */
  function withCors(request: Request, response: Response): Response {
    const origin = request.headers.get('origin');
    response.headers.set('vary', 'Origin');
    if (origin === null || !origins.isListed(origin)) return response;
    response.headers.set('access-control-allow-origin', origin);
    response.headers.set('access-control-expose-headers', 'Retry-After');
    return response;
  }

  return {
    core,
    metrics,
    admin,
    ready: async () => auth?.prepare(),
    reopen: (saved, outlet) => openSession(own(saved), outlet),
    async fetch(request, peer = {}) {
      try {
        const response = await answer(request, peer);
        if (response.status === 403) metrics.dropped('policy');
        return withCors(request, response);
      } catch {
        return withCors(request, refuse(failed));
      }
    },
    async upgrade(request, peer = {}) {
      try {
        const found = route(new URL(request.url).pathname);
        if (found?.rest !== '') return refuse(notFound);
        const { token, protocol } = readSubprotocols(request.headers.get('sec-websocket-protocol'));
        const admitted = await admit(request, peer, found.chainId, token);
        if ('error' in admitted) {
          if (admitted.status === 403) metrics.dropped('policy');
          return refuse(admitted);
        }
        const { client, name, claims } = admitted;
        const limited = client.message();
        if (limited) return tooOften(limited);
        const saved: SavedConnection = {
          chainId: found.chainId,
          client: name,
          // Without members that are undefined: a process that sleeps keeps it.
          ...(claims?.reads !== undefined && { reads: claims.reads }),
          ...(claims && { expires: claims.expires }),
        };
        return { protocol, expires: claims?.expires, saved, open: (outlet) => openSession(saved, outlet) };
      } catch {
        return refuse(failed);
      }
    },
    async close() {
      for (const stream of [...streams]) stream.end();
      await core.close();
    },
  };
}

export declare namespace createRelay {
  /** Settings of the platform rather than of the owner. */
  interface Settings {
    /**
     * Keeps no timers, so that the process can sleep: the platform calls `core.poll`, and closes WebSockets whose token has
     * expired. Default false.
     */
    readonly passive?: boolean | undefined;
  }
}

/** A session that was refused at the start; does nothing. */
const closedSession: Session = {
  receive: () => Promise.resolve({ status: 503 }),
  topics: () => [],
  restore() {},
  close() {},
};

interface Admitted {
  readonly client: ClientLimits;
  readonly name: string;
  readonly claims: Claims | undefined;
}

type HttpHeaders = Readonly<Record<string, string>>;

const tokenOf = ({ headers }: Request) => readBearer(headers.get('authorization'));

const notFound = refused(errorCode.invalidRequest, 'This relay has no such path or chain.', 404);
const failed = refused(errorCode.internal, 'The relay failed.', 500);
const busy: Refusal = {
  ...refused(errorCode.resourceUnavailable, 'The relay is busy: please retry', 503),
  retryAfter: 1,
};
const tooLarge = refused(errorCode.limitExceeded, 'The message is too large.', 413, { reason: 'size' });

function refuse({ error, status, retryAfter }: Refusal, headers: HttpHeaders = {}): Response {
  return json(JSON.stringify({ jsonrpc: '2.0', id: null, error }), status, {
    ...headers,
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
}

const json = (body: string, status: number, headers: HttpHeaders = {}): Response =>
  new Response(body, {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });

const eventStream = ({ body }: EventStream): Response =>
  new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      // A proxy that compresses a stream holds its events back.
      'cache-control': 'no-store, no-transform',
      // Some proxies hold events back otherwise.
      'x-accel-buffering': 'no',
    },
  });

const plain = (status: number, headers: HttpHeaders = {}): Response =>
  new Response(null, { status, headers: { 'cache-control': 'no-store', ...headers } });

/**
 * The body as text; `undefined` once it is longer than `maxBytes`, and `null` where there is no room for all of it: the
 * rest is not read.
 */
async function readBody(
  request: Request,
  given: AsyncIterable<Uint8Array> | undefined,
  maxBytes: number,
  hasRoomFor: (bytes: number) => boolean,
): Promise<string | undefined | null> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined;
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of given ?? chunksOf(request.body)) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    if (!hasRoomFor(chunk.length)) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The chunks of a body. Where they are not read to the end, the body is cancelled. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** A message that is one JSON text is no request, however long it is: its characters need not be looked at. */
const shortened = (text: string): string => (text.trimStart().startsWith('"') ? '""' : text);

/** Whether a long body is one signed transaction, which may be longer than others. */
function isSignedSend(text: string): boolean {
  try {
    return membersOf(JSON.parse(text)).method === signedSend;
  } catch {
    return false;
  }
}

/** Compares digests, so that the time says nothing about the text. */
function isSame(a: string, b: string): boolean {
  const [first, second] = [sha256(utf8ToBytes(a)), sha256(utf8ToBytes(b))];
  return first.reduce((difference, byte, i) => difference | (byte ^ (second[i] as number)), 0) === 0;
}
