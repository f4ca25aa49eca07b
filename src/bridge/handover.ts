import { userRejected } from '../rpc/core-errors.js';
import { errorCode, type ProviderRpcError } from '../rpc/errors.js';
import { isSend } from '../rpc/method-facts/wallet-facts.js';
import { own } from '../rpc/own.js';
import { bridgeError, unknownOutcome } from './errors.js';
import {
  type Message,
  type PostedError,
  randomToken,
  readError,
  readJson,
  times,
  type VisibleSession,
} from './protocol.js';
import type { OpenLink, WindowLink } from './window-link.js';

/**
 * Moves requests from the frame into the one window of the wallet that serves its page. A token names the window; each
 * request is an offer with a number. No password and no data key is ever sent. Besides requests only the half of an unlock
 * crosses (docs/notes/security.md#two-halves), which only documents of this origin receive.
 */
export interface Handover {
  /**
   * Forwards the request to the page's window, which it opens if necessary.
   * @throws ProviderRpcError the window's error; 4001 if it was closed before the person had agreed; 4900 if it ended after
   * that, with `outcomeUnknown` for a send that the journal does not have; -32002 `popup-blocked`, `no-window`, or
   * `bridge-unreachable` if it did not load
   */
  decide(request: HandedRequest): Promise<WindowAnswer>;
  /** Whether a window takes requests, or opens. */
  isOpen(): boolean;
  /** Closes a window that the client has opened and that is not needed. */
  release(token: string): void;
  /** The half of the last unlock in a window; `null` before the first. */
  half(): CryptoKey | null;
  close(): void;
}

export interface HandedRequest {
  readonly method: string;
  readonly json: string;
  /** When the dapp's page accepted it, milliseconds since 1970. */
  readonly at: number;
  readonly signal: AbortSignal;
  /** The token of a window that the client has opened for it. */
  readonly token?: string | undefined;
  /** Addresses of the purses whose keys the frame has; absent for none. */
  readonly purses?: readonly string[] | undefined;
}

export interface WindowAnswer {
  /** The result as JSON text. */
  readonly json: string;
  /** The session of the dapp's origin as the window left it. */
  readonly session: VisibleSession;
  /** Whether the frame, which has got the key of a purse, signs the transaction itself. */
  readonly isForFrame?: boolean | undefined;
}

/** Milliseconds in which the last message of a window may still arrive after it has ended. */
const lateFor = 250;
/** Milliseconds that a person has to open the window. */
const openFor = 600_000;

/** A request that waits for its answer from a window. */
interface Offer {
  readonly message: Message;
  readonly request: HandedRequest;
  readonly resolve: (answer: WindowAnswer) => void;
  readonly reject: (error: ProviderRpcError) => void;
  isTaken: boolean;
}

interface OpenWindow {
  readonly token: string;
  readonly offers: Map<number, Offer>;
  readonly link: WindowLink;
  /** Approvals that no answer has used yet, oldest first: the numbers of the requests that each may belong to. */
  approvals: readonly ReadonlySet<number>[];
  timer?: ReturnType<typeof setTimeout> | undefined;
  /** The error of further offers, once the person has refused too often. */
  refusal: ProviderRpcError | undefined;
  /** Whether it has reported. */
  isHere: boolean;
}

