import type { Hash } from '../rpc/schema.js';

/** What a test may do to replies, on purpose. */

/** A reply as it goes out: the body whole, or in pieces as they come. */
export interface ScriptedReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** One HTTP request as the hooks see it: the calls in its body, none where the body could not be read. */
export interface Asked {
  readonly calls: readonly { readonly method: string; readonly params: unknown; readonly id: unknown }[];
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export type Truth = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
};

/**
 * Looks at a request before it is answered. `undefined` leaves it alone; a reply takes the answer's place,
 * `drop` destroys the socket, `hang` never answers. `answer()` processes the request and gives the true
 * answer, so that a hook can lose or change it.
 */
export type Intercept = (
  asked: Asked,
  answer: () => Promise<Truth>,
) => Verdict | undefined | Promise<Verdict | undefined>;
export type Verdict = ScriptedReply | 'drop' | 'hang';

/** Which requests a fault hits: the next n, or all that the predicate picks. */
export type Which = number | ((asked: Asked) => boolean);

/** How a chosen `eth_sendRawTransaction` fails for its sender. */
export interface SendFault {
  /** Whether the node processes the request before it replies. What the pool itself answers is not shown. */
  readonly accepted: boolean;
  /** A JSON-RPC error under the request's own id (each call of a batch gets it), or a reply as it stands. */
  readonly reply: SendError | ScriptedReply;
}

export interface SendError {
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** HTTP status; default 200. */
  readonly status?: number;
}

/** Which sends a fault hits: the next n, or all whose raw transaction the predicate picks. */
export type WhichSends = number | ((raw: string) => boolean);

/** Says another transaction count than the true one. */
export type CountClaim = (truth: bigint, address: string, block: unknown) => bigint;

export type Garble = 'garbage' | 'truncated' | 'html' | 'empty' | ScriptedReply;

export interface Faults {
  /** Every answer waits this many milliseconds. */
  latency(milliseconds: number): void;
  /** The request is processed and the socket destroyed before its reply. Returns its undo. */
  dropReplies(which: Which): () => void;
  /** The request is processed and its reply spoiled. Returns its undo. */
  garbleReplies(how: Garble, which?: Which): () => void;
  /** The next n `eth_sendRawTransaction` are accepted and answered with the all-zero hash. */
  zeroHashReplies(count?: number): void;
  /** The next n are accepted and answered with a hash that is not theirs. */
  wrongHashReplies(count?: number): void;
  /** Chosen sends are accepted or not, and answered otherwise. Returns its undo. */
  failSends(fault: SendFault, which?: WhichSends): () => void;
  /** `eth_getTransactionCount` answers what the claim makes of the true count; null ends it. */
  claimTransactionCount(claim: CountClaim | null): void;
  /** Hooks run newest first, until one gives a verdict. Returns its undo. */
  intercept(hook: Intercept): () => void;
  /** No faults any more. */
  calm(): void;
}

/** The faults for whoever sets them, and what the front asks of them. */
export interface FaultState {
  readonly controls: Faults;
  wait(): Promise<void>;
  judge(asked: Asked, answer: () => Promise<Truth>): Promise<Verdict | undefined>;
  hashReply(): Hash | undefined;
  /** What `eth_getTransactionCount` says: the truth unless a claim is set. */
  transactionCount(truth: bigint, address: string, block: unknown): bigint;
}

const spoiled: { readonly [how in Exclude<Garble, ScriptedReply>]: (truth: Truth) => ScriptedReply } = {
  garbage: (truth) => ({ ...truth, body: '\u0000\u001f{]not json' }),
  truncated: (truth) => ({ ...truth, body: truth.body.slice(0, Math.floor(truth.body.length / 2)) }),
  html: () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>',
  }),
  empty: (truth) => ({ ...truth, body: '' }),
};

const isSend = ({ method }: { readonly method: string }) => method === 'eth_sendRawTransaction';

/** The reply as it goes out: a JSON-RPC error takes the ids of the request's calls. */
function sendReply({ calls, body }: Asked, reply: SendFault['reply']): ScriptedReply {
  if (!('error' in reply)) return reply;
  const { error, status = 200 } = reply;
  const replies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
  return { status, body: JSON.stringify(body.trimStart().startsWith('[') ? replies : replies[0]) };
}

export function createFaults(): FaultState {
  let hooks: Intercept[] = [];
  let delay = 0;
  let claim: CountClaim | null = null;
  const hashes: Hash[] = [];

  function intercept(hook: Intercept): () => void {
    hooks = [hook, ...hooks];
    return () => {
      hooks = hooks.filter((each) => each !== hook);
    };
  }

  function limited(
    which: Which,
    verdict: (answer: () => Promise<Truth>, asked: Asked) => Promise<Verdict>,
  ): () => void {
    let left = typeof which === 'number' ? which : Number.POSITIVE_INFINITY;
    return intercept(async (asked, answer) => {
      if (left <= 0 || (typeof which === 'function' && !which(asked))) return undefined;
      left -= 1;
      return verdict(answer, asked);
    });
  }

  return {
    controls: {
      intercept,
      latency: (milliseconds) => {
        delay = milliseconds;
      },
      dropReplies: (which) =>
        limited(which, async (answer) => {
          await answer();
          return 'drop';
        }),
      garbleReplies: (how, which = 1) =>
        limited(which, async (answer) => {
          const truth = await answer();
          return typeof how === 'string' ? spoiled[how](truth) : how;
        }),
      zeroHashReplies: (count = 1) => {
        for (let i = 0; i < count; i++) hashes.push(`0x${'0'.repeat(64)}`);
      },
      wrongHashReplies: (count = 1) => {
        for (let i = 0; i < count; i++) hashes.push(`0x${'ba'.repeat(32)}`);
      },
      failSends: ({ accepted, reply }, which = 1) => {
        let left = typeof which === 'number' ? which : Number.POSITIVE_INFINITY;
        const picked = ({ params }: { readonly params: unknown }) =>
          typeof which === 'number' || (Array.isArray(params) && which(String(params[0])));
        return limited(
          ({ calls }) => left > 0 && calls.some((call) => isSend(call) && picked(call)),
          async (answer, asked) => {
            left -= 1;
            if (accepted) await answer();
            return sendReply(asked, reply);
          },
        );
      },
      claimTransactionCount: (next) => {
        claim = next;
      },
      calm: () => {
        claim = null;
        hooks = [];
        hashes.length = 0;
        delay = 0;
      },
    },
    hashReply: () => hashes.shift(),
    transactionCount: (truth, address, block) => claim?.(truth, address, block) ?? truth,
    wait: () => (delay > 0 ? new Promise((resolve) => setTimeout(resolve, delay)) : Promise.resolve()),
    judge: async (asked, answer) => {
      for (const hook of hooks) {
        const verdict = await hook(asked, answer);
        if (verdict !== undefined) return verdict;
      }
      return undefined;
    },
  };
}
