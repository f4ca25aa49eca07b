import type { Hash } from '../../../../src/rpc/schema.js';
import { type Lie, type Truth, tellLie } from './lies.js';

/** A complete HTTP reply. An async iterable is sent as a stream. Default status 200. */
export interface ScriptedReply {
  /** HTTP status. Default 200. */
  readonly status?: number | undefined;
  /** By name. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A text, bytes, or pieces that are sent one after the other. */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
}

/** An HTTP request as a hook receives it. `calls` is empty when the body is not valid JSON-RPC. */
export interface InterceptedRequest {
  /** The calls in order; one for a request that is no batch. */
  readonly calls: readonly { readonly method: string; readonly params: unknown; readonly id: unknown }[];
  /** As received. */
  readonly body: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The reply that the service would send without a fault. */
export type ActualReply = {
  /** HTTP status. */
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Record<string, string>;
  /** JSON text. */
  readonly body: string;
};

/**
 * A hook that runs before a request is processed. Returning `undefined` changes nothing. A reply is sent instead of the
 * actual one, `drop` destroys the socket, `hang` never replies. `process()` processes the request and returns the actual
 * reply, so that a hook can change or discard it.
 */
export type Intercept = (
  request: InterceptedRequest,
  process: () => Promise<ActualReply>,
) => Interception | undefined | Promise<Interception | undefined>;
/** The effect of a hook on a request. */
export type Interception = ScriptedReply | 'drop' | 'hang';

/** The requests that a fault affects: the next n, or all that match the predicate. */
export type RequestSelection = number | ((request: InterceptedRequest) => boolean);

/** How an affected `eth_sendRawTransaction` fails. */
export interface SendFault {
  /** Whether the node processes the request before the reply. The actual reply is discarded. */
  readonly accepted: boolean;
  /** A JSON-RPC error with the request's id (for each call of a batch), or a complete reply. */
  readonly reply: SendError | ScriptedReply;
}

/** A JSON-RPC error as the reply to a send. */
export interface SendError {
  /** As in JSON-RPC. */
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** HTTP status; default 200. */
  readonly status?: number | undefined;
}

/** The sends that a fault affects: the next n, or all whose raw transaction matches the predicate. */
export type SendSelection = number | ((raw: string) => boolean);

/** Returns a false transaction count. `truth` is the true one, `block` the block parameter as received. */
export type TransactionCountOverride = (truth: bigint, address: string, block: unknown) => bigint;

/** How a reply is garbled: to text that is not JSON, its first half, an HTML page with status 502, nothing, or a given reply. */
export type GarbledReply = 'garbage' | 'truncated' | 'html' | 'empty' | ScriptedReply;

/**
 * Faults of one node, for tests.
 *
 * @example
 * service.controls.latency(200);
 * const undo = service.controls.dropReplies(({ calls }) => calls[0]?.method === 'eth_call');
 * undo();
 */
export interface Faults {
  /** Delays every reply by this many milliseconds. Default 0. */
  latency(milliseconds: number): void;
  /** Processes affected requests, then destroys the socket instead of replying. Returns the undo. */
  dropReplies(which: RequestSelection): () => void;
  /** Processes affected requests (default the next one) and garbles their replies. Returns the undo. */
  garbleReplies(how: GarbledReply, which?: RequestSelection): () => void;
  /** Accepts the next n `eth_sendRawTransaction` (default 1) and replies with the all-zero hash. */
  zeroHashReplies(count?: number): void;
  /** Accepts the next n `eth_sendRawTransaction` (default 1) and replies with a wrong hash. */
  wrongHashReplies(count?: number): void;
  /** Fails affected sends (default the next one), accepted or not. Returns the undo. */
  failSends(fault: SendFault, which?: SendSelection): () => void;
  /** Overrides the results of `eth_getTransactionCount`; null ends it. */
  overrideTransactionCount(override: TransactionCountOverride | null): void;
  /** Tells a lie in all replies that it concerns. Returns the undo. */
  lie(lie: Lie): () => void;
  /** Adds a hook. The newest hook runs first; the first that does not return `undefined` decides. Returns the undo. */
  intercept(hook: Intercept): () => void;
  /** Ends all faults. */
  clearFaults(): void;
}

const garble: {
  readonly [how in Exclude<GarbledReply, ScriptedReply>]: (truth: ActualReply) => ScriptedReply;
} = {
  garbage: (truth) => ({ ...truth, body: '\u0000\u001f{]not json' }),
  truncated: (truth) => ({ ...truth, body: truth.body.slice(0, Math.floor(truth.body.length / 2)) }),
  html: () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>',
  }),
  empty: (truth) => ({ ...truth, body: '' }),
};

