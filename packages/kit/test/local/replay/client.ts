import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { Recorded } from './recordings.js';

/** A reply, in the recorder's form. */
export interface Seen {
  readonly status: number | string;
  readonly headers: Record<string, string>;
  readonly reply: unknown;
}

/** Sends one request on a new connection and reads the reply to its end. */
export function exchange(
  url: string,
  body: string,
  { httpMethod = 'POST', requestHeaders = {} }: Pick<Recorded, 'httpMethod' | 'requestHeaders'> = {},
): Promise<Seen> {
  const headers = {
    'content-type': 'application/json',
    'accept-encoding': 'gzip, deflate',
    'content-length': Buffer.byteLength(body),
    ...requestHeaders,
  };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method: httpMethod, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = (incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers as Record<string, string>,
          reply: parsed(text),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** All bytes of the reply, for replies that are not valid HTTP. */
export function rawExchange(url: string, body: string, recorded: Recorded): Promise<string> {
  const { port, pathname } = new URL(url);
  const headers = { host: '127.0.0.1', 'content-type': 'application/json', ...recorded.requestHeaders };
  const head = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`${recorded.httpMethod ?? 'POST'} ${pathname} HTTP/1.1\r\n`);
      socket.write(`${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
