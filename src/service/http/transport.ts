import { lazy } from '../../async/lazy.js';
import { ProviderRpcError } from '../../rpc/errors.js';
import { executes, mustNotRepeat } from '../../rpc/method-facts/method-facts.js';
import { isSend } from '../../rpc/method-facts/wallet-facts.js';
import { notLoaded } from '../../rpc/not-loaded.js';
import { own } from '../../rpc/own.js';
import type { Diagnosis } from '../errors/diagnose.js';
import { type Fault, requestAborted, type Symptom } from '../errors/errors.js';
import { type Call, createPost, judge, type Posted, type SendCall, toWire } from './post.js';
import { isRevertPayload, type Reply, readReply } from './reply.js';

export type Transport = ReturnType<typeof createTransport>;

export declare namespace Transport {
  interface SendOptions {
    /** Milliseconds from connecting to the last byte of the body. */
    deadline: number;
    signal?: AbortSignal | undefined;
    /** How often the request has been sent, this time included. */
    attempt?: number | undefined;
  }
  type Outcome = { readonly result: unknown; readonly fault?: never } | { readonly fault: Fault };
}

export declare namespace createTransport {
  interface Options extends createPost.Options {
    /** Loads what reads failures: `createDiagnosis([url])`. */
    readonly diagnosis: () => Promise<Diagnosis>;
    /** Most requests in one POST ({@link createBatching}). Default 1: no batches. */
    readonly batch?: number | undefined;
    /** Whether {@link nodeErrorOf} has the node's errors that are shortened. Default false. */
    readonly nodeErrors?: boolean | undefined;
  }
}

/**
 * Sends requests to one endpoint (docs/notes/service.md#transport). Not a library's transport: theirs put the URL, which
 * contains the API key, into errors, end the timeout at the headers, and accept any reply id
 * (docs/notes/security.md#http-clients-of-libraries).
 */
export function createTransport(options: createTransport.Options) {
  const { diagnosis, batch = 1, nodeErrors = false } = own(options);
  const post = createPost(options);
  // No id is the index of a call in its batch, which gateways have answered in place of the id.
  let lastId = batch > 1 ? 1_000 : 0;

  const readPosted = (posted: Posted, id: number): Reply =>
    'ok' in posted ? judge(readReply(posted.text, id), posted) : posted;

  // Loads at the first request of a network with batches.
  const batching = lazy(async () => {
    const single: SendCall = async (call, connection) =>
      readPosted(await post(toWire(call), [call], connection), call.id);
    return (await import('./batch.js')).createBatching({ post, single, maxCalls: batch });
  });
  const sendInBatch: SendCall = async (call, connection) => (await batching())(call, connection);

  function outcomeOf(method: string, reply: Reply): Transport.Outcome | Promise<Transport.Outcome> {
    if (!('result' in reply)) return faultOf({ method, ...reply });
    if (!executes(method) || !isRevertPayload(reply.result)) return reply;
    return faultOf({ method, code: 3, text: 'execution reverted', data: reply.result });
  }

  async function faultOf(symptom: Symptom): Promise<Transport.Outcome> {
    const { method, trouble } = symptom;
    if (trouble === 'aborted')
      return { fault: { error: requestAborted(method), retry: undefined, reason: trouble } };
    try {
      const { of, keep } = await diagnosis();
      const fault = of(symptom);
      if (nodeErrors) keep(fault.error, symptom);
      return { fault };
    } catch (cause) {
      // Nothing is known of this failure, and nothing proves that a send was refused.
      const { code, message } = notLoaded(cause);
      const data = isSend(method) ? { outcomeUnknown: true } : undefined;
      return { fault: { error: new ProviderRpcError(code, message, data), retry: trouble && 'again' } };
    }
  }

  return {
    /** Never rejects: a failure is a {@link Fault}. Aborting `signal` ends the HTTP request. */
    async send(
      method: string,
      params: readonly unknown[],
      { deadline, signal, attempt = 1 }: Transport.SendOptions,
    ): Promise<Transport.Outcome> {
      if (signal?.aborted) return outcomeOf(method, own({ trouble: 'aborted' }));
      const connection = new AbortController();
      const call: Call = { method, params, id: ++lastId, attempt };
      const reply =
        batch > 1 && !mustNotRepeat(method)
          ? sendInBatch(call, connection)
          : post(toWire(call), [call], connection).then((posted) => readPosted(posted, call.id));
      return outcomeOf(method, await firstOf(reply, connection, deadline, signal));
    },
  };
}

/** The first of reply, timeout and abort, even if fetch ignores its signal. */
const firstOf = (
  reply: Promise<Reply>,
  connection: AbortController,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Reply> =>
  new Promise((resolve) => {
    const end = (first: Reply) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(first);
    };
    const stop = (first: Reply) => {
      connection.abort();
      end(first);
    };
    const abort = () => stop(own({ trouble: 'aborted' }));
    const timer = setTimeout(() => stop(own({ trouble: 'late', text: `${deadline}` })), deadline);
    signal?.addEventListener('abort', abort);
    // The platform's error contains the URL, so it is dropped.
    reply.then(end, () => end(own({ trouble: 'unreachable' })));
  });
