import { type Clock, systemClock } from '../../async/clock.js';
import { badReply } from '../../rpc/core-errors.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { bytesToHex } from '../../rpc/hex.js';
import { keccak256 } from '../../rpc/keccak.js';
import type { Observation } from '../../rpc/observation.js';
import { own } from '../../rpc/own.js';
import { requestAborted } from '../../service/errors/errors.js';
import type { Service } from '../../service/service.js';
import type { SteadyService } from '../../service/steady/steady-service.js';
import { pageVisibility, type Visibility } from '../visibility.js';
import type { Locks } from './leader-election.js';
import { deserializeError, type OpenTabChannel, openTabChannel } from './protocol.js';
import { headPoll, readTabRequest, type TabRequest } from './shareable-requests.js';
import { createTabGroup } from './tab-group.js';

/**
 * A service shared by all tabs of one origin, wallet and network: the leader sends the requests, the other tabs get
 * its replies. Shared is what follows the chain ({@link readTabRequest}); any other request goes to this tab's own
 * service. The default priority is `background`.
 *
 * The leader only saves requests. Each tab compares what it gets with what it has delivered, as if it came from the
 * service, so that a leader that dies, sleeps or fails costs time, and never an event.
 *
 * A tab gives up the lead when it is hidden, and some time after its last request. A hidden tab that still sends
 * requests leads only where no other tab does.
 */
export interface SharedService extends Service {
  request(
    method: string,
    params: readonly unknown[],
    options?: SharedService.RequestOptions,
  ): Promise<unknown>;
  /** Whether new heads are pushed, to this tab or to the one that leads: `onHead` is then called for each. */
  isLive(): boolean;
  /** Heads are not pushed to this tab any more: the others have to poll, too. */
  endPush(): void;
  /** Gives up the lead: no requests are expected. The next one joins again. */
  rest(): void;
  /** Ends the sharing; requests that wait for another tab are aborted. */
  stop(): void;
}

export declare namespace SharedService {
  interface RequestOptions extends Service.RequestOptions {
    /** Milliseconds: how old a poll of another tab may be. A tab never gets the same poll twice. */
    maxAge?: number | undefined;
  }
}

export function createSharedService(service: Service, options: createSharedService.Options): SharedService {
  const { clock = systemClock, visibility = pageVisibility, random = Math.random } = own(options);
  const { locks = pageLocks(), open = openTabChannel, onHead, onAnswer, observation } = own(options);
  const { isPushed, isFollowing, onSends, dapp, accepts = () => true } = own(options);
  /** Sends a request of this tab itself. */
  const send: Service['request'] = (method, params, requestOptions) =>
    service.request(method, params, own({ priority: 'background' as const, ...requestOptions }));
  /** Id of the last poll that this tab got, by key of the request. */
  const lastPolls = new Map<string, string>();
  /** Polls of the head in progress in this tab. */
  let headPolls = 0;
  /** A poll with a new head that another tab announced and this one has not got yet. */
  let announcedPoll: string | undefined;
  /** Consecutive failed polls of the head through another tab. */
  let faults = 0;
  /** Whether the leader has said that heads are pushed to it. */
  let isLeaderLive = false;
  /** The head that this tab last got through the leader, and since when (milliseconds since 1970). */
  let leaderHead = { hash: '', since: clock.now() };

  const group = createTabGroup({
    name: groupName(options.name, service),
    send,
    dapp,
    locks,
    open,
    clock,
    visibility,
    random,
    newId: () => Math.floor(random() * 2 ** 48).toString(36),
    onNewHead(poll) {
      announcedPoll = poll;
      emitHead();
    },
    observer: () => observation?.by,
    chainId: service.network.chainId,
    onSends,
    isPushed,
    onPolling() {
      if (!isLeaderLive) return;
      isLeaderLive = false;
      if (visibility.visible()) void onHead?.();
    },
    staysWhenIdle: () => visibility.visible() && isLive() && (isFollowing?.() ?? false),
  });

  const isLive = () => isLeaderLive || (isPushed?.() ?? false);

  /** Calls `onHead` for an announced head, unless a poll in progress here may bring it. */
  function emitHead(): void {
    if (announcedPoll === undefined || headPolls > 0) return;
    const before = lastPolls.get(headPoll.key);
    const isNew = announcedPoll !== before;
    announcedPoll = undefined;
    if (!isNew || !visibility.visible()) return;
    // Between two polls that are a minute apart, one that was answered with an earlier head must be repeated.
    void Promise.resolve(onHead?.()).then(() => {
      if (isLive() && lastPolls.get(headPoll.key) === before) void onHead?.();
    });
  }

  async function requestShared(
    request: TabRequest,
    requestOptions: SharedService.RequestOptions,
  ): Promise<unknown> {
    const { signal, check, maxAge } = own(requestOptions);
    const { key, method, params } = request;
    const isHead = key === headPoll.key;
    if (signal?.aborted) throw requestAborted(method);
    const requestedAt = clock.now();
    const reply = group.request(request, { lastPoll: lastPolls.get(key), maxAge, signal });
    if (!reply) return send(method, params, requestOptions);
    if (isHead) headPolls += 1;
    try {
      const { result, failure, poll, at = requestedAt, live } = own(await reply);
      if (poll !== undefined) lastPolls.set(key, poll);
      if (isHead) isLeaderLive = live === true && !group.isLeader();
      if (failure) throw deserializeError(failure);
      const copy: unknown = JSON.parse(result as string);
      verify(method, copy, check);
      // The leader has seen less than this tab.
      if (!accepts(method, params, copy)) return await send(method, params, requestOptions);
      onAnswer?.(method, params, copy, Math.min(requestedAt, at));
      if (isHead) faults = 0;
      return isHead && isStale(copy) ? await pollAlone(requestOptions) : copy;
    } catch (error) {
      // Only polls of the head are repeated alone: all other requests follow from it.
      if (!isHead || signal?.aborted || !isFault(error) || group.isLeader()) throw error;
      faults += 1;
      // If the service itself fails, all tabs get here: repeat seldom.
      if (faults !== 2 && faults % 32 !== 0) throw error;
      return await pollAlone(requestOptions);
    } finally {
      if (isHead) headPolls -= 1;
      emitHead();
    }
  }

  /** Whether the head has not changed for so long that the leader may be the reason. */
  function isStale(block: unknown): boolean {
    const { hash } = block as { hash: string };
    if (hash !== leaderHead.hash) leaderHead = { hash, since: clock.now() };
    if (group.isLeader() || clock.now() - leaderHead.since < staleAfter) return false;
    leaderHead.since = clock.now();
    return true;
  }

  /**
   * Polls the head without the leader. If that gives what the leader did not, this tab becomes the leader.
   * @throws ProviderRpcError as the service does in this tab
   */
  async function pollAlone(requestOptions: SharedService.RequestOptions): Promise<unknown> {
    const block = (await send(headPoll.method, headPoll.params, requestOptions)) as { hash: string };
    if (faults > 0 || block.hash !== leaderHead.hash) group.steal();
    faults = 0;
    return block;
  }

  return {
    ...service,
    async request(method, params, requestOptions = {}) {
      const request = readTabRequest(method, params);
      return request ? requestShared(request, requestOptions) : send(method, params, requestOptions);
    },
    usage() {
      const { sent, shared } = service.usage();
      return { sent, shared: shared + group.answeredByOthers() };
    },
    isLive,
    endPush: group.announcePolling,
    rest: group.rest,
    stop: () => group.stop(requestAborted(headPoll.method)),
  };
}

