import type { Clock } from '../../async/clock.js';
import { createQueue } from '../../async/mutex.js';
import { linkOf, type MinedBlock } from '../../chain/blocks.js';
import { type Follower, rememberedBlocks } from '../../chain/follower.js';
import { createPoller } from '../../chain/poller.js';
import { walkedBlocks } from '../../chain/reorg-path.js';
import type { Visibility } from '../../chain/visibility.js';
import { badReply, limitExceeded } from '../../rpc/core-errors.js';
import { toQuantity } from '../../rpc/hex.js';
import { createMatcher } from '../../rpc/matcher.js';
import { own } from '../../rpc/own.js';
import type { Log, LogCriteria } from '../../rpc/schema.js';
import type { LogRanges } from '../../service/logs/ranges.js';
import type { Service } from '../../service/service.js';
import type { Storage } from '../../storage/storage.js';
import { createBackfill, maxBackfill } from '../backfill.js';
import { createChainCursor } from '../chain-cursor.js';
import { createDeliveredBlocks } from '../delivered-blocks.js';
import { maxHeaders } from '../ids.js';
import { createHeadDelivery, createLogDelivery, type Deliver } from '../log-delivery.js';
import type { LogsOf } from '../logs-of-block.js';
import { createCursorStore } from './cursor-store.js';

/**
 * Subscriptions that continue after a reload where the previous page stopped: first the missed events, then new ones.
 *
 * Delivery is at least once: events are recorded before and again after they are delivered. If the page dies in between,
 * they are delivered again with the same identity (block hash, transaction hash, log index), at most some hundred logs.
 * A reload at any other moment repeats nothing, and no event is skipped.
 *
 * Each subscription has a cursor of its own. The follower only provides the head: it knows nothing of earlier pages, and
 * its node may lag behind what they saw.
 */
export type ResumeSubscription = (wanted: DurableRequest, emitters: Emitters) => DurableSubscription;

export interface DurableSubscription {
  /**
   * Settles once the head is known, or when the request for it has failed.
   * @throws ProviderRpcError -32005 (`data.reason` is `gap`) if more blocks were missed than are read, or the cursor of the
   * name was dropped; subscribed again, the name starts at the head.
   */
  readonly ready: Promise<void>;
  /** The page has received the id: delivery may begin. */
  open(): void;
  /** @param isUnsubscribed whether the page has ended it: a cursor whose name begins with `~` is forgotten then */
  end(isUnsubscribed?: boolean): void;
}

export type DurableRequest =
  | { readonly kind: 'newHeads'; readonly resume: string }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria; readonly resume: string };

interface Emitters {
  readonly emitHeader: (block: MinedBlock) => void;
  readonly emitLog: (log: Log) => void;
}

