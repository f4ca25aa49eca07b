import { userRejected } from '../rpc/core-errors.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { asksPerson, isSend } from '../rpc/method-facts/wallet-facts.js';
import { own } from '../rpc/own.js';
import { type Connection, createConnection, type PendingRequest } from './connection.js';
import { bridgeError, unauthorizedOrigin, versionError } from './errors.js';
import type { Opened } from './handshake.js';
import { commonVersion, type Message, times } from './protocol.js';

/**
 * The line to one document of the wallet over its generations: opened with the first request, and again after it was
 * lost. A read that was in flight is retried once. A question is refused, or lost if the person had approved one; the
 * outcome of a send is unknown. Neither is ever retried.
 */
export interface ReconnectingPort {
  readonly status: () => 'idle' | 'loading' | 'ready' | 'lost';
  request(asked: PendingRequest): void;
  /** The dapp does not want the answer any more. */
  cancel(asked: PendingRequest): void;
  post(message: Message): void;
  /** Opens the line, if it is not open. */
  connect(): void;
  /** Ends this generation without opening the next one. Requests that may be repeated wait. */
  suspend(): void;
  /** Ends this generation, and opens the next one if a request or subscription needs it. */
  lose(given?: Message): void;
  /** Ends this generation and rejects pending requests. */
  fail(error: ProviderRpcError): void;
}

/** Milliseconds in which messages from a lost host still arrive. */
const drainedIn = 50;
/** Milliseconds between two attempts to open a line that is needed. */
const retryPause = 5_000;

export function createReconnectingPort(options: createReconnectingPort.Options): ReconnectingPort {
  const {
    open,
    onWelcome,
    onMessage,
    onEnd,
    isNeeded = () => false,
    isRepeatable = () => true,
  } = own(options);
  let status: ReturnType<ReconnectingPort['status']> = 'idle';
  let connection: Connection | undefined;
  /** Accepted while no connection is ready, oldest first. */
  const waiting: PendingRequest[] = [];
  let generation = 0;
  let draining: ReturnType<typeof setTimeout> | undefined;

  /** Ends this generation. Reads that were in flight wait for the next one. */
  function end(closing?: Message): void {
    const left = connection?.end() ?? new Map<number, PendingRequest>();
    connection = undefined;
    generation++;
    status = closing?.reason === 'idle' ? 'idle' : 'lost';
    onEnd();
    // The host names the sends that may be on their way; without that list, each of them may be.
    const sending: unknown = closing?.sending;
    const { last } = own(closing);
    const maybeSent = (id: number) => !Array.isArray(sending) || sending.includes(id);
    for (const [id, asked] of left) {
      // The lost host had not read this request: `last` is the id of the last one that it read.
      const isUnread = typeof last === 'number' && id > last;
      if (isUnread && isRepeatable(asked)) waiting.push(asked);
      else if (isSend(asked.method) && maybeSent(id)) options.onUnknown(asked);
      else if (isSend(asked.method) || asksPerson(asked.method))
        asked.reject(asked.isApproved ? lostError() : userRejected());
      else if (asked.isAgain || !isRepeatable(asked)) asked.reject(lostError());
      else {
        asked.isAgain = true;
        waiting.push(asked);
      }
    }
  }

  /** Ends this generation: at once with the host's last message, else when its earlier messages have arrived. */
  function lose(closing?: Message): void {
    if (draining !== undefined && !closing) return;
    clearTimeout(draining);
    const finish = () => {
      draining = undefined;
      end(closing);
      if (waiting.length > 0 || isNeeded()) connect();
    };
    if (closing) finish();
    else {
      status = 'lost';
      draining = setTimeout(finish, drainedIn);
    }
  }

  function fail(error: ProviderRpcError): void {
    clearTimeout(draining);
    draining = undefined;
    end();
    if (isNeeded()) setTimeout(connect, retryPause);
    const isUnreachable = reasonOf(error) === 'bridge-unreachable';
    for (const asked of waiting.splice(0))
      if (!isUnreachable || !options.onUnreachable?.(asked)) asked.reject(error);
  }

  function connect(): void {
    if (status === 'loading' || status === 'ready' || draining !== undefined) return;
    status = 'loading';
    const mine = ++generation;
    load(mine).catch((error: ProviderRpcError) => {
      if (mine === generation) fail(error);
    });
  }

  async function load(mine: number): Promise<void> {
    const opened = await open();
    if (mine !== generation) return;
    const made = createConnection({ ...opened, isNeeded, onMessage: receive, onLost: () => lose() });
    connection = made;
    const welcome = await welcomeOf(made);
    if (mine !== generation) return;
    if (commonVersion([welcome.v]) === undefined) throw versionError([welcome.v]);
    status = 'ready';
    onWelcome(welcome, made);
    // Not to this connection directly: now that the wallet is known, some are for a window.
    for (const asked of waiting.splice(0)) options.route(asked);
  }

  function receive(message: Message): void {
    if (message.t !== 'closing') onMessage(message);
    else if (message.reason === 'bridge-origin') fail(unauthorizedOrigin());
    else if (message.reason === 'bridge-version') fail(versionError(message.v));
    else lose(message);
  }

  return {
    status: () => status,
    request(asked) {
      if (status === 'ready') connection?.request(asked);
      else {
        waiting.push(asked);
        connect();
      }
    },
    cancel(asked) {
      const at = waiting.indexOf(asked);
      if (at < 0) asked.cancel?.();
      else waiting.splice(at, 1)[0]?.reject(userRejected());
    },
    post: (message) => connection?.post(message),
    connect,
    suspend() {
      clearTimeout(draining);
      draining = undefined;
      end();
    },
    lose,
    fail,
  };
}

const lostError = () => bridgeError('bridge-lost', 'The wallet stopped answering.');

const reasonOf = ({ data }: ProviderRpcError): unknown => (data as { reason?: unknown } | undefined)?.reason;

function welcomeOf({ welcome }: Connection): Promise<Message> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(lostError()), times.welcome);
    void welcome.then((message) => {
      clearTimeout(timer);
      resolve(message);
    });
  });
}

export declare namespace createReconnectingPort {
  interface Options {
    /** Opens a new generation. @throws ProviderRpcError if it does not get ready */
    readonly open: () => Promise<Opened>;
    /** Called with the host's first message, before anything is asked. */
    readonly onWelcome: (welcome: Message, connection: Connection) => void;
    /** Called with every message that is not about a request. */
    readonly onMessage: (message: Message) => void;
    /** Called when a generation has ended. */
    readonly onEnd: () => void;
    /** Whether a request that was lost unanswered is worth opening the line again. Default: each is. */
    readonly isRepeatable?: ((asked: PendingRequest) => boolean) | undefined;
    /** Whether the line must reopen although no request is pending. */
    readonly isNeeded?: (() => boolean) | undefined;
    /** Called with each waiting request when the wallet cannot be reached here. @returns whether it goes elsewhere */
    readonly onUnreachable?: ((asked: PendingRequest) => boolean) | undefined;
    /** Sends a request that waited for the line on its way. */
    readonly route: (asked: PendingRequest) => void;
    /** Called with a send that was in flight when the line was lost, and may have been sent. */
    readonly onUnknown: (asked: PendingRequest) => void;
  }
}
