import { badReply } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import type { Hash } from '../rpc/schema.js';
import { reasonOf } from '../service/errors/errors.js';
import type { Service } from '../service/service.js';
import {
  type BlockLink,
  createBlocks,
  heightOf,
  linkOf,
  type MinedBlock,
  type ReadLatest,
} from './blocks.js';
import { blockInterval } from './interval.js';
import { createPoller, maxBackoff } from './poller.js';
import { createRefCountedListeners } from './ref-counted-listeners.js';
import { baseOf, createPathFinder, outweighs, type ReorgPath, walkedBlocks } from './reorg-path.js';

/**
 * Follows the head of one network by `parentHash` and emits, in order, which blocks were added to and removed from the
 * chain. Server filters are not used: they lose and invent blocks (docs/notes/node.md#filters-lose-and-invent).
 */
export interface Follower {
  /**
   * Starts polling with the first active listener, and stops with the last. A listener gets the steps found after the
   * first poll that begins after this call (where tabs share polls, that poll may be half a second older). Returns a
   * function that removes it.
   */
  watch(listener: Follower.Listener, options?: Follower.WatchOptions): () => void;
  /** The newest block that was passed to listeners; `null` before the first one, and without listeners. */
  head(): MinedBlock | null;
  /**
   * The newest blocks that were passed to listeners, oldest first, each the parent of the next. A follower that is
   * created with them ({@link createFollower.Options.from}) continues here.
   */
  links(): readonly BlockLink[];
  /** Polls now instead of at the interval, for instance after a transaction was sent. */
  poke(): void;
  /**
   * Polls now. Resolves when the resulting step is queued for every listener, and delivered to those that were idle.
   * Another tab's poll is used where it is younger than the interval and was not seen here; if `urgent`, younger than
   * half a second.
   * @throws ProviderRpcError as the service's request
   */
  catchUp(urgent?: boolean): Promise<void>;
  stop(): void;
}

export declare namespace Follower {
  /** One change of the chain. Where many blocks are new, the heights not read are `missed`. */
  interface Step extends ReorgPath {}
  /**
   * May return a promise: the next step is delivered after it settles. After a rejection the same step object is
   * delivered again with the next poll. `isRemovedLater` tells whether a queued step already removes a block.
   */
  type Listener = (step: Step, isRemovedLater: (block: BlockLink) => boolean) => void | Promise<void>;
  interface WatchOptions {
    /** Does not start the polling: gets what is found for other listeners, and with {@link Follower.catchUp}. */
    readonly passive?: boolean | undefined;
    /**
     * How many of the newest blocks of a gap it needs one by one. Each costs a request, before anything newer is
     * emitted. The newest {@link walkedBlocks} are always read.
     */
    readonly headers?: number | undefined;
  }
}

interface Watcher {
  readonly listener: Follower.Listener;
  /** Number of the poll after which it gets steps. */
  readonly firstPoll: number;
  readonly headers: number;
  joined: boolean;
  busy: boolean;
  readonly queue: Follower.Step[];
}

/**
 * Each poll is one request: `eth_getBlockByNumber latest`. Polling `eth_blockNumber` instead moves a quarter of the
 * bytes but costs one request more per block, and quotas count requests: with 25-second blocks 14 % more at an interval
 * of 4 s, 25 % at 8 s, 34 % at 12 s. It would also miss a block replaced by another of the same height.
 */
