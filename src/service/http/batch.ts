import { own } from '../../rpc/own.js';
import { type Call, judge, type Post } from './post.js';
import { type Failure, type Reply, readReplies, readReply } from './reply.js';

/** Sends one call, in whatever company. */
type Exchange = (call: Call, connection: AbortController) => Promise<Reply>;

/** One that waits for the end of the turn. */
interface Waiting {
  readonly call: Call;
  readonly connection: AbortController;
  readonly resolve: (reply: Reply | Promise<Reply>) => void;
}

/**
 * Puts the calls of one turn into one POST (JSON-RPC 2.0, "Batch"): the answers come back in any order, and are
 * found by their ids. The seed shows no batches, so it is for networks whose owner knows that they are taken;
 * where one is answered as a whole (a limit on its length or its time: docs/notes/node.md#errors-without-an-id) its calls are sent
 * one by one.
 */
export function createBatching(options: createBatching.Options): Exchange {
  const { post, single, most } = options;
  let waiting: Waiting[] = [];

  async function send(together: readonly Waiting[]): Promise<void> {
    const [first] = together;
    if (!first) return;
    if (together.length === 1) return first.resolve(single(first.call, first.connection));
    const connection = new AbortController();
    // Whoever gives up leaves the others theirs.
    let left = together.length;
    for (const each of together)
      each.connection.signal.addEventListener('abort', () => {
        if (--left === 0) connection.abort();
      });
    const body = JSON.stringify(together.map(({ call }) => call));
    const posted = await post(body, connection).catch((): Failure => own({ trouble: 'unreachable' }));
    const replies = 'ok' in posted ? readReplies(posted.text) : null;
    for (const { call, connection: its, resolve } of together) {
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
        const together = waiting.filter((each) => !each.connection.signal.aborted);
        waiting = [];
        void send(together);
      };
      if (waiting.length === 1) queueMicrotask(() => setTimeout(flush));
      else flush();
    });
}

/** A JSON-RPC error for the batch as such, at whatever HTTP status. */
const isRefusal = (text: string, id: number): boolean => {
  const reply = readReply(text, id);
  return !('result' in reply) && reply.code !== undefined;
};

export declare namespace createBatching {
  interface Options {
    readonly post: Post;
    readonly single: Exchange;
    /** Calls in one POST. The node takes 50 (docs/notes/node.md#limits-of-one-request). */
    readonly most: number;
  }
}
