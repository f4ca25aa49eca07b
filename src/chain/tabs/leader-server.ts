import type { Clock } from '../../async/clock.js';
import { errorCode } from '../../rpc/errors.js';
import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import { checkBlock, checkLogs } from '../../rpc/results.js';
import type { Block } from '../../rpc/schema.js';
import { type InFlightRequest, join, type Waiter } from '../../service/in-flight.js';
import type { Service } from '../../service/service.js';
import { createPoolFilters } from '../pool-filters.js';
import type { LeaderClient } from './leader-client.js';
import { serializeError, type TabReply } from './protocol.js';
import {
  headPoll,
  installFilter,
  isFilterId,
  livePollingInterval,
  type TabRequest,
} from './shareable-requests.js';

/**
 * Answers the requests of all tabs, the leader's own among them. An immutable answer is requested once; a poll serves
 * every tab that does not have it yet and does not need a newer one.
 */
export interface LeaderServer {
  /** Rejects only when the signal aborts: an error of the service is a reply, and shared like one. */
  answer(request: TabRequest, options: LeaderServer.RequestOptions): Promise<TabReply>;
  /** Forgets all replies: after this tab has led, they become outdated. */
  clear(): void;
}

export declare namespace LeaderServer {
  interface RequestOptions extends LeaderClient.RequestOptions {
    /** Id of the tab that sent the request. */
    readonly tab: string;
    /** The tab polls only to see that the leader answers, since heads are pushed: it may get a poll again. */
    readonly mayRepeat?: boolean | undefined;
    /** The dapp that pays for the request. */
    readonly dapp?: string | null | undefined;
  }
}

interface Entry extends InFlightRequest {
  readonly request: TabRequest;
  /** When it was sent to the service: milliseconds since 1970. */
  readonly at: number;
  readonly poll?: string | undefined;
  /** The payer: no dapp once tabs of two dapps wait for it. */
  readonly payer: Service.Payer;
  /** The dapp whose share of the memory the reply takes. */
  readonly dapp: string | null;
  reply?: TabReply | undefined;
}

