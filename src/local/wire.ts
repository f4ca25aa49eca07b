import type { IncomingMessage, ServerResponse } from 'node:http';
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

/** Undefined for what is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
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
