import { type MinedBlock, twice } from '../chain/blocks.js';
import { bloomHasAny } from '../chain/bloom.js';
import type { Follower } from '../chain/follower.js';
import type { Hash, Log } from '../rpc/schema.js';
import { readLogs } from '../service/logs.js';
import type { Service } from '../service/service.js';
import type { Matcher } from './match.js';

/** All logs of a block, in order, each once; asked for once however many want them. */
export type LogsOf = (block: MinedBlock) => Promise<readonly Log[]>;

/**
 * One `eth_getLogs {blockHash}` without criteria serves every subscription and filter, and proves itself: a
 * node that does not know the block answers `[]` (node-facts §1.8), which a bloom with any bit set belies.
 * The latest blocks are remembered for those who come a little later.
 */
export function createLogsOf(service: Service): LogsOf {
  const recent = new Map<Hash, Promise<readonly Log[]>>();

  const fetch = ({ hash, logsBloom }: MinedBlock) =>
    readLogs(
      service,
      { blockHash: hash },
      {
        check(logs) {
          if (logs.length === 0 && bloomHasAny(logsBloom))
            throw new Error('no logs for a block that has some');
          if (logs.some((log) => log.blockHash !== hash)) throw new Error('logs of another block');
        },
      },
    );

  return (block) => {
    const known = recent.get(block.hash);
    if (known) return known;
    const logs = twice(() => fetch(block));
    recent.set(block.hash, logs);
    if (recent.size > remembered) recent.delete(recent.keys().next().value as Hash);
    logs.catch(() => recent.delete(block.hash));
    return logs;
  };
}

/** A few blocks: what one look at the service can bring at once, and a short reorganisation. */
const remembered = 16;

/** What a reader has been given, by block, so that it can be taken back. */
export interface Delivered {
  has(block: { hash: Hash }): boolean;
  add(block: { hash: Hash }, logs: readonly Log[]): void;
  /** The block's logs as they are taken back: newest first, `removed: true`. Each is taken back once. */
  takeBack(block: { hash: Hash }): readonly Log[];
}

/** Only blocks with logs are kept, and no more than the follower can ever take back. */
export function createDelivered(ringSize: number): Delivered {
  const byBlock = new Map<Hash, readonly Log[]>();
  return {
    has: ({ hash }) => byBlock.has(hash),
    add({ hash }, logs) {
      if (logs.length === 0) return;
      byBlock.set(hash, logs);
      if (byBlock.size > ringSize) byBlock.delete(byBlock.keys().next().value as Hash);
    },
    takeBack({ hash }) {
      const logs = byBlock.get(hash) ?? [];
      byBlock.delete(hash);
      return logs.map(removed).reverse();
    },
  };
}

export const valid = (log: Log): Log => ({ ...log, removed: false });
export const removed = (log: Log): Log => ({ ...log, removed: true });

/** By the hash of their block; blocks and logs in the order that they come in. */
export function byBlock(logs: readonly Log[]): ReadonlyMap<Hash, readonly Log[]> {
  const blocks = new Map<Hash, Log[]>();
  for (const log of logs) {
    const hash = log.blockHash as Hash;
    const known = blocks.get(hash);
    if (known) known.push(log);
    else blocks.set(hash, [log]);
  }
  return blocks;
}

/**
 * Turns steps into logs: those of blocks that left, newest first and marked `removed`, then those of blocks
 * that joined. A failure keeps everything newer waiting: the step comes again and goes on where it stopped.
 */
export function followLogs(options: followLogs.Options): Follower.Listener {
  const { matcher, logsOf, history, emit, active, ringSize } = options;
  const delivered = createDelivered(ringSize);
  let current: Follower.Step | undefined;
  let missed: Follower.Step['missed'];
  let done = 0;

  return async (step, leaves) => {
    if (step !== current) {
      current = step;
      missed = step.missed;
      done = 0;
      for (const block of step.removed) for (const log of delivered.takeBack(block)) emit(log);
    }
    if (missed) {
      const logs = await history(missed.from, missed.to);
      missed = undefined;
      for (const log of logs) emit(valid(log));
    }
    for (; done < step.added.length && active(); done++) {
      const block = step.added[done] as MinedBlock;
      // Of a block that is already gone nobody may know the logs any more; untold, they need no taking back.
      if (leaves(block) || !matcher.mayMatch(block.logsBloom)) continue;
      const logs = (await logsOf(block)).filter(matcher.matches);
      delivered.add(block, logs);
      for (const log of logs) emit(valid(log));
    }
  };
}

export declare namespace followLogs {
  interface Options {
    readonly matcher: Matcher;
    readonly logsOf: LogsOf;
    /** The wanted logs between two heights, inclusive. */
    readonly history: (from: number, to: number) => Promise<readonly Log[]>;
    readonly emit: (log: Log) => void;
    /** Once false, nothing more is asked. */
    readonly active: () => boolean;
    readonly ringSize: number;
  }
}
