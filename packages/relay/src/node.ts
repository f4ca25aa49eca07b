import { once as eventOf } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import { WebSocket, WebSocketServer } from 'ws';
import { isLoopback } from '../../../src/rpc/loopback.js';
import { own } from '../../../src/rpc/own.js';
import { subprotocol } from './access/auth.js';
import { createFloodCheck, firstMessage } from './access/floods.js';
import { limitValues } from './access/limits.js';
import { createSocketCounts } from './access/sockets.js';
import { type Accepted, createRelay, type Relay } from './handler.js';
import type { Outlet } from './heads/outlet.js';
import { once } from './once.js';
import { isWhole, must, type RelayOptions, readRecord } from './options/config.js';

/**
 * The options of a relay, and of its server on Node.js.
 *
 * @example
 * import type { NodeRelayOptions } from 'graft-relay/node';
 *
 * const options: NodeRelayOptions = {
 *   networks: [{ chainId: 31, url: 'https://rpc.testnet.rootstock.io/my-key' }],
 *   origins: ['https://app.example'],
 *   host: '0.0.0.0',
 *   port: 8545,
 *   admin: { port: 9464 },
 *   onRedis: (state) => console.log(state),
 * };
 */
export interface NodeRelayOptions extends RelayOptions {
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Default 8545; 0 for any free one. */
  readonly port?: number | undefined;
  /** Where `/metrics` and `/status` answer without a token. Default `127.0.0.1`, port 9464; `null`: nowhere. */
  readonly admin?:
    | { readonly host?: string | undefined; readonly port?: number | undefined }
    | null
    | undefined;
  /**
   * The URL of a Redis or Valkey, with its password: instances that share it follow each chain once, together. Needs the
   * package `redis`. Not together with `engine`.
   */
  readonly redisUrl?: string | undefined;
  /** Called when the Redis was connected (`connected`) or lost, then with the code of the error. */
  readonly onRedis?: ((state: string) => void) | undefined;
  /** Milliseconds over which {@link NodeRelay.stop} spreads the end of the connections. Default 5,000. */
  readonly drain?: number | undefined;
}

/**
 * A relay that serves.
 *
 * @example
 * const node = await serveRelay({
 *   networks: [{ chainId: 31, url: 'https://rpc.testnet.rootstock.io/my-key' }],
 *   origins: ['https://app.example'],
 *   port: 0,
 *   admin: null,
 * });
 * console.log(node.url, node.port);
 * await node.stop();
 */
export interface NodeRelay {
  /** `http://127.0.0.1:8545`, without a slash at the end. WebSockets are at the same address. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /** Where `/metrics` and `/status` are. */
  readonly adminUrl: string | undefined;
  /** The relay that answers the requests. */
  readonly relay: Relay;
  /**
   * Stops accepting connections, closes the open ones with 1001 over {@link NodeRelayOptions.drain}, so that clients do
   * not all come back at once, and stops polling.
   */
  stop(): Promise<void>;
}

/** Bytes of a WebSocket message. Longer transactions go by POST. */
const maxPayload = 65_536;
/** Milliseconds: for the headers, and for the whole request. */
const headersTimeout = 10_000;
const requestTimeout = 15_000;
/** Milliseconds in which nothing was read or written, while a request is under way. */
const unreadTimeout = 60_000;
/** Proxies close connections that are idle for a minute. */
const keepAliveTimeout = 65_000;
const pingInterval = 15_000;
const maxMissed = 2;
/** Milliseconds that a client has to answer the end of its connection. */
const farewell = 2_000;
/** Messages of one connection that are handled at once; others wait, and above {@link maxWaiting} it is not read from. */
const maxActive = 8;
const maxWaiting = 64;
/** Bytes not yet sent above which the next message waits, and milliseconds between two checks. */
const manyUnsent = 262_144;
const checkInterval = 25;
/** Milliseconds in which a client must have read so much that the next message need not wait. */
const maxWait = 5_000;

/**
 * Serves a relay on Node.js: HTTP and WebSocket on one port.
 *
 * @throws ProviderRpcError -32602 naming the option that is wrong; Error with the code `EADDRINUSE` for a port that is taken
 * @example
 * const relay = await serveRelay({
 *   networks: [{ chainId: 31, url: 'https://rpc.testnet.rootstock.io/my-key' }],
 *   origins: ['https://app.example'],
 *   port: 0,
 *   admin: null,
 * });
 * console.log(relay.url);
 * await relay.stop();
 */
