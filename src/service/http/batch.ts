import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import { rowOf } from '../errors/diagnose.js';
import type { Reason } from '../errors/fault-table.js';
import { inLanes } from '../lanes.js';
import { type Answered, type Call, judge, type Post, type SendCall, toWire } from './post.js';
import { broken, type Failure, isErrorAlone, isNested, type Reply, readParsedReply } from './reply.js';

/** A call that waits for its batch to be sent. */
interface Waiting {
  readonly call: Call;
  readonly connection: AbortController;
  readonly resolve: (reply: Reply | Promise<Reply>) => void;
}

/**
 * Sends the calls of one task of the event loop in one POST (JSON-RPC 2.0, "Batch") and assigns the replies by id. It is
 * opt-in, because the documentation of the service shows no batches.
 *
 * An error for the batch as a whole is that of each call if it is about the service (a limit, a key, an outage): the client
 * waits for that once. Any other, such as a limit of length or time (docs/notes/node.md#errors-without-an-id), makes the
 * batch smaller; one of length is remembered.
 */
export function createBatching(options: createBatching.Options): SendCall {
  const { post, single } = options;
  let { maxCalls } = options;
  let waiting: Waiting[] = [];

  async function send(calls: readonly Waiting[]): Promise<void> {
    const batch = calls.filter((each) => !each.connection.signal.aborted);
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
    const sent = batch.map(({ call }) => call);
    const posted = await post(`[${sent.map(toWire)}]`, sent, connection).catch(
      (): Failure => own({ trouble: 'unreachable' }),
    );
    const replyTo = 'ok' in posted ? readReplies(posted) : (): BatchReply => posted;
    const refused: Waiting[] = [];
    let refusal: Failure | undefined;
    for (const each of batch) {
      const reply = replyTo(each.call.id);
      if ('result' in reply || !reply.isOfBatch) each.resolve(reply);
      else refused.push(each);
      if (refused.length === 1) refusal = reply as Failure;
    }
    if (refusal) await sendSmaller(refused, batch.length, refusal);
  }

  /** Sends a first smaller batch alone, because it may be refused too. */
  async function sendSmaller(calls: readonly Waiting[], length: number, refusal: Failure): Promise<void> {
    const size = lengthNamedIn(refusal, length) ?? Math.ceil(length / 2);
    if (!isOfTimeOrSize(refusal)) maxCalls = Math.min(maxCalls, size);
    await send(calls.slice(0, size));
    const step = Math.min(size, Math.max(1, maxCalls));
    const batches: (readonly Waiting[])[] = [];
    for (let at = size; at < calls.length; at += step) batches.push(calls.slice(at, at + step));
    await inLanes(batches, lanes, send);
  }

  return (call, connection) =>
    new Promise((resolve) => {
      waiting.push({ call, connection, resolve });
      if (waiting.length > 1 && waiting.length < maxCalls) return;
      const flush = () => {
        const batch = waiting;
        waiting = [];
        void send(batch);
      };
      if (waiting.length === 1 && maxCalls > 1) queueMicrotask(() => setTimeout(flush));
      else flush();
    });
}

/** Smaller batches that are sent at once. */
const lanes = 4;

/** A reply to one call, or an error for its batch, which a smaller one may not get. */
type BatchReply = { readonly result: unknown } | (Failure & { readonly isOfBatch?: boolean | undefined });

/**
 * Reads the replies to a batch. Replies with an unknown id and `null`s are ignored; two replies with the same id are an
 * error. One error, alone or in an array, with the id of the first call or with none, is for all calls; so are errors of
 * which none has an id.
 */
function readReplies(posted: Answered): (id: number) => BatchReply {
  if (isNested(posted.text)) return () => own({ trouble: 'nested' });
  let parsed: unknown;
  try {
    parsed = JSON.parse(posted.text);
  } catch {
    const reply = judge(own({ trouble: 'not-json' }), posted);
    return () => asOfBatch(reply, isOfAll);
  }
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const hasNoId = (reply: unknown) => (membersOf(reply).id ?? 'null') === 'null';
  if (
    !Array.isArray(parsed) ||
    (list.length > 0 && list.every((each) => isErrorAlone(each) && (list.length === 1 || hasNoId(each))))
  ) {
    const { result, ...members } = membersOf(list[0]);
    const one = typeof list[0] === 'object' && list[0] !== null ? own({ ...members, id: null }) : list[0];
    const reply =
      result === undefined ? judge(readParsedReply(one, 0), posted) : own<Failure>({ text: 'one result' });
    return () => asOfBatch(reply, isOfAll);
  }
  const byId = new Map<unknown, unknown[]>();
  for (const reply of list) {
    const { id } = membersOf(reply);
    byId.set(id, [...(byId.get(id) ?? []), reply]);
  }
  return (id) => {
    const [reply, ...others] = byId.get(id) ?? [];
    if (reply === undefined) return broken('no answer of the batch has the id of the request');
    if (others.length > 0) return broken('two answers of the batch have the id of the request');
    return asOfBatch(judge(readParsedReply(reply, id), posted), isOfOne);
  };
}

const asOfBatch = (reply: Reply, isOfBatch: (failure: Failure) => boolean): BatchReply =>
  'result' in reply ? reply : own({ ...reply, isOfBatch: isOfBatch(reply) });

/** Whether an error for all calls is about their batch, and not about the service. */
const isOfAll = (failure: Failure): boolean =>
  isOfOne(failure) ||
  (failure.trouble === 'status' && /^(400|405|41[345]|422|501)$/.test(`${failure.status}`)) ||
  !ofService.includes(reasonFor(failure));

const ofService: readonly unknown[] = [
  'rate',
  'quota',
  'refused',
  'status',
  'redirect',
  'not-json',
  'nested',
  'broken',
] satisfies Reason[];

/** Whether the error of one call is about its batch. The second row is geth's, whose batches are limited in bytes and time. */
const isOfOne = (failure: Failure): boolean =>
  failure.status !== 429 &&
  (/\bbatch/i.test(failure.text ?? '') ||
    (failure.code === -32003 && /^response too large/i.test(failure.text ?? '')) ||
    (failure.code === -32002 && /^request timed out/i.test(failure.text ?? '')));

const isOfTimeOrSize = (failure: Failure): boolean =>
  /^(timeout|too-large)$/.test(`${reasonFor(failure)}`) || failure.code === -32003 || failure.code === -32002;

const reasonFor = (failure: Failure): Reason | undefined =>
  rowOf(own({ method: 'eth_call', ...failure }), failure.text).reason ?? failure.trouble;

/** The length that the error names as the limit, such as "batch limit 100 exceeded". */
const lengthNamedIn = ({ text = '' }: Failure, length: number): number | undefined =>
  text
    .match(/\b\d{1,4}\b/g)
    ?.map(Number)
    .find((each) => each > 0 && each < length);

export declare namespace createBatching {
  interface Options {
    readonly post: Post;
    readonly single: SendCall;
    /** Calls in one POST. The node accepts 50 (docs/notes/node.md#limits-of-one-request). */
    readonly maxCalls: number;
  }
}
