import type { Clock } from '../../../../src/async/clock.js';
import { type BlockLink, createBlocks, heightOf } from '../../../../src/chain/blocks.js';
import { rememberedBlocks } from '../../../../src/chain/follower.js';
import { createPathFinder } from '../../../../src/chain/reorg-path.js';
import { canonicalBlock, canonicalLog } from '../../../../src/rpc/canonical.js';
import { limitExceeded } from '../../../../src/rpc/core-errors.js';
import { createMatcher, type Matcher } from '../../../../src/rpc/matcher.js';
import type { Hash, Hex } from '../../../../src/rpc/schema.js';
import type { DeliveredBlock } from '../../../../src/subscriptions/durable/cursor-store.js';
import { maxHeaders } from '../../../../src/subscriptions/ids.js';
import type { Payer } from '../access/limits.js';
import type { RelayChain } from '../chain.js';
import type { Engine, RelayBlock, RelayStep } from '../engines/engine.js';
import { type Leader, startLeader } from '../engines/leader.js';
import { once } from '../once.js';
import type { Metrics } from '../reports/metrics.js';
import { createLogTopic, type LogTopic } from './log-topic.js';
import { createStepMemory, hasNoLogs, toRelayStep } from './steps.js';
import type { Topic } from './topics.js';

/**
 * Turns the steps of one chain into frames for its subscribers. A step is serialised once, and all subscribers get the same
 * string. The engine is a candidate for leader while there are subscribers, and until the newest poll is one interval old:
 * clients that come and go start nothing. Later nothing is requested.
 *
 * One poll for each interval is made for all subscribers together. All else that a subscription causes is charged to its
 * payer: the first requests of a follower that it starts, and its part of each request for logs.
 */
export interface Hub {
  /**
   * @throws ProviderRpcError -32005 for more than {@link maxTopics} different filters of logs
   */
  subscribe(topic: Topic, subscriber: Subscriber, options: Hub.SubscribeOptions): Subscription;
  /**
   * Polls the head, where this instance is the leader, and sends an empty step where none was sent for 15 s: for a
   * `passive` hub, which has no timers.
   * @throws ProviderRpcError as the poll does
   */
  poll(): Promise<void>;
  /**
   * Since when this instance follows the chain for subscribers, by itself or by another's steps: milliseconds since 1970,
   * -Infinity where it goes on after a sleep; `undefined` without subscribers.
   */
  followsSince(): number | undefined;
  /** Since when this instance is the leader, milliseconds since 1970; `undefined` where it is not. */
  leadsSince(): number | undefined;
  close(): void;
}

export declare namespace Hub {
  interface SubscribeOptions {
    /** The block after which `graft_steps` begins. */
    readonly since?: Hash | undefined;
    /** The subscription continues one that ended with this object's predecessor: it has had all steps so far. */
    readonly restored: boolean;
    /** Default: nothing is charged. */
    readonly payer?: Payer | undefined;
  }
}

export interface Subscriber {
  /** The subscription id of its frames; `null` to get results without an envelope. */
  readonly id: Hex | null;
  push(text: string, frame: Frame): void;
  /**
   * Logs are missing from here on, so that the subscription must be ended: its payer has used up the day (`exhausted`), or
   * no node has the logs of a block (`gap`).
   */
  cut?(reason: 'exhausted' | 'gap'): void;
}

/** Properties of a text that is pushed. */
export interface Frame {
  /** A newer one may take its place: a head. */
  readonly isReplaceable: boolean;
  /** The newest block after it, of `graft_steps`. */
  readonly tip?: Hash | undefined;
}

export interface Subscription {
  /** Resolves once the head is known, so that every later block is pushed; also where it could not be read. */
  readonly ready: Promise<void>;
  end(): void;
}

interface Member {
  readonly subscriber: Subscriber;
  readonly payer: Payer | undefined;
  /** The number of the step after which it began. */
  joined: number;
  /** Until the head is known: blocks up to it are no news. */
  isWaiting: boolean;
  readonly since: Hash | undefined;
  /** Whether its `since` is unknown and there was no block to report that with. */
  isLost: boolean;
}

interface OpenTopic {
  readonly topic: Topic;
  readonly members: Set<Member>;
  readonly logs?: LogTopic | undefined;
  /** Whether a block with this bloom may have logs of the topic. */
  readonly mayMatch?: Matcher['mayMatch'] | undefined;
}

