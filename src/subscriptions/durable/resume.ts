import { type Clock, systemClock } from '../../async/clock.js';
import { linkOf, type MinedBlock } from '../../chain/blocks.js';
import type { Follower } from '../../chain/follower.js';
import { createPoller } from '../../chain/poller.js';
import { unsettledBlocks } from '../../chain/reorg-path.js';
import type { Visibility } from '../../chain/visibility.js';
import { badReply, limitExceeded } from '../../rpc/errors.js';
import { toQuantity } from '../../rpc/hex.js';
import { createMatcher } from '../../rpc/matcher.js';
import { own } from '../../rpc/own.js';
import type { Log, LogCriteria } from '../../rpc/schema.js';
import type { LogRanges } from '../../service/logs/ranges.js';
import type { Service } from '../../service/service.js';
import type { Storage } from '../../storage/storage.js';
import { createBackfill, mostBlocks, mostHeaders } from '../backfill.js';
import { createChainCursor } from '../chain-cursor.js';
import { createHeadDelivery, createLogDelivery, type Deliver } from '../deliver.js';
import { createDeliveredBlocks } from '../delivered-blocks.js';
import type { LogsOf } from '../logs.js';
import { createCursorStore } from './cursor-store.js';

/**
 * Subscriptions that go on, after a reload, where the page was left: first what was missed, then what comes.
 *
 * At least once: what is told is noted before, and noted as told after. A page that dies between the two is told
 * the same again, with the same identity (block hash, transaction hash, log index), at most some hundred logs; it
 * is never told less. A reload at any other moment repeats nothing.
 *
 * The position is this subscription's own. The follower only says where the chain is: it knows nothing of earlier
 * pages, and may itself be told by a node that lags behind what they saw.
 */
export interface DurableSubscriptions {
  begin(wanted: DurableRequest): DurableSubscription;
}

export interface DurableSubscription {
  /**
   * Settles once it is known where the chain stands, or when the service could not be asked.
   * @throws ProviderRpcError -32005 where more was missed than is read; the name starts anew.
   */
  readonly ready: Promise<void>;
  /** The page knows the id: from now on it is told. */
  open(): void;
  end(): void;
}

export type DurableRequest =
  | { readonly kind: 'newHeads'; readonly resume: string; readonly emit: (block: MinedBlock) => void }
  | {
      readonly kind: 'logs';
      readonly criteria: LogCriteria;
      readonly resume: string;
      readonly emit: (log: Log) => void;
    };

export function createDurableSubscriptions(
  options: createDurableSubscriptions.Options,
): DurableSubscriptions {
  const { service, follower, logsOf, logRanges, ringSize, clock = systemClock, visibility } = own(options);
  const { storage, origin } = own(options);
  const cursors = createCursorStore({ storage, origin, clock, chainId: service.network.chainId });
  /** Of what was told: what a reorganisation may still take back, without filling the disk. */
  const kept = { most: ringSize, heights: ringSize, size: mostKept };

  function begin(wanted: DurableRequest): DurableSubscription {
    const { kind, resume } = wanted;
    const criteria = kind === 'logs' ? wanted.criteria : {};
    const stored = cursors.open(resume, JSON.stringify([kind, criteria]));
    const ended = new AbortController();
    const { signal } = ended;
    const active = () => !signal.aborted;
    const walked = kind === 'logs' ? unsettledBlocks : mostHeaders;
    const cursor = createChainCursor({ service, walked, ringSize, signal });
    let delivered = createDeliveredBlocks(kept);
    let deliver = createDelivery();
    /** What is noted as about to be told; `untold` by an earlier page that did not live to say that it was. */
    let telling: readonly Log[] = [];
    /** How many of them are. */
    let done = 0;
    let untold: readonly Log[] = [];
    let unsaved = false;
    let savedAt = Number.NEGATIVE_INFINITY;
    let end: (() => void) | undefined;
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let turn = opened;

    function createDelivery(): Deliver {
      if (wanted.kind === 'newHeads') {
        const emit = (block: MinedBlock) => {
          unsaved = true;
          wanted.emit(block);
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
      if (wanted.kind === 'logs') wanted.emit(log);
    }

    function save(next: readonly Log[]): Promise<void> {
      [telling, done] = [next, 0];
      unsaved = next.length > 0;
      savedAt = clock.now();
      return stored.save({ ...cursor.links(), told: delivered.blocks(), telling });
    }

    /** What was told is noted at once; that nothing was to be told, now and then. */
    function commit(): void {
      if (!active() || !cursor.head()) return;
      if (unsaved || clock.now() - savedAt >= idlePause) void save([]);
    }

    async function follow(
      step: Follower.Step,
      isRemovedLater: Parameters<Follower.Listener>[1],
    ): Promise<void> {
      const tip = step.added.at(-1);
      // A step whose end is gone again is passed over: the next one goes on from where the page stands.
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

    const listener: Follower.Listener = (step, isRemovedLater) => {
      const next = turn.then(() => follow(step, isRemovedLater));
      turn = next.catch(() => {});
      return next;
    };

    /** To where the follower stands now: it tells only what comes. */
    const poller = createPoller({
      async run() {
        const head = follower.head();
        for (const log of untold) if (active()) emitLog(log);
        untold = [];
        commit();
        if (!head) await follower.catchUp();
        const tip = head ?? follower.head();
        if (!tip) throw badReply('eth_getBlockByNumber', 'no head');
        startAt(tip);
        await listener({ removed: [], added: [tip] }, () => false);
        poller.stop();
      },
      interval: () => retryPause,
      clock,
      visibility,
    });

    function startAt(tip: MinedBlock): void {
      if (cursor.head()) return;
      cursor.start({ links: [linkOf(tip)] });
      void save([]);
    }

    async function prepare(): Promise<void> {
      const progress = await stored.load();
      if (!active()) return;
      if (progress) {
        cursor.start(progress);
        delivered = createDeliveredBlocks({ ...kept, delivered: progress.told });
        deliver = createDelivery();
        telling = untold = progress.telling;
        unsaved = untold.length > 0;
        savedAt = clock.now();
      }
      end = follower.watch(listener, { headers: walked });
      await follower.catchUp().catch(() => {});
      const head = follower.head();
      if (!head || !active()) return;
      startAt(head);
      const gap = Number(head.number) - Number(cursor.head()?.number);
      if (kind !== 'logs' || gap <= mostBlocks) return;
      unsaved = false;
      await stored.forget();
      throw limitExceeded(
        `params[1].resume: ${gap} blocks were missed under this name, at most ${mostBlocks} are read; asked again, it starts anew`,
      );
    }

    return {
      ready: prepare(),
      open() {
        open();
        if (active()) poller.start();
      },
      end() {
        if (unsaved && cursor.head()) void save(telling.slice(done));
        ended.abort();
        end?.();
        poller.stop();
        open();
      },
    };
  }

  return { begin };
}

/** Characters. */
const mostKept = 2 ** 20;
/** Milliseconds between two notes that nothing was told: what comes after is looked at again, and not told again. */
const idlePause = 60_000;
/** Milliseconds, while the service does not say how to get from where the page stands to where the chain does. */
const retryPause = 5_000;

export declare namespace createDurableSubscriptions {
  interface Options {
    readonly service: Service;
    readonly follower: Follower;
    readonly logsOf: LogsOf;
    readonly logRanges: LogRanges;
    /** Where names are kept. */
    readonly storage: Storage;
    /** The page's: names are its own. */
    readonly origin: string;
    readonly ringSize: number;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
  }
}
