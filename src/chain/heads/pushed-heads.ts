import { type Clock, systemClock } from '../../async/clock.js';
import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import { checkBlock } from '../../rpc/results.js';
import type { Hash } from '../../rpc/schema.js';
import type { Service } from '../../service/service.js';
import { isHeadPoll } from '../../service/steady/contradiction.js';
import type { SteadyService } from '../../service/steady/steady-service.js';
import { heightOf, type MinedBlock } from '../blocks.js';
import { pageVisibility, type Visibility } from '../visibility.js';
import type { HeadSource } from './head-source.js';

/**
 * Makes the follower poll when a {@link HeadSource} reports a new head, so that it need not poll in between. A source earns
 * trust by heads that arrive: before the first one the head is polled as without it, and once a minute afterwards. A
 * poll that shows a head first takes the trust away. A source whose hints are not confirmed, or that misses a head, counts
 * as lost.
 */
export interface PushedHeads {
  /** The service of this tab, with the blocks that a trusted source has sent. */
  readonly service: Service;
  /** Whether the source has earned trust, so that a poll a minute is enough. */
  isLive(): boolean;
  /** Whether this tab sends requests to the service: it leads, or tabs cannot share. The source is open only then. */
  setActive(active: boolean): void;
  close(): void;
}

interface Hint extends HeadSource.Hint {
  /** Polls that have not shown it. */
  misses: number;
  /** Whether the source reports it for the first time, and as a new head. */
  readonly isNew?: boolean | undefined;
}

