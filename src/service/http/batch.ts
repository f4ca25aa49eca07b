import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import { type Call, judge, type Post, toWire } from './post.js';
import { broken, type Failure, isNested, type Reply, readParsedReply, readReply } from './reply.js';

/** Sends one call, alone or in a batch. */
type SendCall = (call: Call, connection: AbortController) => Promise<Reply>;

/** A call that waits for its batch to be sent. */
interface Waiting {
  readonly call: Call;
  readonly connection: AbortController;
  readonly resolve: (reply: Reply | Promise<Reply>) => void;
}

/**
 * Sends the calls of one task of the event loop in one POST (JSON-RPC 2.0, "Batch") and assigns the replies by id. It is
 * opt-in, because the documentation of the service shows no batches. If the service answers a batch with a single
 * error, such as a limit of length or time, the calls are sent one by one (docs/notes/node.md#errors-without-an-id).
 */
export function createBatching(options: createBatching.Options): SendCall {
  const { post, single, most } = options;
  let waiting: Waiting[] = [];

  async function send(batch: readonly Waiting[]): Promise<void> {
    const [first] = batch;
    if (!first) return;
    if (batch.length === 1) return first.resolve(single(first.call, first.connection));
    const connection = new AbortController();
    // The POST is aborted when all its calls are.
    let left = batch.length;
    for (const each of batch)
      each.connection.signal.addEventListener('abort', () => {
        if (--left === 0) connection.abort();
      });
    const calls = batch.map(({ call }) => call);
    const posted = await post(`[${calls.map(toWire)}]`, calls, connection).catch(
      (): Failure => own({ trouble: 'unreachable' }),
    );
    const replies = 'ok' in posted ? readReplies(posted.text) : null;
    for (const { call, connection: its, resolve } of batch) {
      if (!('ok' in posted)) resolve(posted);
      else if (replies) resolve(judge(replies(call.id), posted));
      else if (posted.ok || isRefusal(posted.text, call.id)) resolve(single(call, its));
      else resolve(judge(readReply(posted.text, call.id), posted));
    }
  }

  return (call, connection) =>
    new Promise((resolve) => {
      waiting.push({ call, connection, resolve });
      if (waiting.length > 1 && waiting.length < most) return;
      const flush = () => {
        const batch = waiting.filter((each) => !each.connection.signal.aborted);
        waiting = [];
        void send(batch);
      };
      if (waiting.length === 1) queueMicrotask(() => setTimeout(flush));
      else flush();
    });
}

/**
 * Reads the replies to a batch; `null` if the text is not an array. Replies with an unknown id and `null`s are ignored;
 * two replies with the same id are an error.
 */
function readReplies(text: string): ((id: number) => Reply) | null {
  if (isNested(text)) return () => own({ trouble: 'nested' });
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return () => own({ trouble: 'not-json' });
  }
  if (!Array.isArray(list)) return null;
  const byId = new Map<unknown, unknown[]>();
  for (const reply of list as unknown[]) {
    const { id } = membersOf(reply);
    byId.set(id, [...(byId.get(id) ?? []), reply]);
  }
  return (id) => {
    const [reply, ...others] = byId.get(id) ?? [];
    if (reply === undefined) return broken('no answer of the batch has the id of the request');
    if (others.length > 0) return broken('two answers of the batch have the id of the request');
    return readParsedReply(reply, id);
  };
}

/** Whether the reply is one JSON-RPC error for the whole batch, at any HTTP status. */
const isRefusal = (text: string, id: number): boolean => {
  const reply = readReply(text, id);
  return !('result' in reply) && reply.code !== undefined;
};

export declare namespace createBatching {
  interface Options {
    readonly post: Post;
    readonly single: SendCall;
    /** Calls in one POST. The node accepts 50 (docs/notes/node.md#limits-of-one-request). */
    readonly most: number;
  }
}
