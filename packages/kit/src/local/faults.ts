import type { Hash } from '../../../../src/rpc/schema.js';

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
  /** Adds a hook. The newest hook runs first; the first that does not return `undefined` decides. Returns the undo. */
  intercept(hook: Intercept): () => void;
  /** Ends all faults. */
  clearFaults(): void;
}

/** The faults of a node: the controls for tests, and what the HTTP server and the methods read. */
export interface FaultState {
  readonly controls: Faults;
  /** Waits for the configured latency. */
  delay(): Promise<void>;
  /** Runs the hooks. */
  intercept(
    request: InterceptedRequest,
    process: () => Promise<ActualReply>,
  ): Promise<Interception | undefined>;
  /** The fake hash for the next send; undefined for the true one. */
  nextFakeHash(): Hash | undefined;
  /** The reply to `eth_getTransactionCount`: the true count unless overridden. */
  transactionCount(truth: bigint, address: string, block: unknown): bigint;
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

export function createFaults(): FaultState {
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

  /** Adds a hook that affects only the selected requests. */
  function interceptSelected(
    which: RequestSelection,
    hook: (process: () => Promise<ActualReply>, request: InterceptedRequest) => Promise<Interception>,
  ): () => void {
    let left = typeof which === 'number' ? which : Number.POSITIVE_INFINITY;
    return intercept(async (request, process) => {
      if (left <= 0 || (typeof which === 'function' && !which(request))) return undefined;
      left -= 1;
      return hook(process, request);
    });
  }

  return {
    controls: {
      intercept,
      latency: (milliseconds) => {
        latency = milliseconds;
      },
      dropReplies: (which) =>
        interceptSelected(which, async (process) => {
          await process();
          return 'drop';
        }),
      garbleReplies: (how, which = 1) =>
        interceptSelected(which, async (process) => {
          const truth = await process();
          return typeof how === 'string' ? garble[how](truth) : how;
        }),
      zeroHashReplies: (count = 1) => {
        for (let i = 0; i < count; i++) fakeHashes.push(`0x${'0'.repeat(64)}`);
      },
      wrongHashReplies: (count = 1) => {
        for (let i = 0; i < count; i++) fakeHashes.push(`0x${'ba'.repeat(32)}`);
      },
      failSends: ({ accepted, reply }, which = 1) => {
        let left = typeof which === 'number' ? which : Number.POSITIVE_INFINITY;
        const isSelected = ({ params }: { readonly params: unknown }) =>
          typeof which === 'number' || (Array.isArray(params) && which(String(params[0])));
        return interceptSelected(
          ({ calls }) =>
            left > 0 && calls.some((call) => call.method === 'eth_sendRawTransaction' && isSelected(call)),
          async (process, request) => {
            left -= 1;
            if (accepted) await process();
            return sendReply(request, reply);
          },
        );
      },
      overrideTransactionCount: (next) => {
        countOverride = next;
      },
      clearFaults: () => {
        countOverride = null;
        hooks = [];
        fakeHashes.length = 0;
        latency = 0;
      },
    },
    nextFakeHash: () => fakeHashes.shift(),
    transactionCount: (truth, address, block) => countOverride?.(truth, address, block) ?? truth,
    delay: () => (latency > 0 ? new Promise((resolve) => setTimeout(resolve, latency)) : Promise.resolve()),
    intercept: async (request, process) => {
      for (const hook of hooks) {
        const interception = await hook(request, process);
        if (interception !== undefined) return interception;
      }
      return undefined;
    },
  };
}
