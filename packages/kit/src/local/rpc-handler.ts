import type { Context, Methods } from './context.js';
import { modulesOn, optionalModules } from './dialect.js';
import {
  bare,
  Failure,
  httpStatusOf,
  internal,
  methodDisabled,
  methodNotFound,
  parseFailure,
  unexpected,
  wrongParamCount,
} from './failure.js';

/** The HTTP reply to a request body. The body is empty for a notification (docs/notes/node.md#batches-and-ids). */
export interface HttpReply {
  readonly status: number;
  readonly body: string;
}

export declare namespace createRpcHandler {
  interface Options {
    readonly methods: Methods;
    readonly context: Context;
    /** Calls per batch. */
    readonly batchLimit: number;
    /** Milliseconds for the whole body, batches included. Checked after each call. */
    readonly timeout: number;
    /** Bytes. */
    readonly responseLimit: number;
    readonly now: () => number;
  }
}

/** Handles a parsed request body, and frames its reply as the node does (docs/notes/node.md#replies). */
export function createRpcHandler(options: createRpcHandler.Options): (body: unknown) => Promise<HttpReply> {
  const { methods, context, now } = options;

  async function runCall(call: Call): Promise<unknown> {
    const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
    if (!method || isAbsent(call.method, context)) throw methodNotFound();
    const { params } = call;
    const min = method.min - (method.isLastOptional && context.switches.arity === 'optional' ? 1 : 0);
    if (!Array.isArray(params) || params.length < min || params.length > method.max) throw wrongParamCount();
    if (withoutEffect.includes(call.method) && context.switches.unlisted === 'absent') throw methodNotFound();
    if (!isOn(call.method, context)) throw methodDisabled(call.method);
    await context.chain.branchSwitched();
    return method.handle(params, context);
  }

  /** The reply to one element; undefined for a notification. @throws Failure of the form `bare` */
  async function replyTo(element: unknown, inBatch: boolean): Promise<Reply | undefined> {
    let call: Call;
    try {
      call = readCall(element, inBatch);
    } catch (error) {
      return errorReply(error, { jsonrpc: '2.0', id: 'null' });
    }
    const { jsonrpc, id } = call;
    try {
      const result = await runCall(call);
      return id === undefined ? undefined : { jsonrpc, id, result: result ?? null };
    } catch (error) {
      const isSilent =
        id === undefined && !(error instanceof Failure && error.message === 'method not found');
      return isSilent ? undefined : errorReply(error, id === undefined ? { jsonrpc } : { jsonrpc, id });
    }
  }

  function requireTime(deadline: number): void {
    if (now() > deadline) throw bare(-32011, 'Execution has got timeout out.');
  }

  async function replyToAll(elements: readonly unknown[], deadline: number): Promise<unknown[]> {
    const replies: unknown[] = [];
    for (const element of elements) {
      const reply = Array.isArray(element)
        ? await replyToAll(element, deadline)
        : ((await replyTo(element, true)) ?? null);
      replies.push(reply);
      requireTime(deadline);
    }
    return replies;
  }

  async function handleBody(body: unknown): Promise<HttpReply> {
    const deadline = now() + options.timeout;
    if (Array.isArray(body)) {
      if (depth(body) > 1000) throw bare(-32600, 'Invalid request');
      if (countCalls(body) > options.batchLimit)
        throw bare(
          -32600,
          `Cannot dispatch batch requests. ${options.batchLimit} is the max number of supported batch requests`,
        );
      return { status: 200, body: JSON.stringify(await replyToAll(body, deadline)) };
    }
    const reply = await replyTo(body, false);
    requireTime(deadline);
    if (reply === undefined) return { status: 200, body: '' };
    return { status: reply.error ? httpStatusOf(reply.error.code) : 200, body: JSON.stringify(reply) };
  }

  return async (body) => {
    try {
      const reply = await handleBody(body);
      if (Buffer.byteLength(reply.body) > options.responseLimit)
        throw bare(-32011, `Response size limit of ${options.responseLimit} bytes exceeded`);
      return reply;
    } catch (error) {
      return httpReply(error instanceof Failure ? error : unexpected());
    }
  };
}

/** The reply to a whole body. */
const httpReply = ({ code, message }: Failure, frame?: { jsonrpc: string; id: string }): HttpReply => ({
  status: httpStatusOf(code),
  body: JSON.stringify({ ...frame, error: { code, message } }),
});

/** The reply to a body that is not JSON. */
export const parseErrorReply = () => httpReply(parseFailure(), { jsonrpc: '2.0', id: 'null' });

/** The reply to an empty body (docs/notes/node.md#protocol-errors). */
export const emptyBodyReply = () => httpReply(unexpected());

interface Call {
  readonly jsonrpc: unknown;
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: unknown;
}

interface Reply {
  readonly jsonrpc: unknown;
  readonly id?: unknown | undefined;
  readonly result?: unknown | undefined;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
}

function readCall(element: unknown, inBatch: boolean): Call {
  if (typeof element !== 'object' || element === null)
    throw new Failure(-32600, 'invalid request', { form: 'unread' });
  const { jsonrpc = '2.0', id, method, params = [] } = element as Record<string, unknown>;
  if (typeof id === 'boolean' || (typeof id === 'object' && id !== null))
    throw inBatch ? parseFailure() : unexpected();
  if (typeof params !== 'object') throw unexpected();
  return {
    jsonrpc,
    id: id === null ? undefined : (id as string | number | undefined),
    method: typeof method === 'string' ? method : '',
    params: params ?? [],
  };
}

function errorReply(error: unknown, frame: { jsonrpc: unknown; id?: unknown }): Reply {
  const failure = error instanceof Failure ? error : internal();
  if (failure.form === 'bare') throw failure;
  const { code, message, data } = failure;
  const framed = failure.form === 'unread' ? { ...frame, id: 'null' } : frame;
  return { ...framed, error: { code, message, ...(data !== undefined && { data }) } };
}

/** Methods that the seed describes and the node lacks. */
const unlisted: readonly string[] = ['eth_getProof', 'eth_getWork'];
/** Methods that the seed describes, of which the node checks only the number of parameters. */
const withoutEffect: readonly string[] = ['eth_submitWork', 'eth_submitHashrate'];
/** Methods that the node has and the seed lists as not supported. */
const nodeOnly: readonly string[] = ['eth_getCompilers'];

const isAbsent = (method: string, { switches }: Context) =>
  (switches.unlisted === 'absent' ? unlisted : nodeOnly).includes(method);

function isOn(method: string, { switches }: Context): boolean {
  const [module = ''] = method.split('_');
  return !optionalModules.includes(module) || modulesOn(switches).includes(module);
}

export const countCalls = (body: readonly unknown[]): number => body.flat(Number.POSITIVE_INFINITY).length;

function depth(body: unknown): number {
  let levels = 0;
  let level: unknown[] = [body];
  for (; level.length > 0; levels++)
    level = level.flatMap((each) => (Array.isArray(each) ? each.filter(Array.isArray) : []));
  return levels;
}