export function createFollower(given: createFollower.Options): Follower {
  const options = own(given);
  const { service, ringSize = rememberedBlocks, walked: minWalked = walkedBlocks } = options;
  const blocks = createBlocks(service, options.latest);
  const start = linkedEnd(options.from ?? []).slice(-ringSize);
  /** The emitted chain, oldest first, each block the parent of the next. */
  let chain: BlockLink[] = start;
  /** Emitted blocks from before a gap of missed ones, as far as they are still on the chain; oldest first. */
  let older: BlockLink[] = [];
  /** Until the first poll that succeeds: listeners get what was mined since the links of an earlier follower. */
  let resuming = start.length > 0;
  /** The newest block of the chain. */
  let newest: MinedBlock | null = null;
  /** In how many consecutive polls a parent was missing, by its hash. */
  const missing = new Map<Hash, number>();
  /** Consecutive polls that showed a lower fork. */
  let unproven = 0;
  /** Number of the last poll that must be fresher than the interval. */
  let urgentPoll = 0;
  let failing = false;
  const interval = () => {
    const configured = typeof options.interval === 'function' ? options.interval(failing) : options.interval;
    return configured ?? blockInterval(service, chain);
  };

  const paths = createPathFinder({
    blocks,
    maxDepth: ringSize,
    onMissing(hash) {
      const polls = (missing.get(hash) ?? 0) + 1;
      missing.set(hash, polls);
      // Nodes may have dropped a removed block; or the one node that has it has not answered yet.
      if (polls < pollsToBelieve) throw badReply('eth_getBlockByHash', 'the parent of a block is missing');
    },
  });

  const { clock, visibility } = options;
  const poller = createPoller({ run: poll, interval, clock, visibility });

  const watchers = createRefCountedListeners<Watcher>(poller, () => {
    chain = [];
    older = [];
    newest = null;
    resuming = false;
    paths.headers.clear();
    missing.clear();
    options.onIdle?.();
  });

  async function poll(signal: AbortSignal, number: number): Promise<void> {
    if (watchers.all.size === 0) return;
    try {
      const usual = options.maxAge?.() ?? interval();
      const maxAge = failing ? Math.max(usual, maxBackoff) : usual;
      failing = true;
      const step = await nextStep(signal, number === urgentPoll ? Math.min(maxAge, urgentMaxAge) : maxAge);
      failing = false;
      signal.throwIfAborted();
      resuming = false;
      if (step) {
        options.onStep?.(step);
        for (const watcher of watchers.all) if (watcher.joined) watcher.queue.push(step);
        apply(step);
      }
    } finally {
      for (const watcher of watchers.all) {
        if (watcher.firstPoll <= number && chain.length > 0) watcher.joined = true;
        void deliver(watcher);
      }
    }
  }

  async function nextStep(signal: AbortSignal, maxAge: number): Promise<Follower.Step | null> {
    const tip = await blocks.latest(signal, maxAge).catch((error: unknown) => {
      // Nodes that are behind what was shown have nothing new: it is no failure, after which polls would become rarer.
      if (newest && reasonOf(error) === 'behind') return newest;
      throw error;
    });
    const [oldest, head] = [chain[0], chain.at(-1)];
    if (!oldest || !head) return { removed: [], added: [tip], missed: undefined };
    if (tip.hash === head.hash) {
      unproven = 0;
      newest ??= tip;
    }
    // A block of our chain, perhaps of a lagging node; or one too far below to compare.
    if (chain.some(({ hash }) => hash === tip.hash) || heightOf(tip) < heightOf(oldest)) return null;

    const headers = [...watchers.all].map((watcher) => (watcher.joined ? watcher.headers : 0));
    const walked = Math.max(minWalked, ...headers);
    const pathTo = (block: MinedBlock) => paths.pathTo(block, { chain, older, walked, signal });
    const step = await pathTo(tip);
    if (step.removed.length === 0 || outweighs(tip, head)) return step;

    // A fork that is not the heavier one does not prove that our head was removed: read the block at its height.
    const current = await blocks.at(heightOf(head), signal);
    if (current?.hash === head.hash) {
      unproven = 0;
      return null;
    }
    if (current && !outweighs(head, current)) return pathTo(current);
    // A node on a side chain, or a development chain that was set back: further polls decide.
    unproven += 1;
    return unproven < pollsToBelieve ? null : pathTo(current ?? tip);
  }

  function apply(step: Follower.Step): void {
    const base = baseOf(step);
    const stays = (link: BlockLink) => heightOf(link) <= base;
    const links = step.added.map(linkOf);
    const kept = step.missed ? [] : chain.filter(stays);
    older = (step.missed ? [...older, ...chain] : older).filter(stays);
    chain = [...kept, ...links].slice(-ringSize);
    older = older.slice(Math.min(older.length, Math.max(0, older.length + chain.length - ringSize)));
    newest = step.added.at(-1) ?? null;
    paths.headers.clear();
    missing.clear();
    unproven = 0;
  }

  async function deliver(watcher: Watcher): Promise<void> {
    if (watcher.busy) return;
    watcher.busy = true;
    const { queue } = watcher;
    const isRemovedLater = ({ hash }: BlockLink) =>
      queue.some((step, at) => at > 0 && step.removed.some((block) => block.hash === hash));
    try {
      for (let step = queue[0]; step && watchers.all.has(watcher); step = queue[0]) {
        await watcher.listener(step, isRemovedLater);
        queue.shift();
      }
    } catch {
      // The step stays first in this watcher's queue, and is delivered again after the next poll.
    } finally {
      watcher.busy = false;
    }
  }

  return {
    watch(listener, watchOptions) {
      const firstPoll = poller.nextRun();
      urgentPoll = firstPoll;
      const { headers = 0, passive } = own(watchOptions);
      const watcher = { listener, firstPoll, headers, joined: resuming, busy: false, queue: [] };
      return watchers.add(watcher, passive);
    },
    head: () => newest,
    links: () => [...chain],
    poke() {
      if (watchers.all.size === 0) return;
      urgentPoll = poller.nextRun();
      poller.poll().catch(() => {});
    },
    catchUp(urgent) {
      if (urgent) urgentPoll = poller.nextRun();
      return poller.poll();
    },
    stop: watchers.clear,
  };
}