export async function serveRelay(options: NodeRelayOptions): Promise<NodeRelay> {
  const {
    host = '127.0.0.1',
    port = 8545,
    admin = {},
    drain = 5_000,
    redisUrl,
    onRedis,
    ...rest
  } = own(options);
  must(typeof host === 'string' && host !== '', 'host', 'an address to listen on');
  must(isWhole(port, 0, 65_535), 'port', 'a whole number from 0 to 65,535');
  must(isWhole(drain, 0, 60_000), 'drain', '0 to 60,000 milliseconds');
  const adminOptions = admin === null ? null : readRecord(admin, 'admin', ['host', 'port']);
  const { host: adminHost = '127.0.0.1', port: adminPort = 9464 } = adminOptions ?? {};
  must(typeof adminHost === 'string' && adminHost !== '', 'admin.host', 'an address to listen on');
  must(isWhole(adminPort, 0, 65_535), 'admin.port', 'a whole number from 0 to 65,535');

  // Node 20 has no WebSocket of its own.
  const WebSocketOfNode = WebSocket as unknown as NonNullable<RelayOptions['WebSocket']>;
  must(redisUrl === undefined || rest.engine === undefined, 'engine', 'absent, where there is redisUrl');
  const redis = redisUrl === undefined ? undefined : await loadRedis(redisUrl, onRedis);
  const relay = createRelay({ WebSocket: WebSocketOfNode, ...rest, engine: redis ?? rest.engine });
  await relay.ready();
  // The first client may ask for steps that another instance has published.
  await redis?.ready;
  const limits = limitValues(rest.limits);
  const sockets = createSockets(relay, limits.messagesPerSecond);

  /** POSTs under way: of each, when its answer has left. */
  const posts = new Set<Promise<void>>();
  const server = createServer(
    { headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval: 2_000 },
    (request, response) => {
      const ended = new Promise<void>((resolve) => void response.once('close', resolve));
      if (request.method === 'POST') {
        posts.add(ended);
        void ended.then(() => posts.delete(ended));
      }
      // A refusal is still to be sent once the rest of the body is not read.
      const body: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
      const peer = { address: request.socket.remoteAddress, ended, body };
      return answer(request, response, (given) => relay.fetch(given, peer));
    },
  );
  // A client that does not read its answer; streams of events say something every 15 s.
  server.timeout = unreadTimeout;
  // Higher than the relay's own limit, so that clients get its 1013 instead of a dropped TCP connection.
  server.maxConnections = 2 * limits.connectionsInAll;
  // Behind proxies all connections are theirs: whose they pass on is counted by requests.
  if ((rest.trustedProxies ?? 0) === 0) {
    const counts = createSocketCounts({ maxPerClient: limits.sockets, inAll: server.maxConnections });
    server.on('connection', (socket) => {
      const close = counts.open(socket.remoteAddress);
      if (close) return void socket.once('close', close);
      relay.metrics.dropped('full');
      socket.destroy();
    });
  }
  server.on('upgrade', (request, socket, head) => {
    sockets.upgrade(request, socket, head).catch(() => socket.destroy());
  });

  const adminServer =
    adminOptions &&
    createServer({ headersTimeout, requestTimeout }, (request, response) => {
      // A page could give a name of its own to this address.
      if (isLocal(adminHost as string) && !isLocal(hostOf(request)))
        return void response.writeHead(403).end();
      return answer(request, response, relay.admin);
    });

  try {
    await listen(server, host, port, 'port');
    if (adminServer) await listen(adminServer, adminHost as string, adminPort as number, 'admin.port');
  } catch (error) {
    await Promise.all([shut(server), relay.close()]);
    throw error;
  }

  const stop = once(async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await Promise.all([sockets.drain(drain), Promise.race([Promise.all(posts), pause(drain)])]);
    await relay.close();
    server.closeAllConnections();
    await Promise.all([closed, adminServer && shut(adminServer)]);
  });

  return {
    url: urlOf(server, host),
    port: (server.address() as AddressInfo).port,
    adminUrl: adminServer ? urlOf(adminServer, adminHost as string) : undefined,
    relay,
    stop,
  };
}

/** Loads the package only for a relay that uses Redis. */
async function loadRedis(url: string, onState: NodeRelayOptions['onRedis']) {
  const { createRedisEngines } = await import('./engines/redis.js');
  return createRedisEngines({ url, onState });
}

