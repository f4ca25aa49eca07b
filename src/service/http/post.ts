import { own } from '../../rpc/own.js';
import { readBody, readRetryAfter } from './body.js';
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

export function createPost(options: createPost.Options): Post {
  const { url, fetch = globalThis.fetch, maxBytes = 10 * 2 ** 20 + 2 ** 16, onPost } = own(options);

  async function post(body: string, connection: AbortController): Promise<Posted> {
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
    const response = await fetch(url, init);
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

  return (body, calls, connection) => {
    const posted = post(body, connection);
    onPost?.(calls, posted);
    return posted;
  };
}

export declare namespace createPost {
  interface Options {
    readonly url: string;
    readonly fetch?: typeof globalThis.fetch | undefined;
    /** Most bytes of a reply, after decompression. The node's cap is 10 MiB (docs/notes/node.md#limits-of-one-request). */
    readonly maxBytes?: number | undefined;
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