/** The newest of these blocks of which each is the parent of the next. */
function linkedEnd(links: readonly BlockLink[]): BlockLink[] {
  const gap = links.findLastIndex((link, at) => {
    const next = links[at + 1];
    return next && !(next.parentHash === link.hash && heightOf(next) === heightOf(link) + 1);
  });
  return links.slice(gap + 1);
}

/** Milliseconds. The oldest poll of another tab that may decide where a new listener begins. */
const urgentMaxAge = 500;

/**
 * Blocks: about three and a half hours of Rootstock. A deeper reorg is undone as far as the nodes still have the
 * removed blocks. A link takes 0.3 kB, a block without transactions 3 to 6.
 */
export const rememberedBlocks = 512;

/** Consecutive polls that must show a lighter, lower fork, or a missing block, before it is believed. */
const pollsToBelieve = 3;

export declare namespace createFollower {
  interface Options extends Pick<createPoller.Options, 'clock' | 'visibility'> {
    readonly service: Service;
    /** Reads the newest block, no poll twice; default: a request through `service`. */
    readonly latest?: ReadLatest | undefined;
    /** Milliseconds between polls, the last of which may have failed; default: {@link blockInterval}. */
    readonly interval?: number | ((failing: boolean) => number) | undefined;
    /** Milliseconds: how old another tab's poll may be; default: the interval. */
    readonly maxAge?: (() => number) | undefined;
    /**
     * The {@link Follower.links} of an earlier follower. Listeners added before the first successful poll get what was
     * mined since, reorgs included. Once the last listener has left, they are forgotten like any other block.
     */
    readonly from?: readonly BlockLink[] | undefined;
    /** Blocks remembered: a reorg that is no deeper is undone without reading the removed blocks. */
    readonly ringSize?: number | undefined;
    /** Newest blocks that are always read one by one. */
    readonly walked?: number | undefined;
    /** Called when the last listener has left. */
    readonly onIdle?: (() => void) | undefined;
    /** Called with each step, before the listeners. */
    readonly onStep?: ((step: Follower.Step) => void) | undefined;
  }
}
