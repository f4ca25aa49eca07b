import { invalidRequest, limitExceeded, userRejected } from '../rpc/core-errors.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { asksPerson, isSend, walletFacts } from '../rpc/method-facts/wallet-facts.js';
import { own } from '../rpc/own.js';
import { permittedAccounts } from '../session/session.js';
import { isStanding } from '../session/standing.js';
import type { Wallet } from '../wallet/wallet.js';
import type { HandedRequest } from './handover.js';
import { createPace } from './pace.js';
import {
  isId,
  isText,
  isToken,
  limits,
  type Message,
  readJson,
  readMessage,
  type VisibleSession,
  writeError,
} from './protocol.js';

/** A client that is being served through its port. */
export interface Serving {
  post(message: Message): void;
  /**
   * Notes an approval: a send in flight may have been sent, and no question in flight may be reported as refused.
   */
  noteApproval(): void;
  /** Whether no request is in flight. */
  isIdle(): boolean;
  /** Whether the dapp has subscribed to anything or made a filter. */
  isFollowing(): boolean;
  /** Sends the reason to the client. After that no request of it is answered. */
  close(reason: string): void;
}

/**
 * Answers a client with the wallet of its origin. Only requests reach the wallet, through its provider: the functions of
 * its owner have no message.
 */
export function serve(options: serve.Options): Serving {
  const { port, nonce, version, wallet, windowMethods, pausedFor = 0, answered = new Set() } = own(options);
  const { onMessage, onClose, onIdle, inWindow, isPartitioned } = own(options);
  const { provider } = wallet;
  const inFlight = new Map<number, AbortController>();
  /** The sends in flight, and whether each may have been sent. */
  const sends = new Map<number, boolean>();
  /** The highest id so far. Ids only grow, so that none is used twice. */
  let last = 0;
  const pace = createPace();
  let isFollowing = false;
  let seq = 0;
  let closed = false;

  const post = (message: Message): void => {
    if (!closed) port.postMessage(message);
  };

  let shownState = JSON.stringify(visibleSession(wallet));
  // EIP-1193: an event arrives before the result of the request that caused it. A message port keeps the order.
  const unwatch = wallet.watch(() => {
    // The session of a storage of its own is not the wallet's.
    if (isPartitioned) return;
    const state = visibleSession(wallet);
    const text = JSON.stringify(state);
    if (text === shownState) return;
    shownState = text;
    post({ t: 'state', seq: ++seq, ...state });
  });

  const listeners = {
    connect: () => post({ t: 'event', name: 'connect' }),
    disconnect: () => post({ t: 'event', name: 'disconnect' }),
    message: (message: unknown) => post({ t: 'event', name: 'message', json: JSON.stringify(message) }),
  };
  for (const [name, listener] of Object.entries(listeners)) provider.on(name, listener);

  async function answer(message: RequestMessage, wait: number): Promise<void> {
    const { id, method, json, at, window: token } = message;
    const controller = new AbortController();
    const { signal } = controller;
    inFlight.set(id, controller);
    if (walletFacts(method).effect === 'follow') isFollowing = true;
    // Bytes that were signed elsewhere are sent without a question.
    if (isSend(method)) sends.set(id, !asksPerson(method));
    const answerInFrame = async (): Promise<string> => {
      const params = readJson(json);
      // Not taken for a request without params.
      if (params === undefined) throw new ProviderRpcError(errorCode.parseError, 'The params are not JSON.');
      const onProgress = (progress: unknown) => post({ t: 'progress', id, json: JSON.stringify(progress) });
      const request = { method, params } as { method: string };
      // A window would close as soon as the request is answered, with its question still open.
      const settings = { signal, onProgress, untilDecided: true };
      const result = (await provider.request(request, settings)) ?? null;
      if (isSend(method)) answered.add(result);
      return JSON.stringify(result);
    };
    try {
      if (wait > 0) {
        await new Promise((resolve) => setTimeout(resolve, wait));
        if (signal.aborted) throw userRejected();
      }
      const request = { method, json, at: timeOf(at), signal, token: isToken(token) ? token : undefined };
      const answer = await (inWindow ? inWindow(answerInFrame, request) : answerInFrame());
      post({ t: 'response', id, json: answer });
    } catch (error) {
      const internal = new ProviderRpcError(errorCode.internal, 'Internal error of the wallet.');
      refuse(id, isProviderRpcError(error) ? error : internal);
    } finally {
      inFlight.delete(id);
      sends.delete(id);
      if (inFlight.size === 0) onIdle?.();
    }
  }

  /** Answers what became of a send of an earlier connection: its hash, or `null` where nothing was signed. */
  async function answerOutcome({ id, method, json, at, answered: others }: RequestMessage): Promise<void> {
    inFlight.set(id, new AbortController());
    const { sendOutcomeOf } = await import('./send-outcome.js');
    const hashes = {
      has: (hash: unknown) => answered.has(hash) || (Array.isArray(others) && others.includes(hash)),
      add: (hash: unknown) => answered.add(hash),
    };
    const hash = await sendOutcomeOf(wallet, { method, json, at: timeOf(at) }, hashes).catch(() => null);
    inFlight.delete(id);
    post({ t: 'response', id, json: JSON.stringify(hash) });
  }

  /** An object as an id is not sent back: not every one that arrives can be sent. */
  const refuse = (id: unknown, error: ProviderRpcError) =>
    post({ t: 'response', id: Object(id) === id ? null : id, error: writeError(error) });

  function faultOf({ id, method, json }: Message): ProviderRpcError | null {
    if (!isId(id) || id <= last) return invalidRequest('The id of the request was used before.');
    last = id;
    if (inFlight.size >= limits.inFlight)
      return limitExceeded(`There are too many requests in flight already (${limits.inFlight}).`);
    if (typeof json !== 'string') return invalidRequest('The params must be JSON text.');
    if (!isText(json)) return limitExceeded('The request is too large: at most 1 MiB.');
    return typeof method === 'string' && method.length <= 1_000
      ? null
      : invalidRequest("'method' must be a non-empty string.");
  }

  function request(message: Message): void {
    const fault = faultOf(message);
    const read = message as unknown as RequestMessage;
    const wait = fault ? 0 : pace(read.json.length);
    if (fault) refuse(message.id, fault);
    else if (wait === null)
      refuse(read.id, limitExceeded('The page sends more than the wallet reads: 1 MiB a second.'));
    else if (message.t === 'outcome') void answerOutcome(read);
    else void answer(read, wait);
  }

  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = readMessage(data);
    if (!message || closed) return;
    if (message.t === 'request' || message.t === 'outcome') request(message);
    else if (message.t === 'cancel') inFlight.get(message.id as number)?.abort();
    else if (message.t === 'ping') post({ t: 'pong', n: typeof message.n === 'number' ? message.n : 0 });
    else if (message.t === 'bye') close('bye');
    else onMessage?.(message);
  };

  function close(reason: string): void {
    if (closed) return;
    const sending = [...sends].flatMap(([id, maybeSent]) => (maybeSent ? [id] : []));
    post({ t: 'closing', reason, last, sending });
    closed = true;
    unwatch();
    for (const [name, listener] of Object.entries(listeners)) provider.off(name, listener);
    for (const controller of inFlight.values()) controller.abort();
    port.close();
    onClose?.();
  }

  post({
    t: 'welcome',
    v: version,
    nonce,
    session: { ...visibleSession(wallet), connected: provider.isConnected() },
    features: isPartitioned ? ['partitioned'] : [],
    methods: windowMethods,
    paused: pausedFor,
    limits,
  });
  return {
    post,
    isIdle: () => inFlight.size === 0,
    isFollowing: () => isFollowing,
    noteApproval() {
      for (const id of sends.keys()) sends.set(id, true);
      post({ t: 'approved', last });
    },
    close,
  };
}

