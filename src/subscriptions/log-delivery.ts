import { heightOf, type MinedBlock } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';
import { baseOf, type ReorgPath } from '../chain/reorg-path.js';
import { limitExceeded } from '../rpc/core-errors.js';
import type { Matcher } from '../rpc/matcher.js';
import { own } from '../rpc/own.js';
import type { Hash, Log } from '../rpc/schema.js';
import { blocksInstead, isTooLarge } from '../service/logs/refusal.js';
import { type Backfill, maxBackfill, maxBlocksInParts } from './backfill.js';
import type { ChainCursor } from './chain-cursor.js';
import { type DeliveredBlocks, markPresent, sizeOf } from './delivered-blocks.js';
import type { DeliveredBlock } from './durable/cursor-store.js';
import { byBlock, isLogGap, type LogsOf } from './logs-of-block.js';

/** Delivers a reorg path to one subscriber. Safe to call again with the same path after a failure. */
export type Deliver = (path: ReorgPath, isRemovedLater: Parameters<Follower.Listener>[1]) => Promise<void>;

/** Emits the header of each added block. Missed blocks are skipped; the next header's number shows the gap. */
export function createHeadDelivery(options: createHeadDelivery.Options): Deliver {
  const { cursor, emit, active } = options;
  return async (path) => {
    cursor.rewind(path);
    for (const block of path.added) {
      if (!active()) return;
      cursor.advance(block);
      emit(block);
    }
  };
}

/**
 * Emits delivered logs of removed blocks again with `removed: true`, newest first; then the logs of added blocks: those
 * of missed heights as read by range, the others block by block. Nothing is emitted twice.
 */
export function createLogDelivery(options: createLogDelivery.Options): Deliver {
  const { delivered, matcher, logsOf, backfill, cursor, beforeEmit, emit, active, onGap } = own(options);
  let current: ReorgPath | undefined;
  /** Height up to which the current path is delivered. */
  let height = 0;
  /** Missed blocks to read at once. */
  let maxBlocks = maxBackfill;
  /** Heights of missed blocks that could not be read: each is read alone, after those below it. */
  const unreadable = new Set<number>();
  /** The newest gaps in a row. */
  let gaps = { to: 0, count: 0 };

  async function emitAll(logs: readonly Log[]): Promise<void> {
    if (logs.length === 0) return;
    await beforeEmit?.(logs);
    for (const log of logs) if (active()) emit(log);
  }

  /**
   * The logs of a block; none where they are a gap, which is reported. After so many gaps in a row of missed blocks it
   * rejects with the gap: the service lacks this part of the chain.
   */
  async function readOrSkip(block: MinedBlock, isMissed = false): Promise<readonly Log[]> {
    try {
      return await logsOf(block);
    } catch (error) {
      if (!isLogGap(error)) throw error;
      const at = heightOf(block);
      if (isMissed) gaps = { to: at, count: gaps.to === at - 1 ? gaps.count + 1 : 1 };
      if (isMissed && gaps.count > maxGaps) throw error;
      if (active()) onGap?.();
      return [];
    }
  }

  /** Removes the lowest delivered block that was removed, and all above it. */
  async function removeFrom(isRemoved: (block: DeliveredBlock) => boolean): Promise<void> {
    const first = delivered.above(height).find(isRemoved);
    if (first) await emitAll(delivered.remove(heightOf(first) - 1));
  }

  /**
   * Skips missed blocks that the service cannot read, and reports the gap once.
   * @throws the service's error if no block can be skipped
   */
  function skipTo(next: number, error: unknown): void {
    if (!(next > height)) throw error;
    const { message } = error as Error;
    globalThis.reportError?.(
      limitExceeded(`Logs of the blocks ${height + 1} to ${next} are not delivered: ${message}`),
    );
    if (active()) onGap?.();
    height = next;
  }

  const lowestUnreadable = () => Math.min(...[...unreadable].filter((each) => each > height));

  /** The last block of the next range. */
  function endOfRange(to: number): number {
    const lowest = lowestUnreadable();
    return lowest === height + 1 ? lowest : Math.min(to, height + maxBlocks, lowest - 1);
  }

  /** @param lastHash of the newest missed block, where it is known to be on the chain */
  async function deliverMissed(to: number, lastHash: Hash | undefined): Promise<void> {
    while (height < to) {
      const [end, before] = [endOfRange(to), lowestUnreadable()];
      const hash = end === to ? lastHash : undefined;
      let logs: readonly Log[];
      try {
        logs = await backfill(height + 1, end, {
          hash,
          readBlock: (block) => readOrSkip(block, true),
          onUnreadable: (at) => unreadable.add(at),
        });
      } catch (error) {
        const lowest = lowestUnreadable();
        if (lowest !== before && lowest > height + 1) continue;
        if (isLogGap(error)) {
          skipTo(to, error);
          continue;
        }
        const known = Math.max(blocksInstead(error) ?? Number.POSITIVE_INFINITY, maxBlocksInParts);
        // So many blocks fail alone that one call cannot read them all.
        if (isTooLarge(error) && to - known <= height && end > height + 1) maxBlocks = (end - height) >> 1;
        else skipTo(to - known, error);
        continue;
      }
      if (!active()) return;
      const { added, rollbackTo } = delivered.compare(height, end, blocksOf(logs.filter(matcher.matches)));
      if (rollbackTo !== null) await emitAll(delivered.remove(rollbackTo));
      for (const batch of inBatches(added)) {
        if (!active()) return;
        delivered.add(batch);
        cursor?.reach(batch.at(-1) as DeliveredBlock);
        await emitAll(batch.flatMap(({ logs }) => logs.map(markPresent)));
      }
      height = end;
    }
  }

  return async (path, isRemovedLater) => {
    const { removed, missed, added } = path;
    if (path !== current) {
      [current, height, maxBlocks] = [path, baseOf(path), maxBackfill];
      unreadable.clear();
    }
    cursor?.rewind(path);
    const left = new Set(removed.map(({ hash }) => hash));
    const joined = new Set(added.map(({ hash }) => hash));
    await removeFrom(({ hash }) => left.has(hash));
    // If the lowest added block is already removed by a later step, its parent may be too.
    const [lowest] = added;
    const lastHash = lowest && !isRemovedLater(lowest) ? lowest.parentHash : undefined;
    if (missed) await deliverMissed(missed.to, lastHash);
    if (!active()) return;
    await removeFrom(({ hash }) => !joined.has(hash));
    for (const block of added) {
      const { number, hash } = block;
      if (heightOf(block) <= height) continue;
      // The nodes may no longer have the logs of a block that a later step removes; that step goes on from here.
      if (!active() || isRemovedLater(block)) return;
      const isNew = !delivered.find(hash) && matcher.mayMatch(block.logsBloom);
      const logs = isNew ? (await readOrSkip(block)).filter(matcher.matches) : [];
      if (!active()) return;
      // Logs delivered for higher blocks are emitted again in order.
      if (logs.length > 0) await removeFrom(() => true);
      delivered.add([{ number, hash, logs }]);
      cursor?.advance(block);
      height = heightOf(block);
      await emitAll(logs.map(markPresent));
    }
  };
}

