import type { ProviderRpcError } from '../rpc/errors.js';
import type { Opened } from './handshake.js';
import { type Message, readError, readJson, readMessage, times } from './protocol.js';

/** A request of the dapp, from its acceptance to its answer. It may outlive a connection. */
export interface PendingRequest {
  readonly method: string;
  /** The params as JSON text. */
  readonly json: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: ProviderRpcError) => void;
  readonly onProgress?: ((progress: never) => void) | undefined;
  /** The token of a window that was opened for it. */
  window?: string | undefined;
  /** When it was accepted, milliseconds since 1970. */
  readonly at: number;
  /**
   * Results of the page's other sends. Set for a send that may have been sent before the line was lost: the host is asked for
   * its outcome.
   */
  answered?: readonly unknown[] | undefined;
  /** Whether the connection that it was asked through was lost once. */
  isAgain?: true | undefined;
  /** Whether the person has approved this request, or another one, since it was asked. */
  isApproved?: true | undefined;
  /** Sends the host a message that cancels this request. */
  cancel?: (() => void) | undefined;
}

/** One generation of the bridge: a port, the host behind it and the requests in flight. */
export interface Connection {
  /** The host's first message. */
  readonly welcome: Promise<Message>;
  request(pending: PendingRequest): void;
  post(message: Message): void;
  /** Ends it without a call of `onLost`. Returns the requests that were in flight, by id. */
  end(): ReadonlyMap<number, PendingRequest>;
}

export function createConnection(options: createConnection.Options): Connection {
  const { port, nonce, isNeeded, onMessage, onLost } = options;
  const inFlight = new Map<number, PendingRequest>();
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heardAt = Date.now();
  let ended = false;
  let greet: (message: Message) => void = () => {};
  const welcome = new Promise<Message>((resolve) => {
    greet = resolve;
  });

  const post = (message: Message): void => {
    if (!ended) port.postMessage(message);
  };

  /** Asks whether the host is still there. */
  const ping = (): void => {
    clearTimeout(timer);
    post({ t: 'ping', n: count });
    timer = setTimeout(onLost, times.pong);
  };

  /** Restarts the ping timer, if a request is in flight or a subscription needs the host. */
  const rearm = (): void => {
    clearTimeout(timer);
    if (!ended && (inFlight.size > 0 || isNeeded())) timer = setTimeout(ping, times.quiet);
  };

  function settle({ id, json, error }: Message): void {
    const pending = inFlight.get(id as number);
    if (!pending) return;
    inFlight.delete(id as number);
    if (typeof json === 'string') pending.resolve(readJson(json));
    else pending.reject(readError(error));
  }

  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = readMessage(data);
    if (!message || ended) return;
    if (message.t === 'welcome') {
      if (message.nonce === nonce) greet(message);
    } else if (message.t === 'response') settle(message);
    else if (message.t === 'approved') {
      // It may be any of those that the host had read then.
      for (const [id, pending] of inFlight) if (id <= (message.last as number)) pending.isApproved = true;
    } else if (message.t === 'progress')
      inFlight.get(message.id as number)?.onProgress?.(readJson(message.json) as never);
    else onMessage(message);
    heardAt = Date.now();
    rearm();
  };

  return {
    welcome,
    request(pending) {
      const id = ++count;
      inFlight.set(id, pending);
      pending.cancel = () => post({ t: 'cancel', id });
      const { method, json, window, at, answered } = pending;
      const more = { ...(window && { window }), ...(answered && { answered }) };
      post({ t: answered ? 'outcome' : 'request', id, method, json, at, ...more });
      if (inFlight.size > 1) return;
      if (Date.now() - heardAt > times.quiet) ping();
      else rearm();
    },
    post,
    end() {
      ended = true;
      clearTimeout(timer);
      port.close();
      return inFlight;
    },
  };
}

export declare namespace createConnection {
  interface Options extends Opened {
    /** Whether subscriptions need the host although no request is in flight. */
    readonly isNeeded: () => boolean;
    /** Called with every message that is not about a request of this connection. */
    readonly onMessage: (message: Message) => void;
    /** Called when the host has not answered a ping. */
    readonly onLost: () => void;
  }
}
