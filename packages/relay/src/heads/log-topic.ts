import type { Clock } from '../../../../src/async/clock.js';
import type { BlockLink } from '../../../../src/chain/blocks.js';
import type { ReorgPath } from '../../../../src/chain/reorg-path.js';
import { createMatcher } from '../../../../src/rpc/matcher.js';
import type { Hash, Log, LogCriteria } from '../../../../src/rpc/schema.js';
import { type Backfill, createBackfill } from '../../../../src/subscriptions/backfill.js';
import { createDeliveredBlocks } from '../../../../src/subscriptions/delivered-blocks.js';
import type { DeliveredBlock } from '../../../../src/subscriptions/durable/cursor-store.js';
import { createLogDelivery } from '../../../../src/subscriptions/log-delivery.js';
import type { LogsOf } from '../../../../src/subscriptions/logs-of-block.js';
import type { RelayChain } from '../chain.js';
import { type RelayBlock, type RelayStep, stepsKept } from '../engines/engine.js';
import { once } from '../once.js';
import { toPath } from './steps.js';

/**
 * Delivers the logs of one filter to all its subscribers, in order and each once. Logs of removed blocks come again with
 * `removed: true`, newest first. A step whose logs cannot be read is tried again, with the next step and after a pause; later
 * steps wait for it. A block whose logs stay wrong is left out, and its subscribers learn of the gap.
 */
export interface LogTopic {
  /** @param number of the step */
  add(step: RelayStep, number: number): void;
  close(): void;
}

interface QueuedStep {
  readonly step: RelayStep;
  /** The same object at each attempt, by which the delivery knows what it has delivered. */
  readonly path: ReorgPath;
  readonly number: number;
}

export function createLogTopic(options: createLogTopic.Options): LogTopic {
  const { criteria, chain, logsOf, emit, clock } = options;
  const ended = new AbortController();
  const active = () => !ended.signal.aborted;
  const queue: QueuedStep[] = [];
  /** The number of the step with which each delivered block was delivered. */
  const deliveredWith = new Map<Hash, number>();
  const delivered = createDeliveredBlocks({
    maxBlocks: stepsKept,
    size: maxCharacters,
    delivered: options.delivered,
  });
  for (const { hash } of options.delivered ?? []) deliveredWith.set(hash, 0);
  let current: QueuedStep | undefined;
  let running = false;
  let failures = 0;
  let timer: unknown;

  /** Few topics ever see a gap. */
  const reader = once(async () => {
    const logRanges = await chain.logRanges(options.onRequest);
    return createBackfill({ service: chain.service, logRanges, criteria, signal: ended.signal });
  });
  const backfill: Backfill = (...range) => reader().then((read) => read(...range));

  const deliver = createLogDelivery({
    delivered,
    matcher: createMatcher(criteria),
    logsOf: (block) => logsOf(current?.step as RelayStep, block),
    backfill,
    active,
    onGap: () => options.onGap(current?.number ?? 0),
    emit(log) {
      const hash = log.blockHash as Hash;
      const { number = 0 } = current ?? {};
      if (log.removed) {
        emit(log, deliveredWith.get(hash) ?? 0);
        return;
      }
      deliveredWith.set(hash, number);
      emit(log, number);
    },
  });

  const isRemovedLater = ({ hash }: BlockLink) =>
    queue.some(({ step }, at) => at > 0 && step.removed.some((block) => block.hash === hash));

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    clock.clearTimeout(timer);
    try {
      for (current = queue[0]; current && active(); current = queue[0]) {
        await deliver(current.path, isRemovedLater);
        queue.shift();
        failures = 0;
        forget();
      }
    } catch {
      failures += 1;
      const pause = Math.min(maxPause, minPause * 2 ** Math.min(failures - 1, 10));
      if (active()) timer = clock.setTimeout(() => void run(), pause);
    } finally {
      running = false;
    }
  }

  /** Blocks that can no longer be removed are forgotten as in `delivered`. */
  function forget(): void {
    if (deliveredWith.size <= 2 * stepsKept) return;
    for (const hash of deliveredWith.keys()) if (!delivered.find(hash)) deliveredWith.delete(hash);
  }

  return {
    add(step, number) {
      queue.push({ step, path: toPath(step), number });
      void run();
    },
    close() {
      clock.clearTimeout(timer);
      queue.length = 0;
      ended.abort();
    },
  };
}

/** Milliseconds between attempts to read the logs of a step. */
const minPause = 1_000;
const maxPause = 30_000;
/** Characters of logs that are kept for one filter, about: a node's answer has at most 10 MiB. */
const maxCharacters = 2 ** 22;

export declare namespace createLogTopic {
  interface Options {
    readonly criteria: LogCriteria;
    readonly chain: Pick<RelayChain, 'service' | 'logRanges'>;
    /** All logs of an added block of a step. */
    readonly logsOf: (step: RelayStep, block: RelayBlock) => ReturnType<LogsOf>;
    /**
     * Called with each log.
     * @param number of the step that delivered it; of a removed log, of the step that had delivered it: who came later
     * never had it
     */
    readonly emit: (log: Log, number: number) => void;
    /**
     * Called where the logs of a block are left out, because no node has them.
     * @param number of the step with the block
     */
    readonly onGap: (number: number) => void;
    /** Called with each request for the logs of a gap. */
    readonly onRequest?: (() => void) | undefined;
    readonly clock: Clock;
    /** Blocks delivered earlier, oldest first, to a session that was restored. */
    readonly delivered?: readonly DeliveredBlock[] | undefined;
  }
}
