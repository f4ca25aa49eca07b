import { badReply } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Hash } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { readAhead } from './prefetch-headers.js';
import { createAudience } from './audience.js';
import { type BlockLink, createBlocks, heightOf, isParent, linkOf, type MinedBlock } from './blocks.js';
import type { Clock } from './clock.js';
import { blockInterval } from './interval.js';
import { baseOf, findPath, outweighs, type Path, unsettledBlocks } from './reorg-path.js';
import { createTicker, longestPause } from './poller.js';
import type { Visibility } from './visibility.js';

/**
 * Follows the head of one network by `parentHash` and says, in order, which blocks joined and left the chain
 * we have told of. Never derived from server filters: they lose and invent blocks (docs/notes/node.md#filters-lose-and-invent).
 */
export interface Follower {
  /**
   * Starts following with the first watcher, stops with the last: nobody watching costs no request.
   *
   * The listener hears of what happens after the first look at the service that begins after this call (see
   * {@link catchUp}; where tabs share their looks, half a second before it), and of nothing before it. A `passive`
   * one starts nothing: it hears what is seen while others watch, and when {@link catchUp} is called.
   */
  watch(listener: Follower.Listener, options?: Follower.WatchOptions): () => void;
  /** The newest block delivered; `null` before the first and while nobody watches. */
  head(): MinedBlock | null;
  /** Ask the service now instead of at the next tick (an own transaction was sent, the page woke up). */
  poke(): void;
  /**
   * Looks now, and resolves when what the service said has been queued for every watcher (and heard by those
   * that were idle). Another tab's look will do that is news here and younger than the interval.
   * @throws ProviderRpcError as the service's request, when it cannot be asked.
   */
  catchUp(): Promise<void>;
  stop(): void;
}

export declare namespace Follower {
  /** One step. With more new blocks than anybody needs each of, the rest is `missed`: heights without their blocks. */
  interface Step extends Path {}
  /**
   * May return a promise: the next step is delivered after it settles; a rejection is re-delivered later (the
   * same object, after the next tick). `leaves` tells whether a later step already takes a block away again.
   */
  type Listener = (step: Step, leaves: (block: BlockLink) => boolean) => void | Promise<void>;
  interface WatchOptions {
    readonly passive?: boolean;
    /**
     * Of the blocks that came during a pause, how many of the newest it needs each of: every one is a request, and
     * nothing newer is told before it. {@link unsettledBlocks} are always given.
     */
    readonly headers?: number;
  }
}

interface Watcher {
  readonly listener: Follower.Listener;
  /** The look that decides where it joins. */
  readonly joins: number;
  readonly headers: number;
  joined: boolean;
  busy: boolean;
  readonly queue: Follower.Step[];
}

/**
 * One tick is one request: `eth_getBlockByNumber latest`. Asking for the number alone moves a quarter of the
 * bytes but costs a request more per block, and quotas count requests: with 25-second blocks 14 % more at 4 s,
 * 25 % at 8 s, 34 % at 12 s. It also would not see a block replaced by another of the same height.
 */