export function createLeaderServer(options: createLeaderServer.Options): LeaderServer {
  const { send, clock, onNewHead, newId, capacity = 4_000_000 } = own(options);
  /** By key of the request, the oldest first. */
  const entries = new Map<string, Entry>();
  /** Characters of the immutable replies, of each dapp and of all. */
  const sizes = new Map<string | null, number>();
  let size = 0;
  /** Hash of the head last announced to the other tabs. */
  let announcedHead: string | undefined;
  const poolFilters = createPoolFilters({
    clock,
    onRemoved() {
      const installed = entries.get(installFilter.key);
      if (installed) remove(installed);
    },
  });

  const sizeOf = ({ request, reply }: Entry) =>
    request.kind === 'immutable' ? (reply?.result?.length ?? 0) : 0;

  function remove(entry: Entry): void {
    const { key } = entry.request;
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    resize(entry, -sizeOf(entry));
  }

  function resize({ dapp }: Entry, by: number): void {
    size += by;
    sizes.set(dapp, (sizes.get(dapp) ?? 0) + by);
  }

  function isUsable(
    { request, at, poll }: Entry,
    { lastPoll, maxAge = request.maxAge, mayRepeat = false }: LeaderServer.RequestOptions,
  ): boolean {
    if (request.kind !== 'poll') return true;
    const age = clock.now() - at;
    if (age < 0 || age > maxAge) return false;
    return poll !== lastPoll || (mayRepeat && maxAge >= livePollingInterval);
  }

  function begin(request: TabRequest, dapp: string | null): Entry {
    const { key, kind, method, params } = request;
    const payer: Service.Payer = { dapp };
    if (key === headPoll.key)
      for (const each of [...entries.values()]) if (each.request.kind === 'height') remove(each);
    const connection = new AbortController();
    const entry: Entry = {
      request,
      at: clock.now(),
      payer,
      dapp,
      poll: kind === 'poll' ? newId() : undefined,
      reply: undefined,
      waiters: new Set<Waiter>(),
      stop() {
        remove(entry);
        connection.abort();
      },
    };
    entries.set(key, entry);
    const check = (result: unknown) => checkResult(request, result);
    const origin = kind === 'poll' ? { poll: entry.poll, at: entry.at } : {};
    void read(send(method, params, { signal: connection.signal, check, payer })).then((reply) => {
      entry.reply = own({ ...reply, ...origin });
      keep(entry);
      for (const { resolve } of entry.waiters) resolve(entry.reply);
    });
    return entry;

    async function read(response: Promise<unknown>): Promise<TabReply> {
      try {
        const result = poolFilters.withEarlier(request, await response);
        if (!isKept(request, result)) remove(entry);
        if (key === headPoll.key) announce(result, entry.poll as string);
        return { result: JSON.stringify(result ?? null) };
      } catch (error) {
        if (kind !== 'poll') remove(entry);
        poolFilters.fail(request, error);
        return { failure: serializeError(error) };
      }
    }
  }

  /** Counts an immutable reply. Beyond the capacity it drops the oldest of the dapp that has most. */
  function keep(entry: Entry): void {
    if (entries.get(entry.request.key) !== entry) return;
    resize(entry, sizeOf(entry));
    while (size > capacity) {
      const [largest] = [...sizes].reduce((max, each) => (each[1] > max[1] ? each : max));
      remove([...entries.values()].find((each) => each.dapp === largest && sizeOf(each) > 0) as Entry);
    }
  }

  function announce(result: unknown, poll: string): void {
    const { hash } = own((result ?? {}) as { hash?: unknown });
    if (typeof hash !== 'string' || hash === announcedHead) return;
    announcedHead = hash;
    onNewHead(poll);
  }

  return {
    async answer(request, requestOptions) {
      const settings = own(requestOptions);
      const { tab, signal, dapp = null } = settings;
      if (request.kind === 'uninstall' && !poolFilters.leave(request, tab)) return own({ result: 'true' });
      poolFilters.use(request, tab);
      const known = entries.get(request.key);
      const entry = known && isUsable(known, settings) ? known : begin(request, dapp);
      if (entry.payer.dapp !== dapp) entry.payer.dapp = null;
      const reply = entry.reply ?? ((await join(entry, request.method, signal)) as TabReply);
      // The limits of another dapp do not concern this one.
      if (entry.dapp === dapp || reply.failure?.code !== errorCode.limitExceeded) return reply;
      remove(entry);
      return (await join(begin(request, dapp), request.method, signal)) as TabReply;
    },
    clear() {
      entries.clear();
      poolFilters.clear();
      sizes.clear();
      size = 0;
      announcedHead = undefined;
    },
  };
}

/**
 * Whether to keep the reply. By hash: only the requested block, or its logs; a node that does not know the block
 * answers with an empty list too (docs/notes/node.md#unknown-blocks-have-no-logs).
 */
function isKept({ method, params, kind }: TabRequest, result: unknown): boolean {
  if (kind === 'uninstall') return false;
  if (method === 'eth_getBlockByHash') return result !== null;
  if (method === installFilter.method) return isFilterId(result);
  if (method !== 'eth_getLogs' && method !== 'eth_getBlockReceipts') return true;
  const { blockHash = params[0] } = membersOf(params[0]);
  return Array.isArray(result) && result.length > 0 && result.every((log) => log?.blockHash === blockHash);
}

/** Checks a result before other tabs get it: after a malformed one the client tries another endpoint. */
function checkResult({ method, params: [first] }: TabRequest, result: unknown): void {
  if (methodFacts(method).shows === 'block') checkBlock(result);
  if (method === 'eth_getBlockByHash' && result !== null && (result as Block).hash?.toLowerCase() !== first)
    throw new Error('not the block that was asked for');
  if (method === 'eth_getLogs') checkLogs(result);
}

export declare namespace createLeaderServer {
  interface Options {
    /** Sends a request of this tab to the service. */
    readonly send: Service['request'];
    readonly clock: Clock;
    /** Called with the id of a poll that has shown another head than the one before. */
    readonly onNewHead: (poll: string) => void;
    /** Creates the id of a poll, unique among all tabs. */
    readonly newId: () => string;
    /** Characters of immutable replies that are kept; default: 4 million. */
    readonly capacity?: number | undefined;
  }
}