export function createHub(options: createHub.Options): Hub {
  const { chain, engine, clock, metrics, passive = false, headers = maxHeaders } = options;
  const { now } = clock;
  const open = new Map<string, OpenTopic>();
  const blocks = createBlocks(chain.service);
  let memory = createStepMemory();
  /** Number of the newest step. */
  let number = 0;
  let phase: 'idle' | 'starting' | 'live' = 'idle';
  let ready: Promise<void> = Promise.resolve();
  let setReady = () => {};
  let leader: Leader | undefined;
  let electedAt = 0;
  let followedAt = 0;
  let undo: (() => void)[] = [];
  let bridging = false;
  const waiting: RelayStep[] = [];
  let abort = new AbortController();
  /** Ends the time in which a follower without subscribers lingers. */
  let lingering: unknown;
  /** Pays for what the start asks. */
  let starter: Payer | undefined;
  let startTimer: unknown;
  let retryTimer: unknown;
  let keepAlive: unknown;
  /** When the last step was sent, perhaps an empty one: milliseconds since 1970. */
  let steppedAt = 0;

  const members = function* (): Generator<Member> {
    for (const each of open.values()) yield* each.members;
  };
  const isAnyActive = () => {
    for (const member of members()) if (!member.isWaiting) return true;
    return false;
  };

  function start(payer: Payer | undefined, restored: boolean): void {
    phase = 'starting';
    followedAt = restored ? Number.NEGATIVE_INFINITY : now();
    starter = payer;
    abort = new AbortController();
    ready = new Promise((resolve) => {
      setReady = resolve;
    });
    const unsubscribe = engine.subscribe(receive);
    // Another instance may be the leader: then its steps come, and nothing else.
    startTimer = clock.setTimeout(() => {
      if (!leader) settle();
    }, patience);
    const resign = engine.lead((from) => {
      const isStale = !isAnyActive() && restedFor() > maxRest;
      const elected = startLeader({
        chain,
        engine,
        from: isStale ? [] : from,
        now,
        passive,
        headers,
        beforePoll() {
          if (leader) stopIfUnused();
        },
        onRequest() {
          if (phase === 'starting') starter?.charge(1);
        },
      });
      leader = elected;
      electedAt = now();
      void elected.ready.then(() => {
        if (leader === elected) settle();
      });
      return () => {
        if (leader === elected) leader = undefined;
        elected.stop();
      };
    });
    undo = [unsubscribe, resign];
  }

  /** Milliseconds since the last known step. */
  function restedFor(): number {
    const last = engine.recent().at(-1);
    return last ? now() - last.seen : 0;
  }

  function stop(): void {
    phase = 'idle';
    for (const each of undo) each();
    undo = [];
    abort.abort();
    waiting.length = 0;
    for (const timer of [startTimer, retryTimer, keepAlive, lingering]) clock.clearTimeout(timer);
    keepAlive = undefined;
    lingering = undefined;
    starter = undefined;
    setReady();
  }

  function stopIfUnused(): void {
    if (open.size === 0 && phase !== 'idle') stop();
  }

  /**
   * Stops when the next poll is due, unless there is a subscriber by then. A leader asks before it polls, and a passive hub
   * at {@link Hub.poll}: only one that another instance leads needs a timer.
   */
  function linger(): void {
    clock.clearTimeout(lingering);
    if (!passive && !leader) lingering = clock.setTimeout(stopIfUnused, chain.interval());
  }

  /** Starts the members that waited for the head: it is known, or could not be read. */
  function settle(): void {
    if (phase !== 'starting') return;
    phase = 'live';
    starter = undefined;
    clock.clearTimeout(startTimer);
    for (const member of members()) {
      if (!member.isWaiting) continue;
      member.isWaiting = false;
      member.joined = number;
      catchUp(member);
    }
    setReady();
  }

  function receive(step: RelayStep): void {
    if (bridging) {
      waiting.push(step);
      return;
    }
    const relation = memory.relation(step);
    if (relation === 'known') settle();
    else if (relation === 'next' || !memory.head() || (phase === 'starting' && !isAnyActive())) apply(step);
    else void bridge(step);
  }

  /** Finds the way from the known chain to a step that does not follow on it: steps were lost, or another leader started over. */
  async function bridge(step: RelayStep): Promise<void> {
    const { signal } = abort;
    bridging = true;
    clock.clearTimeout(retryTimer);
    try {
      const bridged = await pathTo(step, signal);
      if (!signal.aborted) apply(bridged);
    } catch {
      // Repeated, unless a newer step comes first.
      if (!signal.aborted) retryTimer = clock.setTimeout(() => receive(step), patience);
    } finally {
      bridging = false;
      // If the hub stopped and restarted meanwhile, the queued steps belong to the new run.
      if (phase !== 'idle') for (const each of waiting.splice(0)) receive(each);
    }
  }

  async function pathTo(step: RelayStep, signal: AbortSignal): Promise<RelayStep> {
    const links = memory.links();
    const [oldest, tip] = [links[0] as BlockLink, step.added.at(-1) as RelayBlock];
    // The chain was reset to below the oldest known block, so that no path can be found.
    if (heightOf(tip) < heightOf(oldest)) return { ...step, removed: [...links].reverse() };
    const paths = createPathFinder({ blocks, maxDepth: rememberedBlocks });
    for (const block of step.added) paths.headers.set(block.hash, block);
    const path = await paths.pathTo(tip, {
      chain: links,
      walked: Math.max(headers, step.added.length),
      signal,
    });
    return { ...toRelayStep(path, step.seen), logs: step.logs };
  }

  function apply(step: RelayStep): void {
    const begun = clock.monotonic();
    const isNews = isAnyActive();
    number += 1;
    steppedAt = now();
    memory.add(step);
    if (isNews) chargeLogs(step);
    for (const each of open.values()) {
      if (each.topic.kind === 'newHeads') pushHeads(each, step);
      else if (each.topic.kind === 'graft_steps') pushStep(each, step);
      else if (isNews) each.logs?.add(step, number);
    }
    if (step.removed.length > 0) metrics?.reorganisation(chain.chainId);
    const newest = step.added.at(-1);
    if (isNews && newest) {
      metrics?.fanout(chain.chainId, (clock.monotonic() - begun) / 1_000);
      metrics?.pushDelay(chain.chainId, Math.max(0, now() / 1_000 - Number(newest.timestamp)));
    }
    settle();
  }

  /**
   * Charges the one request for the logs of each block: those whose filters may match it pay it together, all of them where
   * the leader has read the logs for the others. Those that have used up their day are ended before.
   */
  function chargeLogs({ added, logs }: RelayStep): void {
    const filters = [...open.values()].filter(({ mayMatch }) => mayMatch !== undefined);
    if (filters.length === 0) return;
    for (const block of added) {
      if (hasNoLogs(block)) continue;
      const wasRead = logs !== undefined && Object.hasOwn(logs, block.hash);
      const members = filters
        .filter(({ mayMatch }) => wasRead || mayMatch?.(block.logsBloom))
        .flatMap((each) => [...each.members].filter(({ isWaiting }) => !isWaiting));
      for (const { payer, subscriber } of members) if (payer?.spent()) subscriber.cut?.('exhausted');
      chargeTogether(members.filter(({ payer }) => !payer?.spent()));
    }
  }

  function chargeTogether(members: readonly Member[]): void {
    for (const { payer } of members) payer?.charge(1 / members.length);
  }

  function pushHeads(to: OpenTopic, { added }: RelayStep): void {
    for (const block of added) {
      const result = once(() => JSON.stringify(headerOf(block)));
      push(to, result, replaceable, (member) => !member.isWaiting);
    }
  }

  function pushStep(to: OpenTopic, step: RelayStep): void {
    const frame = { isReplaceable: false, tip: step.added.at(-1)?.hash };
    const result = () => textOf(step);
    // A member with a `since` gets the steps after it once the head is known.
    push(to, result, frame, (member) => !(member.isLost || (member.isWaiting && member.since !== undefined)));
    const [first] = step.added;
    const missed = first && heightOf(first) > 0 ? ({ from: '0x0', to: below(first) } as const) : undefined;
    const whole = once(() => resultOf(missed ? { ...step, removed: [], missed } : step));
    push(to, whole, frame, (member) => member.isLost);
    for (const member of to.members) member.isLost = false;
  }

  /** Sends the steps after a block, or that they are not known. */
  function catchUp(member: Member): void {
    if (member.since === undefined) return;
    const steps = memory.since(member.since);
    const head = memory.head();
    const pushOne = (result: string, tip: Hash | undefined) =>
      pushTo(member.subscriber, result, { isReplaceable: false, tip });
    const texts = steps?.map(textOf);
    const size = texts?.reduce((sum, text) => sum + text.length, 0) ?? 0;
    // A client that may not have them again reads the blocks itself.
    const isRefused = size > 0 && (size > maxReplayed || member.payer?.replay(size) !== undefined);
    if (steps && texts && !isRefused)
      for (const [i, text] of texts.entries()) pushOne(text, steps[i]?.added.at(-1)?.hash);
    else if (head) {
      const missed = { from: '0x0', to: head.number } as const;
      pushOne(resultOf({ removed: [], added: [], missed, seen: now() }), head.hash);
    } else member.isLost = true;
  }

  const texts = new WeakMap<RelayStep, string>();
  /** The text of a step, which is made once. */
  function textOf(step: RelayStep): string {
    const text = texts.get(step) ?? resultOf(step);
    texts.set(step, text);
    return text;
  }

  const resultOf = ({ removed, added, missed, seen }: RelayStep): string =>
    JSON.stringify({ removed, added, missed, interval: chain.interval(), seen });

  function push(to: OpenTopic, result: () => string, frame: Frame, isFor: (member: Member) => boolean): void {
    const { id } = to.topic;
    const shared = once(() => envelope(id, result()));
    for (const member of [...to.members]) {
      const { subscriber } = member;
      if (!isFor(member) || !to.members.has(member)) continue;
      if (subscriber.id === id) pushText(subscriber, shared(), frame);
      else pushTo(subscriber, result(), frame);
    }
  }

  function setKeepAlive(): void {
    const isWanted = !passive && [...open.values()].some(({ topic }) => topic.kind === 'graft_steps');
    if (isWanted === (keepAlive !== undefined)) return;
    clock.clearTimeout(keepAlive);
    keepAlive = isWanted ? clock.setTimeout(sendKeepAlive, keepAliveInterval) : undefined;
  }

  function sendKeepAlive(): void {
    keepAlive = undefined;
    setKeepAlive();
    steppedAt = now();
    const frame = { isReplaceable: false, tip: memory.head()?.hash };
    for (const each of open.values()) {
      if (each.topic.kind !== 'graft_steps') continue;
      const result = once(() => resultOf({ removed: [], added: [], seen: now() }));
      push(each, result, frame, (member) => !member.isWaiting);
    }
  }

  /** The logs of a step's block: the leader's, none by its bloom, or read here. */
  const logsOf = async (step: RelayStep, block: RelayBlock) => {
    const logs = step.logs && Object.hasOwn(step.logs, block.hash) ? step.logs[block.hash] : undefined;
    return logs ?? (hasNoLogs(block) ? [] : chain.logsOf(block));
  };

  function openTopic(topic: Topic, restored: boolean): OpenTopic {
    const { criteria } = topic;
    const matcher = criteria && createMatcher(criteria);
    const members = new Set<Member>();
    const logs =
      criteria &&
      createLogTopic({
        criteria,
        chain,
        clock,
        logsOf,
        onRequest: () => chargeTogether([...members]),
        delivered: restored && matcher ? deliveredBefore(matcher) : undefined,
        onGap(gapWith) {
          for (const { isWaiting, joined, subscriber } of [...members])
            if (!isWaiting && joined < gapWith) subscriber.cut?.('gap');
        },
        emit(log, deliveredWith) {
          const result = once(() => JSON.stringify(canonicalLog(log)));
          push(to, result, plain, (member) => !member.isWaiting && member.joined < deliveredWith);
        },
      });
    const to: OpenTopic = { topic, members, mayMatch: matcher?.mayMatch, logs };
    open.set(topic.key, to);
    engine.logs.want(isAnyLogs());
    return to;
  }

  const isAnyLogs = () => [...open.values()].some(({ logs }) => logs !== undefined);

  /** The blocks whose logs the subscribers of a restored topic have had, as far as the engine's steps have the logs. */
  function deliveredBefore({ matches }: Matcher): readonly DeliveredBlock[] {
    const links = new Set(memory.links().map(({ hash }) => hash));
    return engine.recent().flatMap(({ added, logs }) =>
      added.flatMap(({ number, hash }) => {
        const wanted = links.has(hash) && logs?.[hash]?.filter(matches);
        return wanted && wanted.length > 0 ? [{ number, hash, logs: wanted }] : [];
      }),
    );
  }

  return {
    subscribe(topic, subscriber, { since, restored, payer }) {
      // Only filters of logs are limited: all pages need the subscriptions to blocks to keep up.
      if (topic.kind === 'logs' && !open.has(topic.key) && open.size >= maxTopics)
        throw limitExceeded(`There are too many different subscriptions (${maxTopics})`, { reason: 'full' });
      const recent = engine.recent();
      if (phase === 'idle' && recent.length > 0) memory = createStepMemory(recent);
      const to = open.get(topic.key) ?? openTopic(topic, restored);
      const member: Member = {
        subscriber,
        payer,
        // A restored one has had the blocks that were delivered with step 0.
        joined: restored ? -1 : number,
        isWaiting: !restored,
        since,
        isLost: false,
      };
      to.members.add(member);
      setKeepAlive();
      clock.clearTimeout(lingering);
      if (phase === 'idle') start(payer, restored);
      else if (phase === 'live' && member.isWaiting) {
        member.isWaiting = false;
        catchUp(member);
      }
      return {
        ready: phase === 'starting' ? ready : Promise.resolve(),
        end() {
          if (!to.members.delete(member)) return;
          if (to.members.size > 0) return;
          to.logs?.close();
          if (open.get(topic.key) === to) open.delete(topic.key);
          engine.logs.want(isAnyLogs());
          setKeepAlive();
          if (open.size === 0 && phase !== 'idle') linger();
        },
      };
    },
    async poll() {
      stopIfUnused();
      if (open.size === 0) return;
      // At its beginning the leader polls by itself.
      if (phase === 'starting') await ready;
      else if (leader) await chain.follower?.catchUp();
      if (phase === 'live' && now() - steppedAt >= keepAliveInterval) sendKeepAlive();
    },
    followsSince: () => (open.size > 0 ? followedAt : undefined),
    leadsSince: () => (leader ? electedAt : undefined),
    close() {
      for (const { logs } of open.values()) logs?.close();
      open.clear();
      if (phase !== 'idle') stop();
    },
  };
}