/** The complete reply: a JSON-RPC error gets the ids of the request's calls. */
function sendReply({ calls, body }: InterceptedRequest, reply: SendFault['reply']): ScriptedReply {
  if (!('error' in reply)) return reply;
  const { error, status = 200 } = reply;
  const replies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
  return { status, body: JSON.stringify(body.trimStart().startsWith('[') ? replies : replies[0]) };
}

export type FaultState = ReturnType<typeof createFaults>;

/** The faults of a node: the controls for tests, and what the HTTP server and the methods read. */
export function createFaults(truth: () => Truth) {
  let hooks: Intercept[] = [];
  let latency = 0;
  let countOverride: TransactionCountOverride | null = null;
  const fakeHashes: Hash[] = [];

  function intercept(hook: Intercept): () => void {
    hooks = [hook, ...hooks];
    return () => {
      hooks = hooks.filter((each) => each !== hook);
    };
  }

  /** Adds a hook that affects so many of the selected requests. */
  function interceptSelected(
    count: number,
    isSelected: (request: InterceptedRequest) => boolean,
    hook: (process: () => Promise<ActualReply>, request: InterceptedRequest) => Promise<Interception>,
  ): () => void {
    let left = count;
    return intercept(async (request, process) => {
      if (left <= 0 || !isSelected(request)) return undefined;
      left -= 1;
      return hook(process, request);
    });
  }

  function fakeHash(hash: Hash, count: number): void {
    for (let i = 0; i < count; i++) fakeHashes.push(hash);
  }

  const controls: Faults = {
    intercept,
    latency(milliseconds) {
      latency = milliseconds;
    },
    lie(lie) {
      const tell = tellLie(lie, truth());
      return intercept(async ({ calls }, process) => {
        const reply = await process();
        return { ...reply, body: await tell(calls, reply.body) };
      });
    },
    dropReplies: (which) =>
      interceptSelected(countOf(which), predicateOf(which), async (process) => {
        await process();
        return 'drop';
      }),
    garbleReplies: (how, which = 1) =>
      interceptSelected(countOf(which), predicateOf(which), async (process) => {
        const truth = await process();
        return typeof how === 'string' ? garble[how](truth) : how;
      }),
    zeroHashReplies: (count = 1) => fakeHash(`0x${'0'.repeat(64)}`, count),
    wrongHashReplies: (count = 1) => fakeHash(`0x${'ba'.repeat(32)}`, count),
    failSends({ accepted, reply }, which = 1) {
      const isRaw = predicateOf(which);
      const isSelected = ({ method, params }: InterceptedRequest['calls'][number]) =>
        method === 'eth_sendRawTransaction' &&
        (Array.isArray(params) ? isRaw(String(params[0])) : typeof which === 'number');
      return interceptSelected(
        countOf(which),
        ({ calls }) => calls.some(isSelected),
        async (process, request) => {
          if (accepted) await process();
          return sendReply(request, reply);
        },
      );
    },
    overrideTransactionCount(next) {
      countOverride = next;
    },
    clearFaults() {
      countOverride = null;
      hooks = [];
      fakeHashes.length = 0;
      latency = 0;
    },
  };
  return {
    controls,
    /** The fake hash for the next send; undefined for the true one. */
    nextFakeHash: () => fakeHashes.shift(),
    /** The reply to `eth_getTransactionCount`: the true count unless overridden. */
    transactionCount: (truth: bigint, address: string, block: unknown) =>
      countOverride?.(truth, address, block) ?? truth,
    /** Waits for the configured latency. */
    async delay(): Promise<void> {
      if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    },
    /** Runs the hooks. */
    async intercept(
      request: InterceptedRequest,
      process: () => Promise<ActualReply>,
    ): Promise<Interception | undefined> {
      for (const hook of hooks) {
        const interception = await hook(request, process);
        if (interception !== undefined) return interception;
      }
      return undefined;
    },
  };
}

/** How many requests a selection has at the most, and its predicate. */
const countOf = (which: number | object) => (typeof which === 'number' ? which : Number.POSITIVE_INFINITY);
const predicateOf = <T>(which: number | ((value: T) => boolean)) =>
  typeof which === 'number' ? () => true : which;
