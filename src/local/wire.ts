import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ScriptedReply } from './faults.js';

/** The body as text; null when it is longer than the limit, read to its end all the same. */
export async function readBody(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  return size > limit ? null : Buffer.concat(chunks).toString('utf8');
}

/** An id that 64 bits do not hold, before a JavaScript number has lost its last digits. */
const hugeId = /("id"\s*:\s*)(-?\d{19,})(?=\s*[,}])/g;

/** The node answers such an id by its lowest 32 bits. */
const shorten = (_: string, key: string, digits: string) => {
  const id = BigInt(digits);
  return key + (BigInt.asIntN(64, id) === id ? digits : BigInt.asIntN(32, id));
};

/** Undefined for what is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(hugeId, shorten));
  } catch {
    return undefined;
  }
}

export function end(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** A refusal before anything of the body was looked at. */
export const endRefused = (response: ServerResponse, status: number, message: string, code = -32600) =>
  end(response, status, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));

/** Pieces are written as they come; a body that throws ends the connection where it is. */
export async function send(
  response: ServerResponse,
  { status = 200, headers, body = '' }: ScriptedReply,
): Promise<void> {
  const all = { 'content-type': 'application/json', ...headers };
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    response.writeHead(status, { 'content-length': bytes.length, ...all });
    response.end(bytes);
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

/** Headers as the node's own HTTP server sets them: no date, and a connection for each request. */
export function dressAsNode(response: ServerResponse): void {
  response.sendDate = false;
  response.shouldKeepAlive = false;
}

/** A reply without a body whose connection the node leaves open. */
export function endEmpty(response: ServerResponse, status: number): void {
  response.shouldKeepAlive = true;
  response.removeHeader('connection');
  response.writeHead(status, { 'content-length': 0 });
  response.end();
}

/** A status line and nothing else; some clients take the end of the connection after it for a failure. */
export function endBare({ socket }: ServerResponse, status: string): void {
  socket?.end(`HTTP/1.1 ${status}\r\n\r\n`);
}

/** As `send`, compressed where the client takes gzip. */
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
