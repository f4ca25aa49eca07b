import { singleFlight } from '../async/lazy.js';
import { develops, sends } from '../rpc/method-facts/method-facts.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import { checkBlock, heightIn, isHash } from '../rpc/results.js';
import type { Hash } from '../rpc/schema.js';
import type { HeadView } from '../service/cache/head-view.js';
import type { Service } from '../service/service.js';
import { isHeadPoll } from '../service/steady/contradiction.js';
import type { AnswerTracker, SteadyService } from '../service/steady/steady-service.js';
import type { ReadLatest } from './blocks.js';
import { blockInterval, isLocal } from './interval.js';
import { createRecentBlocks, type RecentBlock } from './recent-blocks.js';
import type { SharedService } from './tabs/shared-service.js';

/**
 * The one place that knows the head of a chain. It learns it from every answer that passes, polls it for the cache
 * and the follower, and says how often to poll.
 */
export interface HeadTracker extends HeadView, AnswerTracker, Pick<SteadyService, 'note'> {
  /**
   * Creates a reader for one consumer, which never gets the same poll twice: the newest block, polled at most `maxAge`
   * milliseconds ago where that is given, else now. A poll made for the page's own reads counts too; `onNewHead` is called
   * when one has shown another head than the consumer has, and it is not polling itself.
   */
  createReader(onNewHead: () => void): ReadLatest;
  /** Hash of the block that the last poll showed. */
  hash(): Hash | undefined;
  /** Milliseconds between two polls, at present. */
  interval(): number;
}

export function createHeadTracker(given: createHeadTracker.Options): HeadTracker {
  const options = own(given);
  const { now = Date.now } = options;
  let state: HeadView.State = { height: -1, branch: { since: 0 }, since: 0 };
  const recent = createRecentBlocks();
  let head: RecentBlock | undefined;
  /** When the last poll that counts was requested: milliseconds since 1970. */
  let polledAt = 0;
  /** Counts the polls; the answer of one may be noted several times. */
  let polled = 0;
  let lastSendEndedAt = 0;
  /** Called after each poll. */
  const listeners = new Set<() => void>();
  /** Height of the highest block that anything has shown since the last poll. */
  let highest = -1;
  /** Milliseconds between polls while no transaction of this page is unmined; computed again for each new head. */
  let usualInterval: number | undefined;
  let isLocalDefault: boolean | undefined;
  /** Since the first send. */
  let unminedSends: UnminedSends | undefined;

  /** Something has shown that the head may be another one. */
  function invalidate(): void {
    const { height, branch } = state;
    state = { height, branch, since: now() };
  }

  function note(method: string, params: readonly unknown[], result: unknown, requestedAt: number): void {
    if (sends(method)) unminedSends ??= createUnminedSends(now);
    unminedSends?.note(method, result);
    if (isHeadPoll(method, params) && isRecentBlock(result)) {
      notePoll(result, requestedAt);
      return;
    }
    const height = method === 'eth_blockNumber' ? Number(result) : heightIn(result);
    const isOther = method !== 'eth_blockNumber' && height === highest && hashIn(result) !== head?.hash;
    if (!(height > highest || isOther)) return;
    highest = height;
    invalidate();
  }

  function notePoll(block: RecentBlock, requestedAt: number): void {
    const { hash, number } = block;
    const height = Number(number);
    const isSame = hash === head?.hash;
    // Requested before the head was invalidated: the answer may be the older head.
    if (requestedAt < state.since && !(isSame && state.block !== undefined)) {
      invalidate();
      return;
    }
    highest = height;
    // Two polls may have been requested in the same millisecond.
    if (!isSame || requestedAt > polledAt) polled += 1;
    if (state.block === undefined || !isSame) {
      const extendsBranch = isSame || recent.add(block);
      const branch = extendsBranch ? state.branch : { since: now() };
      state = { block: JSON.stringify(block), number, height, branch, since: now() };
      usualInterval = undefined;
      if (!isSame) options.onHead?.(block);
      head = recent.blocks.at(-1);
      polledAt = requestedAt;
    }
    // After the clock was set back, a poll from before must not count as the newest for hours.
    polledAt = polledAt > now() ? requestedAt : Math.max(polledAt, requestedAt);
    if (lastSendEndedAt > now()) lastSendEndedAt = requestedAt;
    for (const listener of listeners) listener();
  }

  function interval(): number {
    const service = options.service();
    usualInterval ??= options.interval ?? blockInterval(service, recent.blocks);
    const isUrgent = options.interval === undefined && unminedSends?.any() === true;
    // A daily quota that runs out makes polls rarer, and their answers used for longer.
    return (isUrgent ? Math.min(usualInterval, urgentInterval) : usualInterval) * (service.slowdown?.() ?? 1);
  }

  function maxAge(): number {
    isLocalDefault ??= options.interval === undefined && isLocal(options.service());
    const age = isLocalDefault ? 0 : interval();
    return age < minMaxAge ? 0 : age * maxAgeShare;
  }

  function isFresh(limit = maxAge()): boolean {
    const age = now() - polledAt;
    return state.block !== undefined && polledAt >= lastSendEndedAt && age >= 0 && age < limit;
  }

  const poll = singleFlight(async () => {
    const requestOptions: SharedService.RequestOptions = {
      // A page waits for it.
      priority: 'read',
      // Another tab's poll from before the invalidation must not undo it.
      maxAge: Math.max(0, Math.min(maxAge(), now() - state.since)),
      check(result) {
        checkBlock(result);
        if (!isRecentBlock(result)) throw new Error('not a mined block');
      },
    };
    await options.service().request('eth_getBlockByNumber', ['latest', false], requestOptions);
  });

  return {
    state: () => state,
    isFresh,
    async latest({ maxAge: limit = 0 } = {}) {
      if (isFresh(Math.min(limit, maxAge()))) return state;
      if (head) options.onRepeatedPoll?.();
      await poll();
      return state;
    },
    excludes: recent.excludes,
    lastSendEndedAt: () => lastSendEndedAt,
    maxAge,
    interval,
    hash: () => head?.hash,
    note,
    begin(method, params, requestOptions) {
      const requestedAt = now();
      return {
        answered(result) {
          // A person does not wait for nodes to catch up with what was shown: an older block is not the head.
          const isOlder =
            own(requestOptions).priority === 'person' &&
            isHeadPoll(method, params) &&
            heightIn(result) < highest;
          if (!isOlder) note(method, params, result, requestedAt);
        },
        ended() {
          // A failed request may have changed the state too.
          if (sends(method)) lastSendEndedAt = now();
          if (develops(method)) invalidate();
        },
      };
    },
    createReader(onNewHead) {
      /** The poll that this consumer got last, and its head. */
      let taken: { poll: number; hash: Hash | undefined } = { poll: 0, hash: undefined };
      let polls = 0;

      const emitNewHead = () => {
        // The poll under way here may bring it.
        if (polls === 0 && polled > taken.poll && isFresh() && head?.hash !== taken.hash) onNewHead();
      };
      listeners.add(emitNewHead);

      /** The last poll, where the consumer has not had it and it is young enough. */
      function takeKnown({ maxAge: limit = -1, check }: SharedService.RequestOptions): unknown {
        if (!(polled > taken.poll && now() - polledAt <= limit && isFresh())) return undefined;
        const block = JSON.parse(state.block as string) as { hash: Hash };
        try {
          check?.(block);
        } catch {
          return undefined;
        }
        taken = { poll: polled, hash: block.hash };
        return block;
      }

      async function pollOnce(requestOptions: SharedService.RequestOptions): Promise<unknown> {
        polls += 1;
        try {
          const params = ['latest', false];
          const block = await options.service().request('eth_getBlockByNumber', params, requestOptions);
          const { hash } = block as { hash: Hash };
          // The tracker may not have accepted this answer: then its own poll is still new to the consumer.
          taken = { poll: head?.hash === hash ? polled : taken.poll, hash };
          return block;
        } finally {
          polls -= 1;
          emitNewHead();
        }
      }

      return async (requestOptions) => takeKnown(own(requestOptions)) ?? pollOnce(requestOptions);
    },
  };
}