export function createPushedHeads(given: createPushedHeads.Options): PushedHeads {
  const options = own(given);
  const { service, source, clock = systemClock, visibility = pageVisibility } = options;
  let connection: HeadSource.Connection | undefined;
  let unwatch: (() => void) | undefined;
  let isActive = false;
  let isLive = false;
  /** Whether a head has arrived since the connection, and no poll has shown one first afterwards. */
  let isTrusted = false;
  let liveSince = 0;
  let isClosed = false;

  /** Hints that no poll has confirmed, oldest first. */
  let waiting: Hint[] = [];
  /** Hashes of all heads that were reported, the oldest first. */
  const reported = new Set<Hash>();
  /** Blocks that were pushed, by hash, the oldest first. */
  const blocks = new Map<Hash, MinedBlock>();
  /** The pushed head, where no poll has shown a higher one. */
  let tip: { readonly block: MinedBlock; readonly at: number; used: boolean } | undefined;
  /** Hints in a row that the poll after them did not confirm. */
  let unconfirmed = 0;

  /** The head that the last poll showed. */
  let polled = { hash: '', height: -1 };
  let polls = 0;
  let highest = -1;
  /** Whether a head that is not reported shows that the source misses some: after its first poll while live. */
  let isJudging = false;
  let wakeTimer: unknown;
  let wakeAt = Number.NEGATIVE_INFINITY;
  let isWaking = false;
  let failures = 0;
  let missingTimer: unknown;
  let idleTimer: unknown;
  /** When a poll last came from outside: milliseconds since 1970. */
  let usedAt = clock.now();
  let isIdle = false;

  const isKnown = (hash: Hash) => (options.isFollowing() ? options.isKnown(hash) : polled.hash === hash);

  function update(): void {
    const isWanted = isActive && !isIdle && !isClosed && visibility.visible();
    if (isWanted === (connection !== undefined)) return;
    if (isWanted) connect();
    else disconnect();
  }

  function connect(): void {
    let isOpen = true;
    const opened = source.open({
      head: (hint) => isOpen && onHint(own(hint)),
      state: (state) => isOpen && setLive(state === 'live'),
    });
    connection = {
      ...opened,
      close() {
        isOpen = false;
        opened.close();
      },
    };
    watchIdleness();
  }

  function disconnect(): void {
    connection?.close();
    connection = undefined;
    clock.clearTimeout(idleTimer);
    setLive(false);
  }

  /** Closes the source once no subscription here, and no other tab, has used a poll of this tab for {@link idleTimeout}. */
  function watchIdleness(): void {
    idleTimer = clock.setTimeout(() => {
      if (options.isFollowing()) usedAt = clock.now();
      isIdle = clock.now() - usedAt >= idleTimeout;
      if (isIdle) update();
      else watchIdleness();
    }, idleTimeout);
  }

  function setLive(next: boolean): void {
    if (isLive === next) return;
    isLive = next;
    if (next) liveSince = clock.now();
    isJudging = false;
    clock.clearTimeout(missingTimer);
    missingTimer = undefined;
    unconfirmed = 0;
    // Blocks that were mined before it was live are not reported.
    waiting = next ? [own({ misses: 0 })] : [];
    if (next) wake(0);
    else {
      clock.clearTimeout(wakeTimer);
      tip = undefined;
      blocks.clear();
      distrust();
    }
  }

  function trust({ isNew, height = polled.height }: Hint): void {
    if (isLive && isNew && height >= polled.height) isTrusted = true;
  }

  /** Polling goes on at once. */
  function distrust(): void {
    if (!isTrusted) return;
    isTrusted = false;
    if (!isClosed && visibility.visible() && options.isFollowing()) options.onLost();
  }

  function onHint(hint: HeadSource.Hint): void {
    const { hash, height } = hint;
    if (hash === undefined) waiting.push(own({ misses: 0 }));
    else {
      // Missed heads are replayed when it is live again: they show nothing about later ones.
      const isNew = !reported.has(hash) && Math.abs(clock.now() - liveSince) >= replayTime;
      const next: Hint = own({ hash, height, misses: 0, isNew });
      remember(hash);
      keepBlocks(hint.blocks ?? []);
      if (isKnown(hash)) {
        unconfirmed = 0;
        if (source.isPolled) trust(next);
        return;
      }
      if (waiting.some((each) => each.hash === hash)) return;
      waiting.push(next);
    }
    waiting = waiting.slice(-maxWaiting);
    failures = 0;
    wake(0);
  }

  function remember(hash: Hash): void {
    reported.delete(hash);
    reported.add(hash);
    for (const oldest of reported) if (reported.size > maxReported) reported.delete(oldest);
  }

  function keepBlocks(pushed: readonly unknown[]): void {
    for (const each of pushed as readonly MinedBlock[]) {
      remember(each.hash);
      blocks.delete(each.hash);
      blocks.set(each.hash, each);
    }
    for (const oldest of blocks.keys()) if (blocks.size > maxBlocks) blocks.delete(oldest);
    const block = pushed.at(-1) as MinedBlock | undefined;
    if (!block) return;
    // One that is late, or of a lower fork, is not taken for the head: the next poll is sent to the service.
    const known = Math.max(polled.height, tip ? heightOf(tip.block) : -1);
    if (
      heightOf(block) > known ||
      (tip === undefined && heightOf(block) === known && block.hash !== polled.hash)
    )
      tip = { block, at: clock.now(), used: false };
  }

  /** Polls after `delay` milliseconds, at most once a second. */
  function wake(delay: number): void {
    if (isWaking) return;
    clock.clearTimeout(wakeTimer);
    const pause = Math.max(delay, Math.min(wakeAt + minPause - clock.now(), minPause));
    wakeTimer = clock.setTimeout(() => void pollForHints(), pause);
  }

  async function pollForHints(): Promise<void> {
    isWaking = true;
    wakeAt = clock.now();
    const judged = [...waiting];
    const before = polls;
    const failed = await options.poll().then(
      () => false,
      () => true,
    );
    isWaking = false;
    if (!isLive) return;
    const hasPolled = polls > before;
    for (const hint of judged) judge(hint, failed, hasPolled);
    if (unconfirmed >= maxUnconfirmed) {
      fail();
      return;
    }
    if (waiting.length === 0) return;
    const isNew = waiting.some((hint) => !judged.includes(hint));
    // Answered with an earlier poll: nothing has been found out yet.
    const isRepeated = !hasPolled && !failed && failures === 0;
    if (isRepeated) wakeAt = Number.NEGATIVE_INFINITY;
    if (!isNew) failures += 1;
    wake(isNew || isRepeated ? 0 : Math.min(minPause * 2 ** (failures - 1), options.interval()));
  }

  function judge(hint: Hint, failed: boolean, hasPolled: boolean): void {
    const { hash, height } = hint;
    if (failed) return;
    const isConfirmed = hash === undefined ? hasPolled : isKnown(hash);
    if (!isConfirmed) {
      if (!hasPolled) return;
      hint.misses += 1;
      // A lagging node may have answered. A block beside the chain is never confirmed.
      const isBeside = height !== undefined && polled.height > height;
      if (hint.misses === 1) unconfirmed += 1;
      if (!isBeside && hint.misses < maxMisses) return;
    } else if (hash !== undefined) {
      unconfirmed = 0;
      trust(hint);
    }
    waiting = waiting.filter((each) => each !== hint);
  }

  /** The hints are false, or heads are missing. */
  function fail(): void {
    const failed = connection;
    setLive(false);
    failed?.fail();
  }

  function notePoll(block: MinedBlock): void {
    const { hash } = own(block);
    const height = heightOf(block);
    const isMissing = isLive && isJudging && height > highest && !reported.has(hash);
    if (isMissing && !source.isPolled) distrust();
    if (isMissing && missingTimer === undefined)
      missingTimer = clock.setTimeout(() => {
        missingTimer = undefined;
        if (isLive && !reported.has(hash)) fail();
      }, source.maxDelay());
    isJudging = isLive;
    highest = Math.max(highest, height);
    polled = { hash, height };
    if (tip && heightOf(tip.block) < height) tip = undefined;
  }

  /** A pushed block as a reply; `undefined` if the request's own check refuses it. */
  function answerWith(block: MinedBlock, check: Service.RequestOptions['check']): MinedBlock | undefined {
    const copy = JSON.parse(JSON.stringify(block)) as MinedBlock;
    try {
      checkBlock(copy);
      check?.(copy);
      // Where the service is verified, a pushed block that shows no work is read instead.
      if (!service.verification || service.verification.peek()?.holds(copy)) return copy;
    } catch {}
    blocks.delete(block.hash);
    return undefined;
  }

  function pushedHead(check: Service.RequestOptions['check']): MinedBlock | undefined {
    if (!tip) return undefined;
    const age = clock.now() - tip.at;
    if (age < 0 || age >= (tip.used ? usableAgainFor : usableFor)) return undefined;
    const head = answerWith(tip.block, check);
    if (!head) {
      tip = undefined;
      return undefined;
    }
    tip.used = true;
    return head;
  }

  async function pollHead(...call: Parameters<Service['request']>): Promise<unknown> {
    const [method, params, requestOptions] = call;
    if (!isWaking || options.isFollowing()) {
      usedAt = clock.now();
      isIdle = false;
      update();
    }
    polls += 1;
    const at = tip?.at;
    const pushed = pushedHead(own(requestOptions).check);
    if (pushed && (options.accepts?.(method, params, pushed) ?? true)) {
      polled = { hash: pushed.hash, height: heightOf(pushed) };
      highest = Math.max(highest, polled.height);
      options.onAnswer(method, params, pushed, at as number);
      return pushed;
    }
    const block = await service.request(...call);
    if (isMined(block)) notePoll(block);
    return block;
  }

  return {
    service: {
      ...service,
      async request(method, params, requestOptions) {
        if (isHeadPoll(method, params)) return pollHead(method, params, requestOptions);
        const block = method === 'eth_getBlockByHash' ? blocks.get(params[0] as Hash) : undefined;
        const pushed = block && params[1] === false && answerWith(block, own(requestOptions).check);
        return pushed || service.request(method, params, requestOptions);
      },
    },
    isLive: () => isTrusted,
    setActive(active) {
      if (isActive === active || isClosed) return;
      isActive = active;
      if (active) unwatch = visibility.watch(update);
      else unwatch?.();
      isIdle = false;
      usedAt = clock.now();
      update();
    },
    close() {
      isClosed = true;
      unwatch?.();
      disconnect();
    },
  };
}

