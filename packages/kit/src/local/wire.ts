import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ScriptedReply } from './faults.js';

/** Reads a request body to its end; null when it is longer than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  return size > limit ? null : Buffer.concat(chunks).toString('utf8');
}

/** Matches ids that may exceed 64 bits, in the JSON text, because `JSON.parse` would round them. */
const hugeId = /("id"\s*:\s*)(-?\d{19,})(?=\s*[,}])/g;

/** The node echoes an id over 64 bits as its lowest 32 bits. */
const truncateId = (_: string, key: string, digits: string) => {
  const id = BigInt(digits);
  return key + (BigInt.asIntN(64, id) === id ? digits : BigInt.asIntN(32, id));
};

/** Parses a body; undefined when it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(hugeId, truncateId));
  } catch {
    return undefined;
  }
}

export function end(response: ServerResponse, status: number, body: string): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

/** Rejects a request whose body was not processed, with id null. */
export const endRefused = (response: ServerResponse, status: number, message: string, code = -32600) =>
  end(response, status, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));

/** Sends a reply. A body that is an async iterable is streamed; if it throws, the connection ends. */
export async function send(
  response: ServerResponse,
  { status = 200, headers, body = '' }: ScriptedReply,
): Promise<void> {
  const all = { 'content-type': 'application/json', ...headers };
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    response.writeHead(status, { 'content-length': bytes.length, ...all }).end(bytes);
    return;
  }
  response.writeHead(status, all);
  response.flushHeaders();
  for await (const piece of body) {
    if (response.destroyed) return;
    response.write(piece);
  }
  response.end();
}

/** Sets headers as the node's HTTP server does: no date, and one connection per request. */
export function setNodeHeaders(response: ServerResponse): void {
  response.sendDate = false;
  response.shouldKeepAlive = false;
}

/** Sends a reply without a body and keeps the connection open, as the node does. */
export function endEmpty(response: ServerResponse, status: number): void {
  response.shouldKeepAlive = true;
  response.removeHeader('connection');
  response.writeHead(status, { 'content-length': 0 }).end();
}

/** Sends only a status line and closes the connection, as the node does. Some clients treat that as a network error. */
export function endBare({ socket }: ServerResponse, status: string): void {
  socket?.end(`HTTP/1.1 ${status}\r\n\r\n`);
}

/** Sends a reply, compressed when the client accepts gzip. */
export async function sendAsNode(
  request: IncomingMessage,
  response: ServerResponse,
  reply: ScriptedReply,
): Promise<void> {
  const { body = '', headers } = reply;
  const accepts = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (!accepts || typeof body !== 'string' || body === '') return send(response, reply);
  await send(response, {
    ...reply,
    headers: { ...headers, 'content-encoding': 'gzip' },
    body: gzipSync(body),
  });
}
