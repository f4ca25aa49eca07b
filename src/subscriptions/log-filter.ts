import { heightOf } from '../chain/blocks.js';
import type { Follower } from '../chain/follower.js';
import { invalidParams } from '../rpc/errors.js';
import type { BlockSelector, Hash, Log, LogFilter } from '../rpc/schema.js';
import { queryLogs } from '../service/log-query.js';
import type { LogRanges } from '../service/log-ranges.js';
import type { Service } from '../service/service.js';
import type { Backlog } from './backlog.js';
import { keepBacklog } from './backlog.js';
import { checkHistory } from './history.js';
import { createDelivered, type LogsOf, valid } from './logs.js';
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
  const { service, follower, filter, logsOf, logRanges, ringSize, onStep } = options;
  if (filter.blockHash !== undefined)
    throw invalidParams('params[0].blockHash: only eth_getLogs takes it; a filter is about what comes');
  const from = heightIn(filter.fromBlock) ?? 0;
  const to = heightIn(filter.toBlock) ?? Number.POSITIVE_INFINITY;
  const { address, topics } = filter;
  const wanted = { ...(address && { address }), ...(topics && { topics }) };
  const matcher = createMatcher(filter);
  const delivered = createDelivered(ringSize);
  const backlog = keepBacklog(follower, onStep);
  /** Until the first poll, which brings what was mined before the filter was made. */
  let withHistory = heightIn(filter.fromBlock) !== undefined;

  const headHeight = () => Number(follower.head()?.number ?? -1);

  async function read({ removed, added }: Backlog, head: number): Promise<readonly Log[]> {
    const until = Math.min(to, added[0] ? heightOf(added[0]) - 1 : head);
    const news = new Map<Hash, Log[]>();
    for (const log of withHistory ? await logRanges.read(wanted, from, until) : []) {
      const hash = log.blockHash as Hash;
      const known = news.get(hash);
      if (known) known.push(log);
      else news.set(hash, [log]);
    }
    for (const block of added) {
      const { hash, logsBloom } = block;
      const height = heightOf(block);
      // History is read by height: it may already hold a block that the follower was only about to see.
      if (height < from || height > to || delivered.has(block)) continue;
      if (matcher.mayMatch(logsBloom)) news.set(hash, (await logsOf(block)).filter(matcher.matches));
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
      if (!taken) return null;
      return read(taken, headHeight()).catch((error) => {
        backlog.putBack(taken);
        throw error;
      });
    },
    logs: () => queryLogs(service, filter, { ranges: async () => logRanges }),
    end: backlog.end,
  };
}

/** `undefined` for the moving tags: a filter from there has no past, a filter up to there no end. */
const heightIn = (selector: BlockSelector | undefined): number | undefined =>
  selector === 'earliest' ? 0 : selector?.startsWith('0x') ? Number(selector) : undefined;

export declare namespace createLogFilter {
  interface Options {
    readonly service: Service;
    readonly follower: Follower;
    readonly filter: LogFilter;
    readonly logsOf: LogsOf;
    readonly logRanges: LogRanges;
    readonly ringSize: number;
    readonly onStep: () => void;
  }
}
