import { own } from '../../rpc/own.js';
import type { Failure, Reply } from './reply.js';

/** One JSON-RPC request. */
export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: number;
  /** How often it has been sent, this time included. */
  readonly attempt: number;
}

export const toWire = ({ method, params, id }: Call): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params, id });

/** The text of an HTTP response. */
export interface Answered {
  readonly ok: boolean;
  readonly text: string;
  readonly status: number;
  readonly retryAfter: number | undefined;
}

/** The HTTP response to a POST: its text, or why it cannot be read. */
export type Posted = Answered | Failure;

/** Makes one POST of some calls. Rejects if there is no response; aborting `connection` ends it. */
export type Post = (body: string, calls: readonly Call[], connection: AbortController) => Promise<Posted>;

/** Sends one call, alone or in a batch. */
export type SendCall = (call: Call, connection: AbortController) => Promise<Reply>;

export function createPost(options: createPost.Options): Post {
  const { url, fetch = globalThis.fetch, maxBytes = 10 * 2 ** 20 + 2 ** 16, onPost } = own(options);

  /** Reads a response up to the last byte. */
  async function posted(responding: Promise<Response>, connection: AbortController): Promise<Posted> {
    const response = await responding;
    const { status, ok } = response;
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      connection.abort();
      return own({ trouble: 'redirect' });
    }
    const retryAfter = readRetryAfter(response.headers);
    const read = await readBody(response, maxBytes).catch((error: unknown) => {
      // The connection ended after the headers: an error status decides.
      if (ok) throw error;
      return undefined;
    });
    if (!read) return own({ trouble: 'status', status, retryAfter });
    if (read.trouble === 'too-large') {
      connection.abort();
      return own({ trouble: 'too-large', text: `${maxBytes}` });
    }
    if (read.trouble)
      return own(ok ? { ...read, status, retryAfter } : { trouble: 'status', status, retryAfter });
    return own({ ok, text: read.text, status, retryAfter });
  }

  return async (body, calls, connection) => {
    // Without a prototype, because fetch reads inherited options too.
    const init = own<RequestInit>({
      method: 'POST',
      headers: own({ accept: 'application/json', 'Content-Type': 'application/json' }),
      body,
      signal: connection.signal,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      // No `cache` option: browsers do not cache a POST, and with `no-store` Chromium sends a CORS preflight before every
      // request, whatever `Access-Control-Max-Age` says.
      // `manual`, because `error` cannot be distinguished from a lost connection. Neither follows the redirect.
      redirect: 'manual',
    });
    const reply = posted(fetch(url, init), connection);
    onPost?.(calls, reply);
    return reply;
  };
}

export declare namespace createPost {
  interface Options {
    readonly url: string;
    readonly fetch?: typeof globalThis.fetch | undefined;
    /** Most bytes of a reply, after decompression. The node's cap is 10 MiB (docs/notes/node.md#limits-of-one-request). */
    readonly maxBytes?: number | undefined;
    /** Called with each POST; `reply` rejects if there is no response. */
    readonly onPost?: ((calls: readonly Call[], reply: Promise<Posted>) => void) | undefined;
  }
}

/** Accepts a JSON-RPC error at any HTTP status, a result only at 2xx (docs/notes/node.md#http-status). */
export function judge(reply: Reply, { ok, status, retryAfter }: Answered): Reply {
  if ('result' in reply && ok) return reply;
  if (!('result' in reply) && (ok || reply.code !== undefined)) return own({ ...reply, status, retryAfter });
  // A gateway's text says more than its status, as long as it is an error.
  const { text, data } = 'result' in reply || reply.trouble !== 'uncoded' ? own<Failure>({}) : reply;
  return own({ trouble: 'status', status, retryAfter, text, data });
}

type Body =
  | { readonly text: string; readonly trouble?: never }
  | { readonly trouble: 'too-large' | 'not-json' };

/**
 * Reads the body as text, without a byte order mark. Counts bytes after decompression, so that neither a long body nor a
 * compressed one takes more memory than `maxBytes`.
 *
 * @throws the platform's error when the connection breaks; it may contain the URL, so it must not be passed on
 */
async function readBody(response: Response, maxBytes: number): Promise<Body> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    bytes += part.value.byteLength;
    if (bytes > maxBytes) return own({ trouble: 'too-large' });
    parts.push(part.value);
  }
  try {
    const decoder = new TextDecoder('utf-8', own({ fatal: true }));
    const text = parts.map((part) => decoder.decode(part, { stream: true })).join('');
    return own({ text: text + decoder.decode() });
  } catch {
    return own({ trouble: 'not-json' });
  }
}

/**
 * The seconds of `Retry-After` (RFC 9110 §10.2.3), a number or a date; `undefined` if it is absent or invalid. A date is
 * compared with the server's `Date`, because the device's clock may be wrong. Pages see the header only if the service
 * exposes it (CORS).
 */
function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000;
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}