/** Answers with what `respond` resolves with. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  respond: (request: Request) => Promise<Response>,
): void {
  respond(new NodeRequest({ req: request, res: response }))
    .then((given) => sendNodeResponse(response, given))
    .catch(() => response.destroy());
}

interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  drain(span: number): Promise<void>;
}

/** The WebSockets of a relay. */
function createSockets(relay: Relay, messagesPerSecond: number): Sockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
  });
  /** Each with the pings that it has not answered. */
  const open = new Map<WebSocket, number>();
  /** The connections of these, of upgrades under way, and of those that were refused and have not ended. */
  const connections = new Set<Duplex>();
  let draining = false;

  const pings = setInterval(() => {
    for (const [socket, missed] of open) {
      // A paused socket delivers no pong.
      if (socket.isPaused) continue;
      if (missed >= maxMissed) socket.terminate();
      else {
        open.set(socket, missed + 1);
        socket.ping();
      }
    }
  }, pingInterval);
  pings.unref();

  function serve(socket: WebSocket, accepted: Accepted): void {
    // Without a listener, one wrong frame would end the process.
    socket.on('error', (error) => {
      if ((error as NodeJS.ErrnoException).code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
        relay.metrics.dropped('size');
    });
    const outlet: Outlet = {
      send(text) {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close(code, reason) {
        socket.close(code, reason);
        // A client that does not read does not answer the close frame either.
        setTimeout(() => socket.terminate(), farewell).unref();
      },
      buffered: () => socket.bufferedAmount,
    };
    open.set(socket, 0);
    const session = accepted.open(outlet);
    const silence = setTimeout(() => outlet.close(1008, 'no message'), firstMessage);
    const waiting: string[] = [];
    let active = 0;
    let unread: ReturnType<typeof setInterval> | undefined;
    const floods = createFloodCheck(messagesPerSecond);

    /** Handles waiting messages. Answers in memory are limited to those of {@link maxActive} messages and the unsent bytes. */
    function next(): void {
      while (waiting.length > 0 && active < maxActive && unread === undefined) {
        if (outlet.buffered() > manyUnsent) wait();
        else handle(waiting.shift() as string);
      }
      if (waiting.length === 0 && socket.isPaused) socket.resume();
    }

    function handle(message: string): void {
      active++;
      session.receive(message).then(
        ({ text }) => {
          active--;
          if (text !== undefined) outlet.send(text);
          next();
        },
        () => outlet.close(1011, 'failed'),
      );
    }

    /** Goes on once the client has read; closes where it does not. */
    function wait(): void {
      const end = Date.now() + maxWait;
      unread = setInterval(() => {
        if (outlet.buffered() > manyUnsent && Date.now() < end) return;
        clearInterval(unread);
        unread = undefined;
        if (outlet.buffered() <= manyUnsent) next();
        else {
          relay.metrics.dropped('slow');
          outlet.close(4002, 'reads too slowly');
        }
      }, checkInterval);
    }

    socket.on('pong', () => {
      if (open.has(socket)) open.set(socket, 0);
    });
    socket.on('message', (data: Buffer, isBinary) => {
      clearTimeout(silence);
      if (socket.readyState !== WebSocket.OPEN) return;
      if (isBinary) return outlet.close(1008, 'text only');
      if (floods()) {
        relay.metrics.dropped('rate');
        return outlet.close(1008, 'too many messages');
      }
      waiting.push(data.toString());
      if (waiting.length > maxWaiting) socket.pause();
      next();
    });
    socket.on('close', () => {
      clearTimeout(silence);
      clearInterval(unread);
      waiting.length = 0;
      open.delete(socket);
      session.close();
    });
  }

  return {
    async upgrade(request, socket, head) {
      connections.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => connections.delete(socket));
      const peer = { address: request.socket.remoteAddress };
      const decision = draining ? leaving() : await relay.upgrade(new NodeRequest({ req: request }), peer);
      if (socket.destroyed) return;
      if (draining || decision instanceof Response)
        return refuse(socket, decision instanceof Response ? decision : leaving());
      server.handleUpgrade(request, socket, head, (upgraded) => serve(upgraded, decision));
    },
    async drain(span) {
      draining = true;
      clearInterval(pings);
      const waiting = [...open.keys()].map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve());
            setTimeout(() => {
              socket.close(1001, 'restart');
              setTimeout(() => socket.terminate(), farewell);
            }, Math.random() * span);
          }),
      );
      await Promise.all(waiting);
      for (const connection of connections) connection.destroy();
    },
  };
}

const leaving = () => new Response(null, { status: 503 });

/**
 * Writes a response to a socket that asked for an upgrade, and ends it. A client that does not read it, or leaves its own half
 * of the connection open, is not waited for.
 */
async function refuse(socket: Duplex, response: Response): Promise<void> {
  const body = await response.text();
  socket.once('finish', () => socket.destroy());
  setTimeout(() => socket.destroy(), farewell).unref();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}\r\n${headers}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** @throws Error with the code and the option in its message, for a port that cannot be had */
async function listen(server: Server, host: string, port: number, option: string): Promise<void> {
  server.listen(port, host);
  await eventOf(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      error.message = `${option}: ${port} is taken; choose another one, or 0 for any free one`;
    else if (error.code === 'EACCES')
      error.message = `${option}: ${port} may not be used by this user; choose one above 1023`;
    else error.message = `${option.replace('port', 'host')}: ${host} is no address of this machine`;
    throw error;
  });
  // A connection that could not be accepted ends nothing else.
  server.on('error', () => {});
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

const isLocal = (host: string): boolean => isLoopback(isIP(host) === 6 ? `[${host}]` : host);

/** Without the port. */
const hostOf = ({ headers: { host = '' } }: IncomingMessage): string => host.replace(/:\d+$/, '');

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, milliseconds).unref());