const timeOf = (at: unknown): number => (typeof at === 'number' ? at : Number.NaN);

/** A `request` whose members were checked. */
interface RequestMessage {
  readonly id: number;
  readonly method: string;
  readonly json: string;
  /** When a send was accepted, milliseconds since 1970; set in an `outcome`. */
  readonly at?: unknown;
  /** The token of a window that the client has opened for it. */
  readonly window?: unknown;
  /** Results of the page's other sends; set in an `outcome`. */
  readonly answered?: unknown;
}

/** The part of the session that the wallet's dapp may see. */
export function visibleSession(wallet: Wallet): VisibleSession {
  const state = wallet.state();
  const { chainId, granted = [] } = own(state);
  const permitted = granted
    .filter((each) => each.origin === wallet.origin && isStanding(state, each))
    .map(({ end, recipients }) => ({ end, recipients }));
  const accounts = permittedAccounts(state, wallet.origin);
  return { chainId, accounts, ...(permitted.length > 0 && { permitted }) };
}

/** The end of a line that a client has handed over. */
export interface Line {
  readonly port: MessagePort;
  /** The client's nonce, which `welcome` repeats. */
  readonly nonce: string;
  readonly version: number;
}

export declare namespace serve {
  interface Options extends Line {
    readonly wallet: Wallet;
    /** Methods for which the client opens a window at once. */
    readonly windowMethods: readonly string[];
    /** Milliseconds for which no window is opened, because the person has refused several questions. Default 0. */
    readonly pausedFor?: number | undefined;
    /** Results of the sends answered so far. Further ones are added. */
    readonly answered?: Set<unknown> | undefined;
    /** Whether the storage here is not that of the wallet's own windows. */
    readonly isPartitioned?: boolean | undefined;
    /** Answers a request with `here`, or in a window if the person cannot be asked here. */
    readonly inWindow?:
      | ((here: () => Promise<string>, request: HandedRequest) => Promise<string>)
      | undefined;
    /** Called with every message that is not about a request. */
    readonly onMessage?: ((message: Message) => void) | undefined;
    readonly onClose?: (() => void) | undefined;
    /** Called when no request is in flight any more. */
    readonly onIdle?: (() => void) | undefined;
  }
}