function isRecentBlock(result: unknown): result is RecentBlock {
  const { hash, parentHash, number } = membersOf(result);
  return [hash, parentHash].every(isHash) && /^0x[0-9a-f]{1,13}$/i.test(`${number}`);
}

/** Hash of the block that contains a transaction, a receipt or the last of several logs; of a block, its own. */
function hashIn(result: unknown): unknown {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  const { blockHash, hash } = membersOf(last);
  return blockHash ?? hash;
}

/**
 * Milliseconds. A shorter polling interval asks to see every change at once, so nothing is reused. Nor is it by
 * default with a local endpoint, where requests cost nothing.
 */
const minMaxAge = 1_000;
/** Expire at 90 % of the interval, so that a page that polls at our rate reaches the network each time. */
const maxAgeShare = 0.9;
/** Milliseconds between polls while a transaction of this page is unmined, unless an interval is configured. */
const urgentInterval = 4_000;

export declare namespace createHeadTracker {
  interface Options {
    /** Sends the polls. Their answers must be noted by this tracker. */
    readonly service: () => Service;
    /** Milliseconds between two polls, if configured. */
    readonly interval?: number | undefined;
    /** Called with each poll for a read but the first. */
    readonly onRepeatedPoll?: (() => void) | undefined;
    /** Called with each block that is the newest in place of another. */
    readonly onHead?: ((block: RecentBlock) => void) | undefined;
    /** Milliseconds since 1970. */
    readonly now?: (() => number) | undefined;
  }
}

/** The transactions that this page has sent and that nothing has shown in a block yet. */
interface UnminedSends {
  /** Takes note of an answer of the service: of a send, or one that shows a transaction in its block. */
  note(method: string, result: unknown): void;
  /** Whether there are any. */
  any(): boolean;
}

/** @param now milliseconds since 1970 */
function createUnminedSends(now: () => number): UnminedSends {
  /** When each was sent, by hash. */
  const sent = new Map<string, number>();

  /** Removes what a block, a receipt or a transaction shows to be mined, and what has waited too long. */
  function removeMined(result: unknown): void {
    const { transactions, transactionHash, hash } = membersOf(result);
    for (const [each, at] of sent) {
      const isInBlock =
        Array.isArray(transactions) && transactions.some((one) => (one?.hash ?? one) === each);
      const isMined = isInBlock || ((transactionHash ?? hash) === each && !Number.isNaN(heightIn(result)));
      if (isMined || now() - at > maxWait) sent.delete(each);
    }
  }

  return {
    note(method, result) {
      if (sent.size > 0) removeMined(result);
      // A zero hash (docs/notes/service.md#methods-with-full-parameter-and-result-shape) will be in no block.
      if (method === 'eth_sendRawTransaction' && /^0x0*[1-9a-f]/i.test(`${result}`))
        sent.set(`${result}`, now());
    },
    any: () => sent.size > 0,
  };
}

/** Milliseconds after which a transaction that was not mined no longer counts. */
const maxWait = 120_000;
