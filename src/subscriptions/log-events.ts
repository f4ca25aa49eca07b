import type { Clock } from '../async/clock.js';
import { type Follower, rememberedBlocks } from '../chain/follower.js';
import { createMatcher } from '../rpc/matcher.js';
import { own } from '../rpc/own.js';
import type { Log, LogCriteria } from '../rpc/schema.js';
import { createLogRanges, type LogRanges } from '../service/logs/ranges.js';
import type { Service } from '../service/service.js';
import { createBackfill } from './backfill.js';
import { createDeliveredBlocks } from './delivered-blocks.js';
import { createLogFilter, type PolledFilter } from './filters/log-filter.js';
import { createLogDelivery } from './log-delivery.js';
import { createLogsOf, type LogsOf } from './logs-of-block.js';

/** Logs for subscriptions and filters: a lazy chunk, since those of headers need none of it. */
export interface LogEvents {
  /** One for all, so that a block's logs are read once. */
  readonly logsOf: LogsOf;
  readonly logRanges: LogRanges;
  /** Emits the logs of each block that the follower processes. Returns the undo. */
  watch(criteria: LogCriteria, active: () => boolean, emit: (log: Log) => void): () => void;
  createFilter(
    options: Omit<createLogFilter.Options, 'service' | 'follower' | 'logsOf' | 'logRanges'>,
  ): PolledFilter;
}

export function createLogEvents(options: createLogEvents.Options): LogEvents {
  const { service, follower, clock } = own(options);
  const { logsOf = createLogsOf(service, clock?.now), logRanges = createLogRanges(service) } = own(options);
  return {
    logsOf,
    logRanges,
    watch(criteria, active, emit) {
      const ended = new AbortController();
      const deliver = createLogDelivery({
        ...{ logsOf, active, emit, matcher: createMatcher(criteria) },
        backfill: createBackfill({ service, logRanges, criteria, signal: ended.signal }),
        delivered: createDeliveredBlocks({ maxBlocks: rememberedBlocks }),
      });
      const unwatch = follower.watch(deliver);
      return () => {
        unwatch();
        ended.abort();
      };
    },
    createFilter: (filter) => createLogFilter({ ...filter, service, follower, logsOf, logRanges }),
  };
}

export declare namespace createLogEvents {
  interface Options {
    readonly service: Service;
    readonly follower: Follower;
    readonly clock?: Clock | undefined;
    readonly logsOf?: LogsOf | undefined;
    readonly logRanges?: LogRanges | undefined;
  }
}