export function createFollower(given: createFollower.Options): Follower {
  const options = own(given);
  const { service, ringSize = rememberedBlocks, unsettled = unsettledBlocks } = options;
  const blocks = createBlocks(service);
  /** What we have told of, oldest first, each the parent of the next. */
  let chain: BlockLink[] = [];
  /** Of what we have told of before blocks that were missed, what still stands; oldest first. */
  let older: BlockLink[] = [];
  /** The newest of them. */
  let newest: MinedBlock | null = null;
  /** Parents read on a way that could not be finished: the next tick does not ask again. */
  const read = new Map<Hash, MinedBlock>();
  /** In how many looks nobody had a block that was asked for by its hash. */
  const absent = new Map<Hash, number>();
  let unproven = 0;
  /** The last run that wants to know how the chain stands now. */
  let urgent = 0;
  let failing = false;
  const interval = () => {
    const set = typeof options.interval === 'function' ? options.interval() : options.interval;
    return set ?? blockInterval(service, chain);
  };

  const ticker = createTicker({
    run: look,
    interval,
    clock: options.clock,
    visibility: options.visibility,
  });

  const audience = createAudience<Watcher>(ticker, () => {
    [chain, older] = [[], []];
    newest = null;
    read.clear();
    absent.clear();
    options.onRest?.();
  });
  const watchers = audience.members;

  async function look(signal: AbortSignal, count: number): Promise<void> {
    if (watchers.size === 0) return;
    try {
      const maxAge = failing ? Math.max(interval(), longestPause) : interval();
      failing = true;
      const step = await nextStep(signal, count === urgent ? Math.min(maxAge, nearly) : maxAge);
      failing = false;
      signal.throwIfAborted();
      if (step) {
        for (const watcher of watchers) if (watcher.joined) watcher.queue.push(step);
        take(step);
      }
    } finally {
      for (const watcher of watchers) {
        if (watcher.joins <= count && chain.length > 0) watcher.joined = true;
        void deliver(watcher);
      }
    }
  }

  async function nextStep(signal: AbortSignal, maxAge: number): Promise<Follower.Step | null> {
    const tip = await blocks.latest(signal, maxAge);
    const [oldest, head] = [chain[0], chain.at(-1)];
    if (!oldest || !head) return { removed: [], added: [tip] };
    if (tip.hash === head.hash) unproven = 0;
    // Our head, or that of a node that lags behind it: on our chain, or too far below to tell.
    if (chain.some(({ hash }) => hash === tip.hash) || heightOf(tip) < heightOf(oldest)) return null;

    const needed = [...watchers].map(({ joined, headers }) => (joined ? headers : 0));
    const walk = { walked: Math.max(unsettled, ...needed), deepest: ringSize, signal };
    await readAhead(tip, head, { ...walk, blocks, read });
    const pathTo = (block: MinedBlock) =>
      findPath(block, { chain, older, blocks: { at: blocks.at, parent }, ...walk });
    const step = await pathTo(tip);
    if (step.removed.length === 0 || outweighs(tip, head)) return step;

    // A fork that is not the heavier one is no proof that ours was left: ask who stands at our height now.
    const standing = await blocks.at(heightOf(head), signal);
    if (standing?.hash === head.hash) {
      unproven = 0;
      return null;
    }
    if (standing && !outweighs(head, standing)) return pathTo(standing);
    // A node on a side chain, or a chain that was cut (a development node was set back): time will tell.
    unproven += 1;
    return unproven < proofs ? null : pathTo(standing ?? tip);
  }

  async function parent(block: BlockLink, signal: AbortSignal): Promise<MinedBlock | null> {
    const { parentHash } = block;
    const before = read.get(parentHash);
    // Blocks read by height may contradict each other. Parents must descend, or following them would never end.
    const known = before && isParent(before, block) ? before : await blocks.parent(block, signal);
    if (known) {
      read.set(parentHash, known);
      return known;
    }
    const times = (absent.get(parentHash) ?? 0) + 1;
    absent.set(parentHash, times);
    // What has left the chain may be forgotten; or the one node that has it was not asked.
    if (times < proofs) throw badReply('eth_getBlockByHash', 'the parent of a block is missing');
    return null;
  }

  function take(step: Follower.Step): void {
    const base = baseOf(step);
    const stays = (link: BlockLink) => heightOf(link) <= base;
    const links = step.added.map(linkOf);
    const kept = step.missed ? [] : chain.filter(stays);
    older = (step.missed ? [...older, ...chain] : older).filter(stays);
    chain = [...kept, ...links].slice(-ringSize);
    older = older.slice(Math.min(older.length, Math.max(0, older.length + chain.length - ringSize)));
    newest = step.added.at(-1) ?? null;
    read.clear();
    absent.clear();
    unproven = 0;
  }

  async function deliver(watcher: Watcher): Promise<void> {
    if (watcher.busy) return;
    watcher.busy = true;
    const { queue } = watcher;
    const leaves = ({ hash }: BlockLink) =>
      queue.some((step, at) => at > 0 && step.removed.some((block) => block.hash === hash));
    try {
      for (let step = queue[0]; step && watchers.has(watcher); step = queue[0]) {
        await watcher.listener(step, leaves);
        queue.shift();
      }
    } catch {
      // Stays first in its queue and is delivered again after the next tick, this listener's alone.
    } finally {
      watcher.busy = false;
    }
  }

  return {
    watch(listener, options) {
      const joins = ticker.upcoming();
      urgent = joins;
      const { headers = 0, passive } = own(options);
      return audience.join({ listener, joins, headers, joined: false, busy: false, queue: [] }, passive);
    },
    head: () => newest,
    poke() {
      if (watchers.size === 0) return;
      urgent = ticker.upcoming();
      ticker.now().catch(() => {});
    },
    catchUp: () => ticker.now(),
    stop: audience.leaveAll,
  };
}

/** Milliseconds that another tab's look may be old to tell how the chain stands now: so often do all look at most. */
const nearly = 500;

/**
 * About three and a half hours of Rootstock. A reorganisation deeper than that is undone as far as the node still
 * knows the blocks that left; a link is 0.3 kB where a block without its bodies is 3 to 6.
 */
export const rememberedBlocks = 512;

/** Ticks in a row that must show a lighter, lower fork, or a block forgotten, before it is believed. */
const proofs = 3;

export declare namespace createFollower {
  interface Options {
    readonly service: Service;
    /** Milliseconds between ticks; by default half of the observed block time ({@link blockInterval}). */
    readonly interval?: number | (() => number) | undefined;
    /** Blocks remembered: a reorganisation that is no deeper is undone without asking for what left. */
    readonly ringSize?: number | undefined;
    /** New blocks that are always asked for one by one. */
    readonly unsettled?: number | undefined;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
    /** Called when nobody watches any more. */
    readonly onRest?: (() => void) | undefined;
  }
}