/** Blocks in the order of their logs. */
const blocksOf = (logs: readonly Log[]): readonly DeliveredBlock[] =>
  [...byBlock(logs)].map(([hash, logs]) => ({
    number: logs[0]?.blockNumber as MinedBlock['number'],
    hash,
    logs,
  }));

/** Whole blocks, as many as are stored at once. */
function* inBatches(blocks: readonly DeliveredBlock[]): Generator<readonly DeliveredBlock[]> {
  let batch: DeliveredBlock[] = [];
  let size = 0;
  for (const block of blocks) {
    batch.push(block);
    size += sizeOf(block);
    if (size < maxBatch) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Missed blocks in a row that no node has, after which the rest of the missed ones is left out too. */
const maxGaps = 4;
/** Characters. */
const maxBatch = 2 ** 18;

export declare namespace createHeadDelivery {
  interface Options {
    readonly cursor: ChainCursor;
    readonly emit: (block: MinedBlock) => void;
    /** Once false, nothing more is emitted. */
    readonly active: () => boolean;
  }
}

export declare namespace createLogDelivery {
  interface Options extends Omit<createHeadDelivery.Options, 'emit' | 'cursor'> {
    readonly delivered: DeliveredBlocks;
    readonly matcher: Matcher;
    readonly logsOf: LogsOf;
    readonly backfill: Backfill;
    readonly emit: (log: Log) => void;
    /** Moves on as blocks are delivered. */
    readonly cursor?: ChainCursor | undefined;
    /** Called for each gap, of a block or of missed ones, whose logs are left out. It was reported to the page before. */
    readonly onGap?: (() => void) | undefined;
    /** Called before logs are emitted; resolves once they and the cursor are stored. */
    readonly beforeEmit?: ((logs: readonly Log[]) => Promise<void>) | undefined;
  }
}
