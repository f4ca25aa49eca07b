import { userRejected } from '../rpc/core-errors.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { bridgeError, popupBlocked, unknownOutcome } from './errors.js';
import {
  isSend,
  isToken,
  type Message,
  randomToken,
  readError,
  readMessage,
  times,
  type WireError,
} from './protocol.js';

/**
 * How a request moves from the frame into a window of the wallet's own origin. The token in the window's address only names
 * an offer. The request itself goes over a `BroadcastChannel`, which only pages of this origin receive. No password or key
 * is ever sent there. The window holds a Web Lock as long as it lives, so that its end is seen at once: a
 * window's `closed` is true as soon as its headers have cut it off from the page that opened it.
 */
export interface Handover {
  /**
   * Has the request answered in a window, one after another.
   * @throws ProviderRpcError the window's error; 4001 if it was closed; 4900 with `outcomeUnknown` if it ended while it
   * may have been sending; -32002 `popup-blocked`, or `bridge-unreachable` if it did not load
   */
  decide(request: HandedRequest, reason: string): Promise<WindowAnswer>;
  /** A `window` of the client: whether it could open one. */
  receive(message: Message): void;
  /** Closes a window that the client has opened, and that was not needed. */
  release(token: string): void;
  close(): void;
}

export interface HandedRequest {
  readonly method: string;
  readonly json: string;
  readonly signal: AbortSignal;
  /** Of a window that the client has opened already. */
  readonly token?: string | undefined;
}

export interface WindowAnswer {
  /** The result as JSON text. */
  readonly json: string;
  /** The session of the dapp's origin as the window left it. */
  readonly session: { readonly chainId: number; readonly accounts: readonly string[] };
}

export const channelName = 'graft:bridge';
export const lockName = (token: string) => `graft:bridge:window:${token}`;
/** Milliseconds in which the last message of a window may still arrive after its lock is free. */
const lateFor = 250;
/** Milliseconds that a person has to open the window. */
const openFor = 600_000;

/** A request that waits for its window. */
interface Offer {
  readonly message: Message;
  readonly method: string;
  readonly resolve: (answer: WindowAnswer) => void;
  readonly reject: (error: ProviderRpcError) => void;
  timer?: ReturnType<typeof setTimeout>;
  isTaken: boolean;
  /** Whether the person has agreed, so that a send may be under way. */
  isApproved: boolean;
  /** Whether the window has said that it closes, and not just ended. */
  isClosed: boolean;
}

export function createHandover(options: createHandover.Options): Handover {
  const { origin, post, onApproved } = own(options);
  const channel = new BroadcastChannel(channelName);
  const offers = new Map<string, Offer>();

  const end = (token: string): Offer | undefined => {
    const offer = offers.get(token);
    offers.delete(token);
    clearTimeout(offer?.timer);
    return offer;
  };

  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = readMessage(data);
    const token = message?.token as string;
    const offer = offers.get(token);
    if (!message || !offer) return;
    if (message.t === 'hello' && !offer.isTaken) {
      offer.isTaken = true;
      clearTimeout(offer.timer);
      channel.postMessage(offer.message);
      void navigator.locks.request(lockName(token), () => {
        setTimeout(onWindowClosed, lateFor, token);
      });
    } else if (!offer.isTaken) return;
    else if (message.t === 'approved') {
      offer.isApproved = true;
      onApproved();
    } else if (message.t === 'closed') offer.isClosed = true;
    else if (message.t === 'answer') {
      end(token);
      const { json, error, session } = message as unknown as WindowAnswer & { readonly error?: WireError };
      if (typeof json === 'string') offer.resolve({ json, session });
      else offer.reject(readError(error));
    }
  };

  function onWindowClosed(token: string): void {
    const offer = end(token);
    if (!offer) return;
    const maybeSent = isSend(offer.method) && (offer.isApproved || !offer.isClosed);
    offer.reject(maybeSent ? unknownOutcome() : userRejected());
  }

  return {
    decide({ method, json, signal, token: opened }, reason) {
      const token = opened ?? randomToken();
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(userRejected());
        const offer: Offer = {
          message: own({ t: 'offer', token, origin, method, json }),
          ...{ method, resolve, reject, isTaken: false, isApproved: false, isClosed: false },
        };
        offers.set(token, offer);
        offer.timer = opened
          ? setTimeout(() => end(token)?.reject(unopened()), times.hello)
          : setTimeout(() => end(token)?.reject(popupBlocked()), openFor);
        if (!opened) post({ t: 'need-window', token, reason });
        signal.addEventListener(
          'abort',
          () => {
            channel.postMessage(own({ t: 'cancel', token }));
            end(token)?.reject(userRejected());
          },
          own({ once: true }),
        );
      });
    },
    receive({ token, opened }) {
      if (!isToken(token)) return;
      const offer = offers.get(token);
      if (!offer || offer.isTaken) return;
      clearTimeout(offer.timer);
      if (opened === true) offer.timer = setTimeout(() => end(token)?.reject(unopened()), times.hello);
      else end(token)?.reject(popupBlocked());
    },
    release: (token) => channel.postMessage(own({ t: 'cancel', token })),
    close() {
      for (const token of [...offers.keys()]) {
        channel.postMessage(own({ t: 'cancel', token }));
        end(token)?.reject(userRejected());
      }
      channel.close();
    },
  };
}

const unopened = () => bridgeError('bridge-unreachable', 'The window of the wallet did not load.');

export declare namespace createHandover {
  interface Options {
    /** The dapp's, as the browser attests it. */
    readonly origin: string;
    readonly post: (message: Message) => void;
    /** Called when the person has agreed in a window. */
    readonly onApproved: () => void;
  }
}
