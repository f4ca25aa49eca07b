import { readBody, readRetryAfter } from './body.js';
import { diagnose, type Fault } from './errors.js';
import { type Reply, readReply } from './reply.js';

/**
 * One endpoint of the service (seed, "Transport"): one request, one POST, one reply. Ours instead of a
 * library's because theirs put the URL, which holds the API key, into their errors, end their timeout at the
 * headers and take any id (security.md finding 9).
 */
export interface Transport {
  /** Never rejects: what went wrong is a {@link Fault}. Aborting `signal` ends the HTTP request. */
  send(
    method: string,
    params: readonly unknown[],
    options: Transport.SendOptions,
  ): Promise<Transport.Outcome>;
}

export declare namespace Transport {
  interface SendOptions {
    /** Milliseconds for the whole exchange, from connecting to the last byte of the body. */
    deadline: number;
    signal?: AbortSignal | undefined;
  }
  type Outcome = { readonly result: unknown; readonly fault?: never } | { readonly fault: Fault };
}

export declare namespace createTransport {
  interface Options {
    url: string;
    /** Removes the URL and the key from the server's own words: `createRedactor([url])`. */
    redact: (text: string) => string;
    fetch?: typeof globalThis.fetch | undefined;
    /** Most bytes of a reply, after decompression. The node's own cap is 10 MiB (node-facts §1.2). */
    maxBytes?: number | undefined;
  }
}

export function createTransport(options: createTransport.Options): Transport {
  const { url, redact, fetch = globalThis.fetch, maxBytes = 10 * 2 ** 20 + 2 ** 16 } = options;
  let lastId = 0;

  async function exchange(
    method: string,
    params: readonly unknown[],
    connection: AbortController,
  ): Promise<Reply> {
    const id = ++lastId;
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', method, params, id }),
      signal: connection.signal,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      // No `cache`: a POST is cached nowhere, and `no-store` would have Chromium ask before every request (a
      // CORS preflight each), whatever the service allows for how long.
      // Followed as little as with `error`, which a page cannot tell from a lost connection.
      redirect: 'manual',
    });
    const { status, ok } = response;
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      connection.abort();
      return { trouble: 'redirect' };
    }
    const body = await readBody(response, maxBytes);
    if (body.trouble === 'too-large') {
      connection.abort();
      return { trouble: 'too-large', text: `${maxBytes}` };
    }
    const reply: Reply = body.trouble ? body : readReply(body.text, id);
    if ('result' in reply) {
      if (ok) return reply;
    } else if (ok || reply.code !== undefined) {
      // An error of the service counts at any HTTP status (node-facts §1.1).
      return { ...reply, status, retryAfter: readRetryAfter(response.headers) };
    }
    return { trouble: 'status', status, retryAfter: readRetryAfter(response.headers) };
  }

  return {
    send(method, params, { deadline, signal }) {
      const connection = new AbortController();
      const outcome = (reply: Reply): Transport.Outcome =>
        'result' in reply ? reply : { fault: diagnose({ method, ...reply }, redact) };

      // The first to speak decides, so that a fetch that ignores its signal cannot hold the caller.
      return new Promise((resolve) => {
        const end = (reply: Reply) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
          resolve(outcome(reply));
        };
        const stop = (reply: Reply) => {
          connection.abort();
          end(reply);
        };
        const abort = () => stop({ trouble: 'aborted' });
        const timer = setTimeout(() => stop({ trouble: 'late', text: `${deadline}` }), deadline);
        signal?.addEventListener('abort', abort);
        if (signal?.aborted) return abort();
        // The platform's error names the URL: nothing of it is kept.
        exchange(method, params, connection).then(end, () => end({ trouble: 'unreachable' }));
      });
    },
  };
}
