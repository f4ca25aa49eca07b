import type { Clock } from '../../async/clock.js';
import type { Observer } from '../../rpc/observation.js';
import type { Service } from '../../service/service.js';
import type { Visibility } from '../visibility.js';
import { createLeaderClient, type LeaderClient } from './leader-client.js';
import { createLeaderElection, type LeaderElection, type Locks } from './leader-election.js';
import { createLeaderServer } from './leader-server.js';
import {
  type OpenTabChannel,
  serializeError,
  type TabChannel,
  type TabMessage,
  type TabReply,
} from './protocol.js';
import { readTabRequest, type TabRequest } from './shareable-requests.js';

/** This tab's membership in the group of tabs that share requests. It joins with its first request. */
export interface TabGroup {
  /**
   * Answered by the leader, this tab or another. An error of the service is a reply too: it rejects only when the
   * signal aborts or this tab stops. `null` where tabs cannot share.
   */
  request(request: TabRequest, options: LeaderClient.RequestOptions): Promise<TabReply> | null;
  /** Leaves the group once all requests of and to this tab are answered. The next request joins again. */
  rest(): void;
  /** Leaves the group for ever. Pending requests reject with `reason`. */
  stop(reason: unknown): void;
  /** How many requests of this tab other tabs have answered. */
  answeredByOthers(): number;
  isLeader(): boolean;
  /** Sends the other tabs a message that this tab, the leader, has lost its head source and polls. */
  announcePolling(): void;
  /** Becomes the leader, in place of a tab that cannot do it. */
  steal(): void;
}

/** The resources of a tab while it is in the group. */
interface Membership {
  readonly channel: TabChannel;
  readonly election: LeaderElection;
  readonly unwatch: () => void;
}

export function createTabGroup(options: createTabGroup.Options): TabGroup {
  const { name, send, locks, open, clock, visibility, random, newId, onNewHead } = options;
  const { observer, chainId, dapp = null } = options;
  const tab = newId();
  /** Ids of requests of other tabs that are being answered. */
  const serving = new Set<string>();
  let membership: Membership | undefined;
  /** Tabs cannot share here, or this one has stopped. */
  let isAlone = false;
  let isResting = false;
  /** Pending requests of this tab. */
  let requests = 0;
  let answeredByOthers = 0;
  /** Milliseconds: the longest `maxAge` requested here, which is about the time between two requests. */
  let period = 0;
  let timer: unknown;

  const post = (message: TabMessage) => membership?.channel.post(message);
  const steal = () => membership?.election.steal();
  const client = createLeaderClient({ tab, post, onNoLeader: steal, clock, random, dapp });
  const server = createLeaderServer({
    send,
    clock,
    newId,
    onNewHead(poll) {
      post({ kind: 'head', poll });
      onNewHead(poll);
    },
  });

  function join(): Membership | null {
    if (isAlone || !locks) return joinNone();
    isResting = false;
    clock.clearTimeout(timer);
    try {
      membership ??= {
        channel: open(name, onMessage),
        election: createLeaderElection({ name, locks, onChange, onRefused }),
        unwatch: visibility.watch(() => {
          if (!visibility.visible()) rest();
        }),
      };
    } catch {
      isAlone = true;
      return joinNone();
    }
    membership.election.join();
    return membership;
  }

  function joinNone(): null {
    options.onSends?.(true);
    return null;
  }

  function rest(): void {
    isResting = true;
    if (isAlone || !locks) options.onSends?.(false);
    if (!membership || requests > 0) return;
    membership.election.leave();
    if (serving.size === 0) leave();
  }

  function leave(): void {
    clock.clearTimeout(timer);
    membership?.election.leave();
    membership?.unwatch();
    membership?.channel.close();
    membership = undefined;
    server.clear();
    // Announcements do not arrive any more.
    options.onPolling?.();
  }

  function onChange(leads: boolean): void {
    observer()?.leader(chainId, leads);
    options.onSends?.(leads);
    if (!leads) return;
    options.onPolling?.();
    post({ kind: 'leading' });
    client.answerAll((request, requestOptions) => server.answer(request, { ...requestOptions, tab, dapp }));
  }

  /** Web Locks cannot be used: this tab sends its requests itself from now on. */
  function onRefused(): void {
    isAlone = true;
    client.answerAll(({ method, params }, { signal }) =>
      send(method, params, { signal }).then(
        (result) => ({ result: JSON.stringify(result ?? null) }),
        (error) => ({ failure: serializeError(error) }),
      ),
    );
    leave();
  }

  function onMessage(message: TabMessage): void {
    if (message.kind === 'request') void answer(message);
    else if (message.kind === 'head') onNewHead(message.poll);
    else {
      if (message.kind === 'leading' || message.kind === 'polling') options.onPolling?.();
      client.receive(message);
    }
  }

  async function answer(message: TabMessage.Request): Promise<void> {
    const { id, from, at, method, params, lastPoll, maxAge, dapp = null } = message;
    const request = readTabRequest(method, params);
    if (!request || !membership?.election.isLeader() || Math.abs(clock.now() - at) > requestExpiry) return;
    post({ kind: 'ack', id });
    if (serving.has(id)) return;
    serving.add(id);
    const mayRepeat = options.isPushed?.();
    const reply = await server.answer(request, { tab: from, lastPoll, maxAge, mayRepeat, dapp });
    post({ kind: 'reply', id, ...reply, ...(options.isPushed?.() && { live: true }) });
    serving.delete(id);
    observer()?.served(chainId, method);
    if (isResting) rest();
  }

  async function sendToLeader(
    { election }: Membership,
    request: TabRequest,
    requestOptions: LeaderClient.RequestOptions,
  ): Promise<TabReply> {
    requests += 1;
    period = Math.max(period, requestOptions.maxAge ?? 0);
    try {
      if (election.isLeader()) return await server.answer(request, { ...requestOptions, tab, dapp });
      const reply = await client.request(request, requestOptions);
      if (!election.isLeader()) {
        answeredByOthers += 1;
        observer()?.read(chainId, request.method, 'tab', undefined);
      }
      return reply;
    } finally {
      requests -= 1;
      if (isResting) rest();
      else if (requests === 0 && membership) restWhenIdle();
    }
  }

  function restWhenIdle(): void {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(
      () => (options.staysWhenIdle?.() ? restWhenIdle() : rest()),
      visibility.visible() ? Math.max(2 * period, idleTimeout) : hiddenIdleTimeout,
    );
  }

  return {
    request(request, requestOptions) {
      const joined = join();
      return joined && sendToLeader(joined, request, requestOptions);
    },
    rest,
    stop(reason) {
      isAlone = true;
      client.rejectAll(reason);
      leave();
    },
    answeredByOthers: () => answeredByOthers,
    isLeader: () => membership?.election.isLeader() ?? false,
    announcePolling: () => post({ kind: 'polling' }),
    steal,
  };
}

