import { heightOf, type MinedBlock } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';
import type { Path } from '../chain/path.js';
import type { Log } from '../rpc/schema.js';
import type { ToldBlock } from './cursor.js';
import { byBlock, type LogsOf, removed, valid } from './logs.js';
import type { Matcher } from './match.js';
import { baseOf, type Position } from './position.js';

/** Tells a page what a path brings, and moves the position on as it goes: after a failure, from there. */
export interface Teller {
  tell(path: Path, leaves: Parameters<Follower.Listener>[1]): Promise<void>;
  /** What would have to be taken back, oldest first. */
  told(): readonly ToldBlock[];
}

/** A header for each new block. Missed ones are passed over: parent hash and number of the next one say so. */
export function tellHeads(options: tellHeads.Options): Teller {
  const { position, emit, active } = options;
  return {
    told: () => [],
    async tell(path) {
      position.leave(path);
      for (const block of path.added) {
        if (!active()) return;
        position.join(block);
        emit(block);
      }
    },
  };
}

/**
 * First `removed: true`, newest first, for what was told of blocks that have left, then what has joined. Nothing is
 * told before `foretell` has noted it, with the position that it leads to.
 */
export function tellLogs(options: tellLogs.Options): Teller {
  const { position, matcher, logsOf, history, foretell, emit, active, ringSize } = options;
  let told = options.told;

  async function say(logs: readonly Log[]): Promise<void> {
    if (logs.length === 0) return;
    await foretell(logs);
    for (const log of logs) if (active()) emit(log);
  }

  function note(blocks: readonly ToldBlock[]): void {
    const withLogs = blocks.filter(({ logs }) => logs.length > 0);
    if (withLogs.length > 0) told = latest([...told, ...withLogs], ringSize);
  }

  return {
    told: () => told,
    async tell(path, leaves) {
      const { missed, added } = path;
      const past = missed ? blocksOf((await history(missed.from, missed.to)).filter(matcher.matches)) : [];
      const stays = new Set([...past, ...added].map(({ hash }) => hash));
      const isTold = new Set(told.map(({ hash }) => hash));
      const left = told.filter((block) => heightOf(block) > baseOf(path) && !stays.has(block.hash));
      told = told.filter((block) => !left.includes(block));
      position.leave(path);
      await say(left.flatMap(({ logs }) => logs.map(removed)).reverse());

      const news = past.filter(({ hash }) => !isTold.has(hash));
      for (const batch of inBatches(news)) {
        if (!active()) return;
        note(batch);
        position.reach(batch.at(-1) as ToldBlock);
        await say(batch.flatMap(({ logs }) => logs.map(valid)));
      }
      for (const block of added) {
        // Of a block that is already gone nobody may know the logs any more: a later step goes on from here.
        if (!active() || leaves(block)) return;
        const isNews = !isTold.has(block.hash) && matcher.mayMatch(block.logsBloom);
        const logs = isNews ? (await logsOf(block)).filter(matcher.matches) : [];
        if (!active()) return;
        note([{ number: block.number, hash: block.hash, logs }]);
        position.join(block);
        await say(logs.map(valid));
      }
    },
  };
}

/** In order of height, as the logs are. */
const blocksOf = (logs: readonly Log[]): readonly ToldBlock[] =>
  [...byBlock(logs)].map(([hash, logs]) => ({
    number: logs[0]?.blockNumber as MinedBlock['number'],
    hash,
    logs,
  }));

/** Whole blocks, as many as are noted at once. */
function* inBatches(blocks: readonly ToldBlock[]): Generator<readonly ToldBlock[]> {
  let batch: ToldBlock[] = [];
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

/** Those that a reorganisation may still take back, without filling the disk; the newest always. */
function latest(told: readonly ToldBlock[], ringSize: number): readonly ToldBlock[] {
  const newest = heightOf(told.at(-1) as ToldBlock);
  let size = 0;
  let first = told.length - 1;
  for (; first > 0; first--) {
    const [block, below] = [told[first] as ToldBlock, told[first - 1] as ToldBlock];
    size += sizeOf(block);
    if (heightOf(below) <= newest - ringSize || size + sizeOf(below) > mostKept) break;
  }
  return told.slice(first);
}

/** Characters, near enough. */
const sizeOf = ({ logs }: ToldBlock): number =>
  logs.reduce((size, { data, topics }) => size + 500 + data.length + topics.length * 70, 0);

const mostAtOnce = 2 ** 18;
const mostKept = 2 ** 20;

export declare namespace tellHeads {
  interface Options {
    readonly position: Position;
    readonly emit: (block: MinedBlock) => void;
    /** Once false, nothing more is told. */
    readonly active: () => boolean;
  }
}

export declare namespace tellLogs {
  interface Options extends Omit<tellHeads.Options, 'emit'> {
    readonly told: readonly ToldBlock[];
    readonly matcher: Matcher;
    readonly logsOf: LogsOf;
    /** The wanted logs between two heights, inclusive. */
    readonly history: (from: number, to: number) => Promise<readonly Log[]>;
    /** Resolves once it is noted what is about to be told. */
    readonly foretell: (logs: readonly Log[]) => Promise<void>;
    readonly emit: (log: Log) => void;
    readonly ringSize: number;
  }
}
