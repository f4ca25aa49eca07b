import { withTimeout } from '../async/cancellation.js';
import { userRejected } from '../rpc/core-errors.js';
import type { ProviderRpcError } from '../rpc/errors.js';
import { asksPerson, isSend } from '../rpc/method-facts/wallet-facts.js';
import { membersOf } from '../rpc/own-data.js';
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
  request(pending: PendingRequest): void;
  /** The dapp does not want the answer any more. */
  cancel(pending: PendingRequest): void;
  post(message: Message): void;
  /** Opens the line, if it is not open. */
  connect(): void;
  /** Ends this generation without opening the next one. Requests that may be repeated wait. */
  suspend(): void;
  /** Ends this generation, and opens the next one if a request or subscription needs it. */
  lose(closing?: Message): void;
  /** Ends this generation and rejects pending requests. */
  fail(error: ProviderRpcError): void;
}

/** Milliseconds in which messages from a lost host still arrive. */
const drainedIn = 50;
/** Milliseconds between two attempts to open a line that is needed. */
const retryPause = 5_000;

export function createReconnectingPort(options: createReconnectingPort.Options): ReconnectingPort {
  const { isNeeded, isRepeatable } = options;
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
    options.onEnd();
    // The host names the sends that may be on their way; without that list, each of them may be.
    const sending = closing?.sending;
    const last = closing?.last;
    const maybeSent = (id: number) => !Array.isArray(sending) || sending.includes(id);
    for (const [id, pending] of left) {
      // The lost host had not read this request: `last` is the id of the last one that it read.
      const isUnread = typeof last === 'number' && id > last;
      if (isUnread && isRepeatable(pending)) waiting.push(pending);
      else if (isSend(pending.method) && maybeSent(id)) options.onUnknown(pending);
      else if (isSend(pending.method) || asksPerson(pending.method))
        pending.reject(pending.isApproved ? lostError() : userRejected());
      else if (pending.isAgain || !isRepeatable(pending)) pending.reject(lostError());
      else {
        pending.isAgain = true;
        waiting.push(pending);
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

  function suspend(): void {
    clearTimeout(draining);
    draining = undefined;
    end();
  }

  function fail(error: ProviderRpcError): void {
    suspend();
    if (isNeeded()) setTimeout(connect, retryPause);
    const { reason } = membersOf(error.data);
    const isUnreachable = reason === 'bridge-unreachable';
    for (const pending of waiting.splice(0))
      if (!isUnreachable || !options.onUnreachable(pending)) pending.reject(error);
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
    const opened = await options.open();
    if (mine !== generation) return;
    const opening = createConnection({ ...opened, isNeeded, onMessage: receive, onLost: () => lose() });
    connection = opening;
    const welcome = await withTimeout(times.welcome, () => opening.welcome);
    if (mine !== generation) return;
    if (!welcome) throw lostError();
    if (commonVersion([welcome.v]) === undefined) throw versionError([welcome.v]);
    status = 'ready';
    options.onWelcome(welcome, opening);
    // Not to this connection directly: now that the wallet is known, some are for a window.
    for (const pending of waiting.splice(0)) options.route(pending);
  }

  function receive(message: Message): void {
    if (message.t !== 'closing') options.onMessage(message);
    else if (message.reason === 'bridge-origin') fail(unauthorizedOrigin());
    else if (message.reason === 'bridge-version') fail(versionError(message.v));
    else lose(message);
  }

  return {
    status: () => status,
    request(pending) {
      if (status === 'ready') connection?.request(pending);
      else {
        waiting.push(pending);
        connect();
      }
    },
    cancel(pending) {
      const at = waiting.indexOf(pending);
      if (at < 0) pending.cancel?.();
      else waiting.splice(at, 1)[0]?.reject(userRejected());
    },
    post: (message) => connection?.post(message),
    connect,
    suspend,
    lose,
    fail,
  };
}

const lostError = () => bridgeError('bridge-lost', 'The wallet stopped answering.');

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
    /** Whether a request that was lost unanswered is worth opening the line again. */
    readonly isRepeatable: (pending: PendingRequest) => boolean;
    /** Whether the line must reopen although no request is pending. */
    readonly isNeeded: () => boolean;
    /** Called with each waiting request when the wallet cannot be reached here. @returns whether it goes elsewhere */
    readonly onUnreachable: (pending: PendingRequest) => boolean;
    /** Sends a request that waited for the line on its way. */
    readonly route: (pending: PendingRequest) => void;
    /** Called with a send that was in flight when the line was lost, and may have been sent. */
    readonly onUnknown: (pending: PendingRequest) => void;
  }
}
