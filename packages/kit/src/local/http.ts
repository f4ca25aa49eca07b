import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ActualReply, FaultState, InterceptedRequest } from './faults.js';
import type { Quota } from './quota.js';
import type { Recorder } from './requests.js';
import { countCalls, emptyBodyReply, type HttpReply, parseErrorReply } from './rpc-handler.js';
import {
  end,
  endBare,
  endEmpty,
  endRefused,
  parse,
  readBody,
  send,
  sendAsNode,
  setNodeHeaders,
} from './wire.js';

export declare namespace listen {
  interface Options {
    readonly port: number;
    readonly keys: ReadonlySet<string>;
    readonly origins: '*' | readonly string[];
    /** HTTP details as of a hosted service (`front`) or of the node itself. */
    readonly wire: 'front' | 'node';
    /** Bytes. */
    readonly bodyLimit: number;
    readonly handle: (body: unknown) => Promise<HttpReply>;
    readonly faults: FaultState;
    readonly quota: Quota;
    /** `Retry-After` when the quota is exhausted: seconds until midnight UTC (`reset`), a number of seconds, or no header. */
    readonly retryAfter: 'reset' | number | null;
    readonly recorder: Recorder;
    /** Handles `POST /_local/faucet`; null when it is off. */
    readonly faucet: ((body: unknown) => Promise<HttpReply>) | null;
  }
}

const faucetPath = '/_local/faucet';

/** Starts the HTTP server: one path per API key, POST only, JSON only, with CORS (docs/notes/node.md#http-and-cors). */
export async function listen(options: listen.Options) {
  const server = createServer((request, response) => {
    serve(request, response, options).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: listen.Options,
): Promise<void> {
  const { origin } = request.headers;
  const allowed = allowedOrigin(origin, options.origins);
  const node = options.wire === 'node';
  if (node) setNodeHeaders(response);
  if (allowed === null) return end(response, 400, '');
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', allowed);
    if (!node) response.setHeader('access-control-expose-headers', 'retry-after');
    if (allowed !== '*') response.setHeader('vary', 'origin');
  }
  const refuse = (status: number) =>
    node ? endBare(response, `${status} ${STATUS_CODES[status]}`) : end(response, status, '');
  if (request.method === 'OPTIONS' && node && isPreflight(request)) return preflightOfNode(response);
  if (request.method === 'OPTIONS' && !node) return preflight(response);
  if (request.method !== 'POST') return refuse(501);
  const path = (request.url ?? '/').split('?')[0] as string;
  const faucet = path === faucetPath ? options.faucet : null;
  const [key = '', ...others] = path.split('/').filter((segment) => segment !== '');
  if (!faucet && others.length > 0) return end(response, 404, '');
  if (!faucet && !options.keys.has(key))
    return endRefused(response, 401, key === '' ? 'Must be authenticated!' : 'Invalid access key');
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  const isJson = type === 'application/json' || type === 'application/json-rpc';
  if (faucet && !isJson)
    return end(response, 415, "Send JSON, with the header 'content-type: application/json'.\n");
  if (!isJson) return refuse(415);
  const body = await readBody(request, options.bodyLimit);
  if (body === null) return node ? endEmpty(response, 413) : end(response, 413, '');
  if (faucet) {
    const reply = await faucet(parse(body));
    return end(response, reply.status, reply.body);
  }
  return serveRpc(request, response, key, body, options);
}

/** The value of `Access-Control-Allow-Origin`; null for an origin that is not allowed. */
function allowedOrigin(origin: string | undefined, origins: '*' | readonly string[]): string | null {
  if (origins === '*' || origin === undefined) return '*';
  return origins.includes(origin) ? origin : null;
}

const isPreflight = ({ headers }: IncomingMessage) =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

function preflight(response: ServerResponse): void {
  const headers = {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Content-Type, Accept',
    'access-control-max-age': '600',
  };
  response.writeHead(204, headers).end();
}

/** The node allows only the header `Content-Type`. */
function preflightOfNode(response: ServerResponse): void {
  response.setHeader('access-control-allow-methods', 'POST');
  response.setHeader('access-control-allow-headers', 'Content-Type');
  response.setHeader('access-control-max-age', '0');
  endEmpty(response, 200);
}

async function serveRpc(
  request: IncomingMessage,
  response: ServerResponse,
  key: string,
  text: string,
  { handle, faults, quota, retryAfter, recorder, wire }: listen.Options,
): Promise<void> {
  const parsed = parse(text);
  const intercepted: InterceptedRequest = { calls: callsIn(parsed), body: text, headers: request.headers };
  const recordStatus = recorder.record(intercepted.calls);
  await faults.delay();
  if (!quota.spend(key, Math.max(1, Array.isArray(parsed) ? countCalls(parsed) : 1))) {
    const seconds = retryAfter === 'reset' ? quota.untilReset() : retryAfter;
    if (seconds !== null) response.setHeader('retry-after', String(seconds));
    recordStatus(429);
    return endRefused(response, 429, 'Your app has exceeded its daily request limit.', 429);
  }
  let actual: Promise<ActualReply> | undefined;
  const processOnce = () => {
    const headers = { 'content-type': 'application/json' };
    actual ??= handleText(text, parsed, handle).then((reply) => ({ ...reply, headers }));
    return actual;
  };
  const interception = await faults.intercept(intercepted, processOnce);
  if (interception === 'hang') return;
  if (interception === 'drop') {
    response.destroy();
    return;
  }
  const reply = interception ?? (await processOnce());
  recordStatus(reply.status ?? 200);
  if (wire === 'node') return sendAsNode(request, response, reply);
  await send(response, reply);
}

async function handleText(
  text: string,
  parsed: unknown,
  handle: listen.Options['handle'],
): Promise<HttpReply> {
  if (text.trim() === '') return emptyBodyReply();
  return parsed === undefined ? parseErrorReply() : handle(parsed);
}

function callsIn(parsed: unknown): InterceptedRequest['calls'] {
  const elements = Array.isArray(parsed) ? parsed.flat(Number.POSITIVE_INFINITY) : [parsed];
  return elements
    .filter((each) => typeof each === 'object' && each !== null && typeof each.method === 'string')
    .map(({ method, params = [], id }) => ({ method, params, id }));
}