function isMined(block: unknown): block is MinedBlock {
  const { hash, number } = membersOf(block);
  return typeof hash === 'string' && typeof number === 'string';
}

/** Milliseconds: at most one poll a second for hints. */
const minPause = 1_000;
const maxWaiting = 16;
/** Hashes, and blocks. */
const maxReported = 512;
const maxBlocks = 128;
/** Polls that do not show a hint before it is given up; hints in a row after which the source is. */
const maxMisses = 5;
const maxUnconfirmed = 3;
/** Milliseconds for which a pushed head answers the first poll, and further ones. */
const usableFor = 10_000;
const usableAgainFor = 1_000;
/** Milliseconds after the beginning in which heads may be replayed. */
const replayTime = 1_000;
/** Milliseconds without a poll. */
const idleTimeout = 150_000;

export declare namespace createPushedHeads {
  interface Options {
    /** The service of this tab alone. */
    readonly service: Service;
    readonly source: HeadSource;
    /** Polls the head through {@link PushedHeads.service}, for all tabs. */
    readonly poll: () => Promise<unknown>;
    /** Whether the follower of this tab has passed on a block. */
    readonly isKnown: (hash: Hash) => boolean;
    /** Whether the follower of this tab has listeners. */
    readonly isFollowing: () => boolean;
    /** Milliseconds between polls without a source. */
    readonly interval: () => number;
    /** Called when the source has lost its trust: polling has to go on at once. */
    readonly onLost: () => void;
    /** Called with each pushed head that has answered a poll; `at`: when it arrived, milliseconds since 1970. */
    readonly onAnswer: SteadyService['note'];
    /** Whether a pushed head contradicts nothing that was seen; else the service is asked. */
    readonly accepts?: SteadyService['accepts'] | undefined;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
  }
}