export function createDurableSubscriptions(options: createDurableSubscriptions.Options): ResumeSubscription {
  const { service, follower, logsOf, logRanges, storage, origin, clock, visibility } = options;
  const cursors = createCursorStore({ storage, origin, clock, chainId: service.network.chainId });
  /** How many delivered blocks to keep for rollbacks, within a bound on storage. */
  const kept = { maxBlocks: rememberedBlocks, heights: rememberedBlocks, size: maxKept };

  return (wanted, emitters) => {
    const { kind, resume } = wanted;
    const criteria = kind === 'logs' ? wanted.criteria : {};
    const stored = cursors.open(resume, JSON.stringify([kind, criteria]));
    const ended = new AbortController();
    const { signal } = ended;
    const active = () => !signal.aborted;
    const walked = kind === 'logs' ? walkedBlocks : maxHeaders;
    let delivered = createDeliveredBlocks(kept);
    const cursor = createChainCursor({
      service,
      walked,
      ringSize: rememberedBlocks,
      signal,
      delivered: () => delivered.blocks(),
    });
    let deliver = createDelivery();
    /** Events recorded as about to be delivered; with `perhapsUndelivered`, by an earlier page that died before it recorded the delivery. */
    let delivering: readonly Log[] = [];
    /** How many of them were delivered. */
    let done = 0;
    let perhapsUndelivered: readonly Log[] = [];
    let unsaved = false;
    let savedAt = Number.NEGATIVE_INFINITY;
    let end: (() => void) | undefined;
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    /** Processes one step after another, once the page has received the id. */
    const inTurn = createQueue();
    void inTurn(() => opened);

    function createDelivery(): Deliver {
      if (kind === 'newHeads') {
        const emit = (block: MinedBlock) => {
          unsaved = true;
          emitters.emitHeader(block);
        };
        return createHeadDelivery({ cursor, emit, active });
      }
      return createLogDelivery({
        ...{ cursor, delivered, logsOf, active, emit: emitLog, beforeEmit: save },
        matcher: createMatcher(criteria),
        backfill: createBackfill({ service, logRanges, criteria, signal }),
      });
    }

    function emitLog(log: Log): void {
      done += 1;
      emitters.emitLog(log);
    }

    function save(next: readonly Log[]): Promise<void> {
      [delivering, done] = [next, 0];
      unsaved = next.length > 0;
      savedAt = clock.now();
      return stored.save({ ...cursor.links(), deliveredBlocks: delivered.blocks(), delivering });
    }

    /** A delivery is recorded at once; a step without events only from time to time. */
    function commit(): void {
      if (!active() || !cursor.head()) return;
      if (unsaved || clock.now() - savedAt >= idlePause) void save([]);
    }

    async function follow(
      step: Follower.Step,
      isRemovedLater: Parameters<Follower.Listener>[1],
    ): Promise<void> {
      const tip = step.added.at(-1);
      // Skip a step whose last block has been reorganised: the next step starts at the cursor again.
      if (!active() || !tip || isRemovedLater(tip)) return;
      if (!cursor.head()) {
        const [{ number, parentHash }] = step.added as [MinedBlock];
        cursor.start({ links: [], reached: { number: toQuantity(Number(number) - 1), hash: parentHash } });
      }
      const path = await cursor.pathTo(step);
      try {
        if (path && active()) await deliver(path, isRemovedLater);
      } finally {
        commit();
      }
    }

    const listener: Follower.Listener = (step, isRemovedLater) => inTurn(() => follow(step, isRemovedLater));

    /** Catches up with the follower's head; the follower delivers only newer blocks. */
    const poller = createPoller({
      async run() {
        const head = follower.head();
        for (const log of perhapsUndelivered) if (active()) emitLog(log);
        perhapsUndelivered = [];
        commit();
        if (!head) await follower.catchUp();
        const tip = head ?? follower.head();
        if (!tip) throw badReply('eth_getBlockByNumber', 'no head');
        startAt(tip);
        await listener({ removed: [], added: [tip], missed: undefined }, () => false);
        poller.stop();
      },
      interval: () => retryPause,
      clock,
      visibility,
    });

    function startAt(tip: MinedBlock): void {
      if (cursor.head()) return;
      cursor.start({ links: [linkOf(tip)], reached: undefined });
      void save([]);
    }

    async function prepare(): Promise<void> {
      const progress = await stored.load();
      if (!progress && (await stored.takeLoss()))
        throw gap(
          'the position of this name was dropped, because it was unused for 30 days or this site has too many names',
        );
      if (!active()) return;
      if (progress) {
        cursor.start(progress);
        delivered = createDeliveredBlocks({ ...kept, delivered: progress.deliveredBlocks });
        deliver = createDelivery();
        delivering = perhapsUndelivered = progress.delivering;
        unsaved = perhapsUndelivered.length > 0;
        savedAt = clock.now();
      }
      end = follower.watch(listener, { headers: walked });
      await follower.catchUp().catch(() => {});
      const head = follower.head();
      if (!head || !active()) return;
      startAt(head);
      const missed = Number(head.number) - Number(cursor.head()?.number);
      if (kind !== 'logs' || missed <= maxBackfill) return;
      unsaved = false;
      await stored.forget();
      throw gap(`${missed} blocks were missed under this name, at most ${maxBackfill} are read`);
    }

    return {
      ready: prepare(),
      open() {
        open();
        if (active()) poller.start();
      },
      end(isUnsubscribed) {
        if (isUnsubscribed && resume.startsWith('~')) void stored.forget();
        else if (unsaved && cursor.head()) void save(delivering.slice(done));
        ended.abort();
        end?.();
        poller.stop();
        open();
      },
    };
  };
}

/** Events between the last delivery and the head are not delivered. The next subscription with this name starts at the head. */
const gap = (reason: string) =>
  limitExceeded(`params[1].resume: ${reason}; subscribe again to start at the head`, own({ reason: 'gap' }));

/** Characters. */
const maxKept = 2 ** 20;
/** Milliseconds between two records of steps without events. After a reload the steps since then are read again, without a delivery. */
const idlePause = 60_000;
/** Milliseconds between attempts while no path from the cursor to the head is found. */
const retryPause = 5_000;

export declare namespace createDurableSubscriptions {
  interface Options {
    readonly service: Service;
    readonly follower: Follower;
    readonly logsOf: LogsOf;
    readonly logRanges: LogRanges;
    /** Stores the cursors. */
    readonly storage: Storage;
    /** The page's origin: each origin has names of its own. */
    readonly origin: string;
    readonly clock: Clock;
    readonly visibility: Visibility | undefined;
  }
}
