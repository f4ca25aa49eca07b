import { heightOf, type MinedBlock } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';
import { baseOf, type ReorgPath } from '../chain/reorg-path.js';
import { limitExceeded } from '../rpc/errors.js';
import type { Matcher } from '../rpc/matcher.js';
import type { Hash, Log } from '../rpc/schema.js';
import { blocksInstead } from '../service/logs/refusal.js';
import { type Backfill, mostBlocks, mostInParts } from './backfill.js';
import type { ChainCursor } from './chain-cursor.js';
import { type DeliveredBlocks, sizeOf, valid } from './delivered-blocks.js';
import type { DeliveredBlock } from './durable/cursor-store.js';
import { byBlock, type LogsOf } from './logs.js';

/** Tells a page what a path brings. After a failure the same path goes on where it stopped. */
export type Deliver = (path: ReorgPath, leaves: Parameters<Follower.Listener>[1]) => Promise<void>;

/** A header for each new block. Missed ones are passed over: parent hash and number of the next one say so. */
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
 * First `removed: true`, newest first, for what was told of blocks that have left, then what has joined: of missed
 * blocks as ranges say it, of the others block by block. What was told already is not told again.
 */
export function createLogDelivery(options: createLogDelivery.Options): Deliver {
  const { told, matcher, logsOf, history, cursor, foretell, emit, active } = options;
  let current: ReorgPath | undefined;
  /** Up to where the current path is told. */
  let height = 0;

  async function say(logs: readonly Log[]): Promise<void> {
    if (logs.length === 0) return;
    await foretell?.(logs);
    for (const log of logs) if (active()) emit(log);
  }

  /** What was told above a block that has left has left too. */
  async function takeBack(hasLeft: (block: DeliveredBlock) => boolean): Promise<void> {
    const first = told.above(height).find(hasLeft);
    if (first) await say(told.takeBack(heightOf(first) - 1));
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
    height = next;
  }

  /** @param joint the hash of the last of the missed blocks, where it is known to stand */
  async function tellPast(to: number, joint: Hash | undefined): Promise<void> {
    while (height < to) {
      const end = Math.min(to, height + mostBlocks);
      let logs: readonly Log[];
      try {
        logs = await history(height + 1, end, end === to ? joint : undefined);
      } catch (error) {
        skipTo(to - Math.max(blocksInstead(error) ?? Number.POSITIVE_INFINITY, mostInParts), error);
        continue;
      }
      if (!active()) return;
      const { news, leaves } = told.compare(height, end, blocksOf(logs.filter(matcher.matches)));
      if (leaves !== null) await say(told.takeBack(leaves));
      for (const batch of inBatches(news)) {
        if (!active()) return;
        told.add(batch);
        cursor?.reach(batch.at(-1) as DeliveredBlock);
        await say(batch.flatMap(({ logs }) => logs.map(valid)));
      }
      height = end;
    }
  }

  return async (path, leaves) => {
    const { removed, missed, added } = path;
    if (path !== current) [current, height] = [path, baseOf(path)];
    cursor?.rewind(path);
    const left = new Set(removed.map(({ hash }) => hash));
    const joined = new Set(added.map(({ hash }) => hash));
    await takeBack(({ hash }) => left.has(hash));
    // Where what comes above is gone already, so may be what it stands on: the step that takes it says so.
    const [lowest] = added;
    const joint = lowest && !leaves(lowest) ? lowest.parentHash : undefined;
    if (missed) await tellPast(missed.to, joint);
    if (!active()) return;
    await takeBack(({ hash }) => !joined.has(hash));
    for (const block of added) {
      const { number, hash } = block;
      if (heightOf(block) <= height) continue;
      // Of a block that is already gone nobody may know the logs any more: a later step goes on from here.
      if (!active() || leaves(block)) return;
      const isNews = !told.find(hash) && matcher.mayMatch(block.logsBloom);
      const logs = isNews ? (await logsOf(block)).filter(matcher.matches) : [];
      if (!active()) return;
      // What was told of higher blocks comes again, in its turn.
      if (logs.length > 0) await takeBack(() => true);
      told.add([{ number, hash, logs }]);
      cursor?.advance(block);
      height = heightOf(block);
      await say(logs.map(valid));
    }
  };
}

/** In order of height, as the logs are. */
const blocksOf = (logs: readonly Log[]): readonly DeliveredBlock[] =>
  [...byBlock(logs)].map(([hash, logs]) => ({
    number: logs[0]?.blockNumber as MinedBlock['number'],
    hash,
    logs,
  }));

/** Whole blocks, as many as are noted at once. */
function* inBatches(blocks: readonly DeliveredBlock[]): Generator<readonly DeliveredBlock[]> {
  let batch: DeliveredBlock[] = [];
  let size = 0;
  for (const block of blocks) {
    batch.push(block);
    size += sizeOf(block);
    if (size < mostAtOnce) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

const mostAtOnce = 2 ** 18;

export declare namespace createHeadDelivery {
  interface Options {
    readonly cursor: ChainCursor;
    readonly emit: (block: MinedBlock) => void;
    /** Once false, nothing more is told. */
    readonly active: () => boolean;
  }
}

export declare namespace createLogDelivery {
  interface Options extends Omit<createHeadDelivery.Options, 'emit' | 'cursor'> {
    readonly told: DeliveredBlocks;
    readonly matcher: Matcher;
    readonly logsOf: LogsOf;
    readonly history: Backfill;
    readonly emit: (log: Log) => void;
    /** Moved on as it is told. */
    readonly cursor?: ChainCursor;
    /** Resolves once it is noted what is about to be told, and the cursor that it leads to. */
    readonly foretell?: (logs: readonly Log[]) => Promise<void>;
  }
}
