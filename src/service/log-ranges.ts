import { badReply, isProviderRpcError, type ProviderRpcError } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { checkBlock } from '../rpc/results.js';
import type { Block, BlockSelector, Log, LogCriteria } from '../rpc/schema.js';
import { createLogPlan, type LogLimits, type Span, seedLimits } from './log-plan.js';
import { cut, isTooLarge, mayBeCut } from './log-refusal.js';
import { readLogs } from './logs.js';
import type { Service } from './service.js';

/** Logs of any range of blocks, however little of it the service gives at once (seed, "Limits"). */
export interface LogRanges {
  /**
   * The logs from one height to another, inclusive; to the head where `to` is above it, or Infinity. Each once, in order, and
   * all of one chain: when a reorganisation changes the newest of the blocks meanwhile, they are read again.
   *
   * @throws ProviderRpcError what the service says of a single block, and -32603 when the chain never held still.
   */
  read(criteria: LogCriteria, from: number, to: number, options?: LogRanges.Options): Promise<readonly Log[]>;
}

export declare namespace LogRanges {
  interface Options {
    readonly signal?: AbortSignal | undefined;
    /** Called after each answer. */
    readonly onProgress?: ((progress: Progress) => void) | undefined;
    /** What the service said when it was asked for the whole range: it is not asked that again. */
    readonly refusal?: ProviderRpcError | undefined;
  }
  interface Progress {
    /** Blocks whose logs have been read. */
    readonly read: number;
    /** Blocks in the range. */
    readonly blocks: number;
  }
}

/** Of one service: what its refusals teach about its limits serves the next range too. */
export function createLogRanges(service: Service, options: createLogRanges.Options = {}): LogRanges {
  const { concurrency = 6, limits = seedLimits() } = options;

  /** The logs of a span, or why it is too wide. */
  async function readSpan(
    criteria: LogCriteria,
    { from, to }: Span,
    signal: AbortSignal,
  ): Promise<readonly Log[] | ProviderRpcError> {
    const filter = { fromBlock: toQuantity(from), toBlock: toQuantity(to), ...criteria };
    const check = (logs: readonly Log[]) => {
      if (logs.some(({ blockNumber }) => Number(blockNumber) < from || Number(blockNumber) > to))
        throw new Error('a log of a block that was not asked for');
    };
    try {
      const logs = await readLogs(service, filter, { signal, check });
      return to > from && mayBeCut(logs, limits.logs) ? cut() : logs;
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      learn(limits, { from, to }, error);
      return error;
    }
  }

  async function readRange(criteria: LogCriteria, range: Span, settings: LogRanges.Options) {
    const { onProgress, refusal } = settings;
    const plan = createLogPlan(range, limits, refusal !== undefined);
    const pieces: (readonly Log[])[] = [];
    const abandoned = new AbortController();
    const signal = AbortSignal.any([abandoned.signal, ...(settings.signal ? [settings.signal] : [])]);
    const reading = new Set<Promise<void>>();

    const ask = async (span: Span): Promise<void> => {
      const answer = await readSpan(criteria, span, signal);
      if (isProviderRpcError(answer)) {
        if (!plan.refused(span)) throw answer;
        return;
      }
      pieces.push(answer);
      plan.read(span, answer.length);
      onProgress?.({ read: plan.blocksRead(), blocks: range.to - range.from + 1 });
    };

    try {
      for (;;) {
        const span = reading.size < concurrency ? plan.next() : undefined;
        if (span) {
          const asked = ask(span).finally(() => reading.delete(asked));
          reading.add(asked);
        } else if (reading.size > 0) await Promise.race(reading);
        else return pieces;
      }
    } finally {
      // After a failure nobody waits for the others.
      abandoned.abort();
      for (const asked of reading) asked.catch(() => {});
    }
  }

  async function blockAt(selector: BlockSelector, signal: AbortSignal | undefined): Promise<Block | null> {
    const options = { ...(signal && { signal }), check: checkBlock };
    return (await service.request('eth_getBlockByNumber', [selector, false], options)) as Block | null;
  }

  return {
    async read(criteria, from, to, settings = {}) {
      const { signal } = settings;
      for (let attempt = 1; attempt <= attempts; attempt++) {
        // One answer is of one chain; more than one are if their newest block has stayed where it was.
        const isWide = to - from >= limits.always;
        const above = isWide && to < Number.POSITIVE_INFINITY ? await blockAt(toQuantity(to), signal) : null;
        const tip = above ?? (isWide ? await blockAt('latest', signal) : null);
        const end = Math.min(to, Number(tip?.number ?? to));
        if (end < from) return [];
        const pieces = await readRange(criteria, { from, to: end }, settings);
        const settled =
          pieces.length === 1 || (tip && (await blockAt(toQuantity(end), signal))?.hash === tip.hash);
        // Each is in order, and none has what another has.
        if (settled) return pieces.sort(byFirst).flat();
      }
      throw badReply('eth_getLogs', 'the chain was reorganised each time the range was read');
    },
  };
}

export declare namespace createLogRanges {
  interface Options {
    /** Requests at once. */
    readonly concurrency?: number;
    /** What is known of the service's limits; corrected by what it refuses. */
    readonly limits?: LogLimits;
  }
}

const byFirst = ([a]: readonly Log[], [b]: readonly Log[]) =>
  Number(a?.blockNumber ?? 0) - Number(b?.blockNumber ?? 0);

const attempts = 3;

/** A refusal that names a number of blocks below what was asked for names the limit (node-facts §1.8). */
function learn(limits: LogLimits, { from, to }: Span, error: ProviderRpcError): void {
  const named = /([\d,]+)[- ]blocks?\b|blocks? range[^\d]*([\d,]+)/i.exec(error.message);
  const blocks = Number((named?.[1] ?? named?.[2] ?? '').replaceAll(',', ''));
  if (blocks < 1 || blocks > to - from) return;
  limits.atMost = Math.min(limits.atMost, blocks);
  limits.always = Math.min(limits.always, blocks);
}
