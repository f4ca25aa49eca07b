import { createBlocks, heightOf, type MinedBlock, parentOf } from '../../chain/blocks.js';
import { type Follower, rememberedBlocks } from '../../chain/follower.js';
import { baseOf } from '../../chain/reorg-path.js';
import { invalidParams } from '../../rpc/errors.js';
import { createMatcher } from '../../rpc/matcher.js';
import { own } from '../../rpc/own.js';
import type { Hash, Hex, Log, LogFilter } from '../../rpc/schema.js';
import { heightOfSelector } from '../../rpc/selectors.js';
import { queryLogs } from '../../service/logs/query.js';
import type { LogRanges } from '../../service/logs/ranges.js';
import { blocksInstead } from '../../service/logs/refusal.js';
import type { Service } from '../../service/service.js';
import { checkBackfill, createBackfill, maxBackfill } from '../backfill.js';
import { createDeliveredBlocks, markPresent } from '../delivered-blocks.js';
import type { DeliveredBlock } from '../durable/cursor-store.js';
import { byBlock, isLogGap, type LogsOf } from '../logs-of-block.js';
import { createStepBuffer } from '../step-buffer.js';

/** The part of a filter that differs by kind. */
export interface PolledFilter {
  /** Settles once the filter's first block is known. */
  readonly ready: Promise<void>;
  /** Events since the last poll; `null` if they are not known any more. If it rejects, the next poll returns them. */
  take(): Promise<readonly (Log | Hash)[] | null>;
  logs?(): Promise<readonly Log[]>;
  end(): void;
}

/** One filter of `eth_newFilter`: logs of what is mined after it was made, and from `fromBlock` if that is past. */
export function createLogFilter(options: createLogFilter.Options): PolledFilter {
  const filter = own(options.filter);
  const { service, follower, logsOf, logRanges, onStep, freshen } = options;
  if (filter.blockHash !== undefined)
    throw invalidParams('params[0].blockHash: only eth_getLogs takes it; a filter is about what comes');
  // `latest` as `fromBlock` means no history; as `toBlock`, no end.
  const start = heightOfSelector(filter.fromBlock);
  const from = start ?? 0;
  const to = heightOfSelector(filter.toBlock) ?? Number.POSITIVE_INFINITY;
  const { address, topics } = filter;
  const wanted = { ...(address && { address }), ...(topics && { topics }) };
  const matcher = createMatcher(filter);
  const delivered = createDeliveredBlocks({ maxBlocks: rememberedBlocks });
  const buffer = createStepBuffer(follower, onStep, freshen);
  const blocks = createBlocks(service);
  const ended = new AbortController();
  const { signal } = ended;
  const readHistory = createBackfill({ service, logRanges, criteria: wanted, signal });
  /** Blocks whose gaps a poll has reported. */
  const gaps = new Set<Hash>();
  /** Until the first poll, which returns logs from before the filter was created. */
  let withHistory = start !== undefined;

  /**
   * The newest blocks of the history, oldest first, read by parent hash: a node that lags, or that is on another fork, may
   * reply to a range by height.
   */
  async function lastOfPast(known: MinedBlock, isNew: boolean): Promise<MinedBlock[]> {
    const past = isNew ? [] : [known];
    if (to < heightOf(known) - disputedBlocks) return past;
    for (let block = known; past.length < disputedBlocks && heightOf(block) > from; past.unshift(block))
      block = await parentOf(block, blocks, signal);
    return past;
  }

  /** The logs of a block. A gap is the error of one poll; the polls after it leave the block out. */
  const readOrSkip = (block: MinedBlock): Promise<readonly Log[]> =>
    logsOf(block).catch((error) => {
      if (isLogGap(error) && gaps.has(block.hash)) return [];
      if (isLogGap(error)) gaps.add(block.hash);
      throw error;
    });

  async function read(taken: Follower.Step, head: MinedBlock | null): Promise<readonly Log[]> {
    const { added, missed } = taken;
    const known = added[0] ?? head;
    const past = withHistory && known ? await lastOfPast(known, known === added[0]) : [];
    // A range of heights: at first the history, later blocks that were too many to read one by one.
    const span = withHistory ? { from, to: Number(known?.number ?? -1) } : (missed ?? { from: 0, to: -1 });
    const [first, last] = [Math.max(from, span.from), Math.min(to, span.to)];
    const hash = !withHistory && last === missed?.to ? added[0]?.parentHash : undefined;
    const settings = { hash, readBlock: readOrSkip, onUnreadable: undefined };
    const history = byBlock(first <= last ? await readHistory(first, last, settings) : []);
    const standing: DeliveredBlock[] = [];
    const settled = Number((past[0] ?? known)?.number ?? 0);
    for (const [hash, logs] of history) {
      const [{ blockNumber: number }] = logs as [Log & { blockNumber: Hex }];
      if (Number(number) < settled) standing.push({ number, hash, logs });
    }
    for (const block of [...past, ...added]) {
      const { number, hash, logsBloom } = block;
      const height = heightOf(block);
      // The history may be of a fork that the follower has not processed yet.
      if (height < from || height > to || !matcher.mayMatch(logsBloom)) continue;
      const known = delivered.find(hash)?.logs ?? history.get(hash);
      const logs = known ?? (await readOrSkip(block)).filter(matcher.matches);
      if (logs.length > 0) standing.push({ number, hash, logs });
    }
    // Nothing below can fail, so events that are recorded as delivered are returned.
    withHistory = false;
    const { added: current, rollbackTo } = delivered.compare(
      baseOf(taken),
      Number.POSITIVE_INFINITY,
      standing,
    );
    const removed = rollbackTo === null ? [] : delivered.remove(rollbackTo);
    delivered.add(current);
    return [...removed, ...current.flatMap(({ logs }) => logs.map(markPresent))];
  }

  return {
    ready: follower.catchUp().then(() => {
      if (withHistory) checkBackfill(from, Math.min(to, Number(follower.head()?.number ?? -1)));
    }),
    async take() {
      const taken = await buffer.take();
      if (!taken || (taken.missed && taken.missed.to - taken.missed.from >= maxBackfill)) return null;
      return read(taken, follower.head()).catch((error) => {
        // As for a history that is too long: the filter expires, and the page creates a new one.
        if (!withHistory && blocksInstead(error) !== undefined) return null;
        buffer.putBack(taken);
        throw error;
      });
    },
    logs: () => queryLogs(service, filter, { ranges: async () => logRanges }),
    end() {
      ended.abort();
      buffer.end();
    },
  };
}

/** Blocks at the head on which nodes behind a load balancer may disagree: some minutes of Rootstock. */
const disputedBlocks = 12;

export declare namespace createLogFilter {
  interface Options {
    readonly service: Service;
    readonly follower: Follower;
    readonly filter: LogFilter;
    readonly logsOf: LogsOf;
    readonly logRanges: LogRanges;
    readonly onStep: () => void;
    readonly freshen: () => Promise<void>;
  }
}
