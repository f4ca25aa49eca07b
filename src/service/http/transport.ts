import { lazy } from '../../async/lazy.js';
import { own } from '../../rpc/own.js';
import { changesState } from '../idempotency.js';
import { diagnose, type Fault } from '../errors/errors.js';
import { type Call, createPost, judge } from './post.js';
import { type Reply, readReply } from './reply.js';

/**
 * One endpoint of the service (docs/notes/service.md#transport): one request, one POST, one reply. Ours instead of a
 * library's because theirs put the URL, which holds the API key, into their errors, end their timeout at the
 * headers and take any id (docs/notes/security.md#http-clients-of-libraries).
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
    /** Most bytes of a reply, after decompression. The node's own cap is 10 MiB (docs/notes/node.md#limits-of-one-request). */
    maxBytes?: number | undefined;
    /** Most requests of one turn that travel in one POST ({@link createBatching}). Default 1: each by itself. */
    batch?: number | undefined;
  }
}

export function createTransport(options: createTransport.Options): Transport {
  const { redact, batch = 1 } = own(options);
  const post = createPost(options);
  let lastId = 0;

  async function single(call: Call, connection: AbortController): Promise<Reply> {
    const posted = await post(JSON.stringify(call), connection);
    return 'ok' in posted ? judge(readReply(posted.text, call.id), posted) : posted;
  }

  // Loaded with the first request of a network whose owner has asked for it.
  const batching = lazy(async () =>
    (await import('./batch.js')).createBatching({ post, single, most: batch }),
  );
  const exchange = async (call: Call, connection: AbortController): Promise<Reply> =>
    batch > 1 && !changesState(call.method) ? (await batching())(call, connection) : single(call, connection);

  return {
    send(method, params, { deadline, signal }) {
      const connection = new AbortController();
      const outcome = (reply: Reply): Transport.Outcome =>
        'result' in reply ? reply : own({ fault: diagnose({ method, ...reply }, redact) });

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
        const abort = () => stop(own({ trouble: 'aborted' }));
        const timer = setTimeout(() => stop(own({ trouble: 'late', text: `${deadline}` })), deadline);
        signal?.addEventListener('abort', abort);
        if (signal?.aborted) return abort();
        const call: Call = { jsonrpc: '2.0', method, params, id: ++lastId };
        // The platform's error names the URL: nothing of it is kept.
        exchange(call, connection).then(end, () => end(own({ trouble: 'unreachable' })));
      });
    },
  };
}