/** The header of `newHeads`: a block without its transactions and siblings. */
function headerOf(block: RelayBlock): object {
  const { transactions: _, uncles: __, ...header } = canonicalBlock(block);
  return header;
}

const envelope = (id: Hex, result: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`;

const pushTo = (subscriber: Subscriber, result: string, frame: Frame): void =>
  pushText(subscriber, subscriber.id === null ? result : envelope(subscriber.id, result), frame);

/** A connection that fails must not keep a step from the others. */
function pushText(subscriber: Subscriber, text: string, frame: Frame): void {
  try {
    subscriber.push(text, frame);
  } catch {
    // Its owner learns of it from the connection itself.
  }
}

const below = (block: RelayBlock): Hex => `0x${(heightOf(block) - 1).toString(16)}`;

const plain: Frame = { isReplaceable: false };
const replaceable: Frame = { isReplaceable: true };

/** Different subscriptions of one chain. */
const maxTopics = 2_000;
/** Milliseconds between empty steps, so that a client sees that the connection lives. */
const keepAliveInterval = 15_000;
/** Milliseconds for which a new subscriber waits for the leader, and after which a lost step is looked for again. */
const patience = 1_000;
/** Characters of earlier steps that are sent again at once. */
const maxReplayed = 2 ** 19;
/** Milliseconds: after a longer rest, the blocks mined during it are not read. */
const maxRest = 600_000;

export declare namespace createHub {
  interface Options {
    readonly chain: RelayChain;
    readonly engine: Engine;
    readonly clock: Clock;
    /**
     * Maximum newest blocks of a gap that are read one by one, and so reported; each costs a request. Default 1,024, as in a
     * wallet.
     */
    readonly headers?: number | undefined;
    /** Has no timers of its own: {@link Hub.poll} is called instead. Default false. */
    readonly passive?: boolean | undefined;
    readonly metrics?: Pick<Metrics, 'reorganisation' | 'fanout' | 'pushDelay'> | undefined;
  }
}