export function createHandover(options: createHandover.Options): Handover {
  const { origin, answered, openLink, onApproved, onRefused, onPurse, onEnd, outcomeOf } = options;
  const windows = new Map<string, OpenWindow>();
  /** The window that takes further requests. */
  let current: OpenWindow | undefined;
  let half: CryptoKey | null = null;
  let count = 0;

  function begin(opened?: string): OpenWindow {
    const token = opened ?? randomToken();
    const link = openLink(
      token,
      opened !== undefined,
      (message) => receive(window, message),
      () => setTimeout(() => onGone(window), lateFor),
    );
    const window: OpenWindow = {
      ...{ token, link, offers: new Map(), approvals: [] },
      ...{ isHere: false, refusal: undefined },
    };
    windows.set(token, window);
    window.timer = setTimeout(() => link.withdraw(), openFor);
    link.opened.then(
      () => {
        clearTimeout(window.timer);
        if (!window.isHere) window.timer = setTimeout(() => fail(window, unopened()), times.hello);
      },
      (error: ProviderRpcError) => fail(window, error),
    );
    return window;
  }

  /** The window for a request, which `opened` names if the client has opened it. */
  function currentWindow(opened?: string): OpenWindow {
    current ??= begin(opened);
    return current;
  }

  /** Forgets a window. Returns the offers that it leaves, by number. */
  function end(window: OpenWindow): ReadonlyMap<number, Offer> {
    clearTimeout(window.timer);
    if (!windows.delete(window.token)) return new Map();
    if (current === window) current = undefined;
    window.link.close();
    onEnd(window.token);
    const left = new Map(window.offers);
    window.offers.clear();
    return left;
  }

  function fail(window: OpenWindow, error: ProviderRpcError): void {
    for (const offer of end(window).values()) offer.reject(error);
  }

  function receive(window: OpenWindow, { t, id, ...message }: Message): void {
    const offer = window.offers.get(id as number);
    if (t === 'hello') arrive(window);
    else if (!window.isHere) return;
    else if (t === 'taken' && offer) offer.isTaken = true;
    else if (t === 'approved') {
      const taken = [...window.offers].flatMap(([each, { isTaken }]) => (isTaken ? [each] : []));
      window.approvals = [...window.approvals, new Set(taken)];
      onApproved();
    } else if (t === 'refused') window.refusal = onRefused();
    else if (t === 'purse' || t === 'purse-ended') onPurse({ t, ...message });
    else if (t === 'half') half = message.key instanceof CryptoKey ? message.key : null;
    else if (t === 'closed') onGone(window, true);
    else if (t === 'idle') {
      // Offers that it did not take go to the next window.
      for (const each of end(window).values()) offerTo(currentWindow(), each);
    } else if (t === 'answer' && offer) {
      window.offers.delete(id as number);
      const { json, error, session, isForFrame } = message as unknown as WindowAnswer & {
        readonly error?: PostedError;
      };
      const isAnswered = typeof json === 'string';
      if (isAnswered && isSend(offer.request.method) && !isForFrame) answered.add(readJson(json));
      noteAnswer(window, id as number, isAnswered || error?.code !== errorCode.userRejected);
      if (isAnswered) offer.resolve({ json, session, isForFrame: isForFrame === true });
      else offer.reject(readError(error));
      const { refusal } = window;
      if (refusal) for (const each of [...window.offers.keys()]) takeBack(window, each, refusal);
    }
  }

  /**
   * Uses up the oldest approval that may belong to an answered request. A window asks its questions one at a time, so each
   * approval belongs to one request.
   */
  function noteAnswer(window: OpenWindow, id: number, wasApproved: boolean): void {
    const used = wasApproved ? window.approvals.find((each) => each.has(id)) : undefined;
    window.approvals = window.approvals
      .filter((each) => each !== used)
      .map((each) => new Set([...each].filter((other) => other !== id)));
  }

  /** Whether a request may have been approved, so that a send may be in flight. */
  const isApproved = ({ approvals }: OpenWindow, id: number): boolean =>
    approvals.some((each) => each.has(id));

  function arrive(window: OpenWindow): void {
    if (window.isHere) return;
    window.isHere = true;
    clearTimeout(window.timer);
    if (window.offers.size === 0) {
      window.link.post({ t: 'cancel' });
      end(window);
      return;
    }
    for (const { message } of window.offers.values()) post(window, message);
  }

  const post = (window: OpenWindow, message: Message) =>
    window.link.post({ ...message, ...(half && { half }) });

  function offerTo(window: OpenWindow, offer: Offer): void {
    const id = ++count;
    const message = { ...offer.message, id };
    window.offers.set(id, { ...offer, message, isTaken: false });
    if (window.isHere) post(window, message);
    const onAbort = () => takeBack(window, id, userRejected());
    offer.request.signal.addEventListener('abort', onAbort, own({ once: true }));
  }

  /** Ends an offer, unless the person has agreed: then its answer, or the journal, has the outcome. */
  function takeBack(window: OpenWindow, id: number, error: ProviderRpcError): void {
    const offer = window.offers.get(id);
    if (!offer || isApproved(window, id)) return;
    window.offers.delete(id);
    if (window.isHere) window.link.post({ t: 'cancel', id });
    else if (window.offers.size === 0) window.link.withdraw();
    offer.reject(error);
  }

  /** @param isClosed whether the window has reported its end, and did not just end */
  function onGone(window: OpenWindow, isClosed = false): void {
    const left = end(window);
    const wasApproved = [...left.keys()].some((id) => isApproved(window, id));
    if (left.size > 0 && !wasApproved) onRefused();
    for (const [id, { request, resolve, reject, isTaken }] of left) {
      const isAgreed = isApproved(window, id);
      if (isSend(request.method) && (isAgreed || (isTaken && !isClosed)))
        void outcomeOf(request).then(
          (answer) => (answer ? resolve(answer) : reject(unknownOutcome())),
          () => reject(unknownOutcome()),
        );
      else reject(isAgreed ? lostAnswer() : userRejected());
    }
  }

  return {
    decide: (request) =>
      new Promise((resolve, reject) => {
        const { token, method, json, signal, purses } = request;
        if (signal.aborted) return reject(userRejected());
        if (token && current && current.token !== token) begin(token);
        const message = { t: 'offer', origin, method, json, ...(purses && { purses }) };
        offerTo(currentWindow(token), { message, request, resolve, reject, isTaken: false });
      }),
    isOpen: () => current !== undefined,
    // Its first message is answered with `cancel`.
    release: (token) => void (windows.has(token) || begin(token)),
    half: () => half,
    close() {
      half = null;
      for (const window of [...windows.values()]) {
        if (window.isHere) window.link.post({ t: 'cancel' });
        else window.link.withdraw();
        fail(window, userRejected());
      }
    },
  };
}

const unopened = () => bridgeError('bridge-unreachable', 'The window of the wallet did not load.');

const lostAnswer = () =>
  bridgeError('bridge-lost', 'The wallet’s window was closed before its answer arrived.');

export declare namespace createHandover {
  interface Options {
    /** The dapp's, as the browser attests it. */
    readonly origin: string;
    /** Results of the sends answered so far. Further ones are added. */
    readonly answered: Set<unknown>;
    readonly openLink: OpenLink;
    /** Called when the person has agreed in a window. */
    readonly onApproved: () => void;
    /** Called when the person has refused in a window, or closed it. @returns the error of further questions during a pause */
    readonly onRefused: () => ProviderRpcError | undefined;
    /** Takes a window's messages about purses. */
    readonly onPurse: (message: Message) => void;
    /** Called when a window takes no more requests. */
    readonly onEnd: (token: string) => void;
    /** Looks in the journal for a send whose window has ended; `null` if it is not there. */
    readonly outcomeOf: (request: HandedRequest) => Promise<WindowAnswer | null>;
  }
}