/** Whether the trouble may be the other tab's alone; limits and refusals concern all tabs. */
function isFault(error: unknown): boolean {
  const codes: readonly number[] = [
    errorCode.resourceUnavailable,
    errorCode.internal,
    errorCode.disconnected,
  ];
  return isProviderRpcError(error) && codes.includes(error.code);
}

/** Milliseconds: less than one in ten thousand gaps between blocks is as long. */
const staleAfter = 300_000;

/** Checks a result as the client does: a reply of another tab deserves no more trust than one of a server. */
function verify(method: string, result: unknown, check: Service.RequestOptions['check']): void {
  try {
    check?.(result);
  } catch (error) {
    const text = error instanceof Error ? error.message : 'malformed';
    throw badReply(method, text, { reason: 'broken' });
  }
}

/**
 * Name of the lock and the channel. Every script of the origin can read it, so that it has only a hash of the URLs,
 * which contain the API key. The number is raised when the protocol changes.
 */
function groupName(name: string, { network }: Service): string {
  const urls = new TextEncoder().encode(JSON.stringify(network.urls));
  return `${name}:shared-3:${network.chainId}:${bytesToHex(keccak256(urls)).slice(2, 18)}`;
}

/** Only in secure contexts: Node (24) has Web Locks too, and a lock held there would keep the process running. */
function pageLocks(): Locks | undefined {
  try {
    return globalThis.isSecureContext ? globalThis.navigator?.locks : undefined;
  } catch {
    return undefined;
  }
}

export declare namespace createSharedService {
  interface Options extends Pick<createTabGroup.Options, 'dapp' | 'isPushed' | 'onSends'> {
    /** Name of the wallet: only tabs with the same name share. */
    readonly name: string;
    /** Called when another tab has announced a new head, and when heads are not pushed to it any more. Never rejects. */
    readonly onHead?: (() => void | Promise<void>) | undefined;
    /** Whether this tab follows the chain. */
    readonly isFollowing?: (() => boolean) | undefined;
    /** Called with each answer that came through the leader. */
    readonly onAnswer?: SteadyService['note'] | undefined;
    /** Whether an answer that came through the leader contradicts nothing that this tab has seen; else it asks itself. */
    readonly accepts?: SteadyService['accepts'] | undefined;
    readonly observation?: Observation | undefined;
    readonly locks?: Locks | undefined;
    readonly open?: OpenTabChannel | undefined;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
    /** 0 to 1. */
    readonly random?: (() => number) | undefined;
  }
}
