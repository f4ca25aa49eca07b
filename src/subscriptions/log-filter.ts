import { createBlocks, heightOf, type MinedBlock, parentOf } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';
import { invalidParams } from '../rpc/errors.js';
import type { Hash, Log, LogFilter } from '../rpc/schema.js';
import { heightOfSelector } from '../rpc/selectors.js';
import { queryLogs } from '../service/log-query.js';
import type { LogRanges } from '../service/log-ranges.js';
import type { Service } from '../service/service.js';
import type { Backlog } from './backlog.js';
import { keepBacklog } from './backlog.js';
import { checkHistory, mostBlocks } from './history.js';
import { byBlock, createDelivered, type LogsOf, valid } from './logs.js';
import { createMatcher } from './match.js';

/** What there is to a filter that a page polls, of whatever kind. */
export interface PolledFilter {
  /** Settles when it is known from where the filter tells. */
  readonly ready: Promise<void>;
  /** What there is since the last poll; `null` when that is not known any more. Takes nothing when it rejects. */
  take(): Promise<readonly (Log | Hash)[] | null>;
  logs?(): Promise<readonly Log[]>;
  end(): void;
}

/** One filter of `eth_newFilter`: logs of what is mined after it was made, and from `fromBlock` if that is past. */
export function createLogFilter(options: createLogFilter.Options): PolledFilter {
  const { service, follower, filter, logsOf, logRanges, ringSize, onStep, isCurrent } = options;
  if (filter.blockHash !== undefined)
    throw invalidParams('params[0].blockHash: only eth_getLogs takes it; a filter is about what comes');
  // From a moving tag a filter has no past, up to one it has no end.
  const start = heightOfSelector(filter.fromBlock);
  const from = start ?? 0;
  const to = heightOfSelector(filter.toBlock) ?? Number.POSITIVE_INFINITY;
  const { address, topics } = filter;
  const wanted = { ...(address && { address }), ...(topics && { topics }) };
  const matcher = createMatcher(filter);
  const delivered = createDelivered(ringSize);
  const backlog = keepBacklog(follower, onStep, isCurrent);
  const blocks = createBlocks(service);
  const ended = new AbortController();
  /** Until the first poll, which brings what was mined before the filter was made. */
  let withHistory = start !== undefined;

  const headHeight = () => Number(follower.head()?.number ?? -1);

  /**
   * The last of the past, oldest first, by parent hash from what is known: a range read by height may be answered
   * by a node that lags, or that stands on another fork.
   */
  async function lastOfPast(known: MinedBlock, isNews: boolean): Promise<MinedBlock[]> {
    const past = isNews ? [] : [known];
    if (to < heightOf(known) - unsettled) return past;
    for (let block = known; past.length < unsettled && heightOf(block) > from; past.unshift(block))
      block = await parentOf(block, blocks, ended.signal);
    return past;
  }

  /** Heights that are read as a range: before the first poll the past, later what was too much to ask for. */
  function spanOf({ missed }: Backlog, known: MinedBlock | null): readonly [from: number, to: number] | null {
    if (withHistory) return [from, Math.min(to, Number(known?.number ?? -1))];
    return missed ? [Math.max(from, missed.from), Math.min(to, missed.to)] : null;
  }

  async function read(taken: Backlog, head: MinedBlock | null): Promise<readonly Log[]> {
    const { removed, added } = taken;
    const known = added[0] ?? head;
    const past = withHistory && known ? await lastOfPast(known, known === added[0]) : [];
    const span = spanOf(taken, known);
    const history = byBlock(span && span[0] <= span[1] ? await logRanges.read(wanted, ...span) : []);
    const news = new Map<Hash, readonly Log[]>();
    const settled = Number((past[0] ?? known)?.number ?? 0);
    for (const [hash, logs] of history) if (Number(logs[0]?.blockNumber) < settled) news.set(hash, logs);
    for (const block of [...past, ...added]) {
      const { hash, logsBloom } = block;
      const height = heightOf(block);
      // The history may have been of the fork that the follower was only about to see.
      if (height < from || height > to || delivered.has(block) || !matcher.mayMatch(logsBloom)) continue;
      news.set(hash, history.get(hash) ?? (await logsOf(block)).filter(matcher.matches));
    }
    // Nothing fails from here on: what is noted as delivered is.
    withHistory = false;
    const takenBack = removed.flatMap(delivered.takeBack);
    for (const [hash, logs] of news) delivered.add({ hash }, logs);
    return [...takenBack, ...[...news.values()].flat().map(valid)];
  }

  return {
    ready: follower.catchUp().then(() => {
      if (withHistory) checkHistory(from, Math.min(to, headHeight()));
    }),
    async take() {
      const taken = await backlog.take();
      if (!taken || (taken.missed && taken.missed.to - taken.missed.from >= mostBlocks)) return null;
      return read(taken, follower.head()).catch((error) => {
        backlog.putBack(taken);
        throw error;
      });
    },
    logs: () => queryLogs(service, filter, { ranges: async () => logRanges }),
    end() {
      ended.abort();
      backlog.end();
    },
  };
}

/** Blocks of which nodes behind one balancer may tell differently: some minutes of Rootstock. */
const unsettled = 12;

export declare namespace createLogFilter {
  interface Options {
    readonly service: Service;
    readonly follower: Follower;
    readonly filter: LogFilter;
    readonly logsOf: LogsOf;
    readonly logRanges: LogRanges;
    readonly ringSize: number;
    readonly onStep: () => void;
    readonly isCurrent: () => boolean;
  }
}