/** Milliseconds without a request after which a tab leaves the group; shorter while it is hidden. */
const idleTimeout = 30_000;
const hiddenIdleTimeout = 1_000;

/** Milliseconds after which a request is not answered any more: its tab has turned to another leader. */
const requestExpiry = 2_000;

export declare namespace createTabGroup {
  interface Options {
    /** Name of the lock and the channel. */
    readonly name: string;
    /** Sends a request of this tab to the service. */
    readonly send: Service['request'];
    /** The dapp that pays for the requests of this tab, whichever tab sends them. */
    readonly dapp?: string | null | undefined;
    readonly locks: Locks | undefined;
    readonly open: OpenTabChannel;
    readonly clock: Clock;
    readonly visibility: Visibility;
    /** Creates the id of a tab or a poll, unique among all tabs. */
    readonly newId: () => string;
    /** 0 to 1. */
    readonly random: () => number;
    /** Called with the id of the poll in which the leader, this tab or another, has seen a new head. */
    readonly onNewHead: (poll: string) => void;
    /** The observer of this tab's requests and of its lead, if there is one at present. */
    readonly observer: () => Observer | undefined;
    readonly chainId: number;
    /** Called when this tab begins or ceases to send requests to the service: as the leader, or where tabs cannot share. */
    readonly onSends?: ((sends: boolean) => void) | undefined;
    /** Called when new heads may not be announced any more: with another leader, without pushed heads, or outside. */
    readonly onPolling?: (() => void) | undefined;
    /** Whether new heads are pushed to this tab, while it leads. */
    readonly isPushed?: (() => boolean) | undefined;
    /** Whether this tab stays in the group without requests of its own. */
    readonly staysWhenIdle?: (() => boolean) | undefined;
  }
}
