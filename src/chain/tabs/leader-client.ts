import type { Clock } from '../../async/clock.js';
import { requestAborted } from '../../service/errors/errors.js';
import type { TabMessage, TabReply } from './protocol.js';
import type { TabRequest } from './shareable-requests.js';

/** Sends requests of this tab to the leader and waits for the replies. */
export interface LeaderClient {
  /** Rejects when the signal aborts, or with the reason of {@link LeaderClient.rejectAll}. */
  request(request: TabRequest, options: LeaderClient.RequestOptions): Promise<TabReply>;
  /** Takes a message of another tab; ignores those that belong to no pending request. */
  receive(message: TabMessage): void;
  /** Answers all pending requests in this tab: it has become the leader, or tabs cannot share. */
  answerAll(answer: (request: TabRequest, options: LeaderClient.RequestOptions) => Promise<TabReply>): void;
  rejectAll(reason: unknown): void;
}

export declare namespace LeaderClient {
  interface RequestOptions {
    /** Id of the last poll that this tab has: the reply must come from another one. */
    readonly lastPoll?: string | undefined;
    /** Milliseconds. */
    readonly maxAge?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  }
}

interface PendingRequest {
  readonly request: TabRequest;
  readonly options: LeaderClient.RequestOptions;
  /** When it was sent first: milliseconds since 1970. */
  readonly sentAt: number;
  /** Consecutive timeouts without an acknowledgement. */
  timeouts: number;
  timer: unknown;
  settle(reply: TabReply | Promise<TabReply>): void;
}

/**
 * A request is sent again until there is a reply, and the leader acknowledges it each time. After two timeouts in a
 * row, about a second, the leader counts as frozen; a single one may be this tab's own sleep. A leader that only
 * acknowledges for longer than a request to the service can take counts as broken.
 */
export function createLeaderClient(options: createLeaderClient.Options): LeaderClient {
  const { tab, post, onNoLeader, clock, random, dapp } = options;
  const pending = new Map<string, PendingRequest>();
  let count = 0;

  function send(id: string, each: PendingRequest): void {
    clock.clearTimeout(each.timer);
    const { method, params } = each.request;
    const { lastPoll, maxAge } = each.options;
    post({
      kind: 'request',
      id,
      from: tab,
      at: clock.now(),
      method,
      params,
      ...(lastPoll !== undefined && { lastPoll }),
      ...(maxAge !== undefined && { maxAge }),
      ...(dapp && { dapp }),
    });
    // With jitter: the first tab that takes over answers the others.
    const timeout = acknowledgeTimeout * (1 + random() / 4);
    each.timer = clock.setTimeout(() => {
      each.timeouts += 1;
      if (each.timeouts > 1 || clock.now() - each.sentAt > replyTimeout) {
        each.timeouts = 0;
        onNoLeader();
      }
      send(id, each);
    }, timeout);
  }

  function remove(id: string): PendingRequest | undefined {
    const each = pending.get(id);
    pending.delete(id);
    clock.clearTimeout(each?.timer);
    return each;
  }

  const removeAll = () => [...pending.keys()].map((id) => remove(id) as PendingRequest);

  return {
    request(request, requestOptions) {
      const { signal } = requestOptions;
      const id = `${tab}.${++count}`;
      return new Promise<TabReply>((resolve) => {
        const settle = (reply: TabReply | Promise<TabReply>) => {
          signal?.removeEventListener('abort', abort);
          resolve(reply);
        };
        const abort = () => remove(id)?.settle(Promise.reject(requestAborted(request.method)));
        signal?.addEventListener('abort', abort);
        const each: PendingRequest = {
          request,
          options: requestOptions,
          sentAt: clock.now(),
          timeouts: 0,
          timer: undefined,
          settle,
        };
        pending.set(id, each);
        send(id, each);
      });
    },
    receive(message) {
      if (message.kind === 'leading') {
        for (const [id, each] of pending) {
          each.timeouts = 0;
          send(id, each);
        }
        return;
      }
      if (message.kind === 'ack') {
        const each = pending.get(message.id);
        // The leader acknowledged: ignore the next timeout.
        if (each) each.timeouts = -1;
      }
      if (message.kind === 'reply') {
        const { kind: _, id, ...reply } = message;
        remove(id)?.settle(reply);
      }
    },
    answerAll(answer) {
      for (const each of removeAll()) each.settle(answer(each.request, each.options));
    },
    rejectAll(reason) {
      for (const { settle } of removeAll()) settle(Promise.reject(reason));
    },
  };
}

/** Milliseconds. */
const acknowledgeTimeout = 500;
/** Milliseconds; a request to the service ends within 10 s. */
const replyTimeout = 11_000;

export declare namespace createLeaderClient {
  interface Options {
    /** Id of this tab. */
    readonly tab: string;
    /** The dapp that pays for the requests of this tab. */
    readonly dapp: string | null;
    readonly post: (message: TabMessage) => void;
    /** Called when there is no leader, or it does not answer. */
    readonly onNoLeader: () => void;
    readonly clock: Clock;
    /** 0 to 1. */
    readonly random: () => number;
  }
}
