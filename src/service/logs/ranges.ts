import { anySignal } from '../../async/cancellation.js';
import { lazy } from '../../async/lazy.js';
import { badReply } from '../../rpc/core-errors.js';
import { isProviderRpcError, type ProviderRpcError } from '../../rpc/errors.js';
import { toQuantity } from '../../rpc/hex.js';
import { createMatcher } from '../../rpc/matcher.js';
import { own } from '../../rpc/own.js';
import { checkBlock, checkBlockWithHash } from '../../rpc/results.js';
import type { Block, BlockSelector, Hash, Log, LogCriteria } from '../../rpc/schema.js';
import type { HeadView } from '../cache/head-view.js';
import type { Service } from '../service.js';
import { type LogLimits, learnLimit, type Span, seedLimits, widthOf } from './limits.js';
import { readLogs } from './logs.js';
import { createLogPlan } from './range-plan.js';
import type { ReceiptLogs } from './receipt-logs.js';
import { cut, isLacking, isOutOfReach, mayBeCut, mayBeTooLarge, tooManyRequests } from './refusal.js';

/** Reads logs of any range of blocks within the limits of the service (docs/notes/service.md#limits). */
export interface LogRanges {
  /**
   * The logs from one height to another, inclusive; to the head if `to` is above it or Infinity. They are in order, without
   * duplicates, and of one chain: blocks that a reorg may replace are read in one answer; if that is too large, the newest
   * block must be the same before and after, or they are read again.
   *
   * @throws ProviderRpcError the service's refusal of a single block, and -32603 if the chain was reorganised at each
   * attempt.
   */
  read(criteria: LogCriteria, from: number, to: number, options?: LogRanges.Options): Promise<readonly Log[]>;
  /** The logs of one block on a service without `eth_getLogs`; none for an unknown block. */
  ofBlock(criteria: LogCriteria, hash: Hash, signal?: AbortSignal): Promise<readonly Log[]>;
}

export declare namespace LogRanges {
  interface Options extends ReceiptLogs.Options {
    /** The service's refusal of the whole range, which is not requested again. */
    readonly refusal?: ProviderRpcError | undefined;
  }
  /** How far a range of logs has been read. */
  interface Progress {
    /** Blocks whose logs have been read. */
    readonly read: number;
    /** Blocks in the range. */
    readonly blocks: number;
  }
}

/** For one service: limits learnt from its refusals apply to later ranges too. */
export function createLogRanges(service: Service, options: createLogRanges.Options = {}): LogRanges {
  const { concurrency = 6, limits: shared = seedLimits(), depth = 512, head } = own(options);

  async function blockAt(selector: BlockSelector, signal: AbortSignal | undefined): Promise<Block | null> {
    return (await service.request('eth_getBlockByNumber', [selector, false], {
      signal,
      check: checkBlock,
    })) as Block | null;
  }

  async function headHeight(signal: AbortSignal | undefined): Promise<number> {
    const height = Number((await blockAt('latest', signal))?.number ?? Number.NaN);
    if (Number.isNaN(height)) throw badReply('eth_getBlockByNumber', 'there is no latest block');
    return height;
  }

  async function readRange(criteria: LogCriteria, range: Span, settings: Settings): Promise<Outcome> {
    const { onAnswer, refusal, readBlock } = settings;
    /** Height of the highest block that is known to exist; -1 if none is. */
    const shown = Math.max(settings.shown, head?.state().height ?? -1);
    /** The lowest height of the range that a reorg may replace, with the head at its end or above. */
    const lowestReplaceable = Math.max(range.from, Math.max(range.to, shown) - depth + 1);
    const before = { ...shared };
    // The search for a bad block must not narrow other ranges.
    const limits = readBlock ? { ...shared } : shared;
    /** Whether a block has failed alone: nothing was learnt about their number then, and spans grow again step by step. */
    let hasFailedAlone = false;
    /** Whether the block is being looked for that a refused span has. */
    let isNarrowing = false;
    const plan = createLogPlan(range, limits, refusal !== undefined);
    const pieces: (readonly Log[])[] = [];
    const abandoned = new AbortController();
    const [signal, release] = anySignal(settings.signal, abandoned.signal);
    const reading = new Set<Promise<void>>();
    /** Two pieces may end in one turn, of which a race shows the first only. */
    const failures: unknown[] = [];
    let lastAt: Promise<Block | null> | undefined;
    let lower: number | undefined;
    const maxRequests = extraRequests + Math.ceil(widthOf(range) / seedLimits().always);

    const lastBlock = () => blockAt(toQuantity(range.to), signal);

    /** The logs of a span, or the error that says it is too wide. */
    async function readSpan(span: Span): Promise<readonly Log[] | ProviderRpcError> {
      const { from, to } = span;
      const filter = { fromBlock: toQuantity(from), toBlock: toQuantity(to), ...criteria } as const;
      try {
        const logs = await readLogs(service, filter, { signal });
        return to > from && mayBeCut(logs, limits.logs) ? cut() : logs;
      } catch (error) {
        if (to === from || signal.aborted) throw error;
        if (mayBeTooLarge(error)) learnLimit(limits, span, error);
        // The filter is the wallet's own, so a refusal in any words is one of a block.
        else if (!readBlock || !isProviderRpcError(error) || isOutOfReach(error) || isLacking(error))
          throw error;
        return error;
      }
    }

    /** Before replaceable blocks are read in several answers: reads the last block, which must be the same afterwards. */
    async function pin(): Promise<void> {
      lastAt ??= lastBlock();
      if ((await lastAt) === null) lower = await headHeight(signal);
    }

    /** One answer with all replaceable blocks needs no pin, if the head is at least at the end of the range. */
    async function placeHead(span: Span, logs: readonly Log[]): Promise<void> {
      const height = Math.max(shown, Number(logs.at(-1)?.blockNumber ?? -1));
      if (height >= range.to || height - depth + 1 >= span.from || span.from === range.from) return;
      const newest = await headHeight(signal);
      if (newest < range.to) lower = newest;
    }

    const readPiece = async (span: Span): Promise<void> => {
      const isWhole = span.to === range.to && span.from <= lowestReplaceable;
      if (span.to >= lowestReplaceable && !isWhole) await pin();
      if (lower !== undefined) return;
      let isAlone = false;
      const answer = await readSpan(span).catch((error: unknown) => {
        if (span.from !== span.to) throw error;
        hasFailedAlone = true;
        if (!readBlock || signal.aborted || isLacking(error)) throw error;
        isAlone = true;
        isNarrowing = false;
        return readBlock(span.from);
      });
      if (isProviderRpcError(answer)) {
        plan.refused(span);
        isNarrowing = true;
        // The span will be read in several answers: check now that its last block exists.
        if (span.to === range.to && span.from > range.from && shown < range.to) await pin();
        return;
      }
      if (isWhole) await placeHead(span, answer);
      pieces.push(answer);
      plan.read(span, answer.length);
      if (hasFailedAlone && !isAlone && !isNarrowing)
        limits.always = Math.min(before.always, 2 * limits.always);
      onAnswer?.(plan.blocksRead());
    };

    try {
      while (lower === undefined) {
        if (failures.length > 0) throw failures[0];
        const requests = plan.requests();
        if (requests > maxRequests && !plan.isProbing()) {
          // The range may end far above the head.
          const newest = shown < range.to ? await headHeight(signal) : range.to;
          if (newest >= range.to) throw tooManyRequests(limits.always, requests, maxRequests);
          lower = newest;
          continue;
        }
        const span = reading.size < (plan.isProbing() ? 1 : concurrency) ? plan.next() : undefined;
        if (span) {
          const piece = readPiece(span)
            .catch((error: unknown) => void failures.push(error))
            .finally(() => reading.delete(piece));
          reading.add(piece);
        } else if (reading.size > 0) await Promise.race(reading);
        else {
          // Each piece is in order, and they do not overlap.
          const logs = pieces.sort(byFirst).flat();
          const pinned = await lastAt;
          const isSettled = !pinned || pinned.hash === (await lastBlock())?.hash;
          return { logs, replaceableFrom: isSettled ? undefined : lowestReplaceable };
        }
      }
      return lower;
    } finally {
      // After a failure the other requests are aborted.
      abandoned.abort();
      if (!readBlock && hasFailedAlone) Object.assign(shared, before);
      if (readBlock && !hasFailedAlone)
        for (const each of ['always', 'atMost'] as const) shared[each] = Math.min(shared[each], limits[each]);
      release();
    }
  }

  const receiptLogs = lazy(async () => (await import('./receipt-logs.js')).createReceiptLogs(service));

  async function readInRanges(...[criteria, from, to, options]: Parameters<LogRanges['read']>) {
    const { signal, onProgress, refusal, readBlock } = own(options);
    let shown = to === Number.POSITIVE_INFINITY ? await headHeight(signal) : -1;
    let end = shown < 0 ? to : shown;
    if (refusal) learnLimit(shared, { from, to: end }, refusal);
    /** The settled logs of a range that was reorganised while it was read. */
    let [begin, kept]: [number, readonly Log[]] = [from, []];
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (end < begin) return kept;
      const onAnswer = (read: number) => onProgress?.({ read: begin - from + read, blocks: end - from + 1 });
      const outcome = await readRange(
        criteria,
        { from: begin, to: end },
        { signal, onAnswer, refusal: begin === from ? refusal : undefined, shown, readBlock },
      );
      if (typeof outcome === 'number') {
        // The range ends at the head.
        shown = outcome;
        end = Math.min(end, shown);
        continue;
      }
      const { logs, replaceableFrom } = outcome;
      if (replaceableFrom === undefined) return kept.length > 0 ? [...kept, ...logs] : logs;
      kept = [...kept, ...logs.filter(({ blockNumber }) => Number(blockNumber) < replaceableFrom)];
      begin = replaceableFrom;
    }
    throw badReply('eth_getLogs', 'the chain was another one each time the range was read');
  }

  return {
    async read(criteria, from, to, options) {
      const { refusal } = own(options);
      try {
        if (isLacking(refusal)) throw refusal;
        return await readInRanges(criteria, from, to, options);
      } catch (error) {
        if (!isLacking(error)) throw error;
        return (await receiptLogs()).read(criteria, from, to, options);
      }
    },
    async ofBlock(criteria, hash, signal) {
      const check = (result: unknown) => checkBlockWithHash(result, [hash]);
      const block = (await service.request('eth_getBlockByHash', [hash, false], {
        signal,
        check,
      })) as Block | null;
      const { mayMatch, matches } = createMatcher(criteria);
      if (!block || !mayMatch(block.logsBloom)) return [];
      return (await (await receiptLogs()).ofBlock(block, { signal })).filter(matches);
    },
  };
}

export declare namespace createLogRanges {
  interface Options {
    /** Requests in flight at once. Default 6. */
    readonly concurrency?: number | undefined;
    /** The known limits of the service; refusals change them. */
    readonly limits?: LogLimits | undefined;
    /** Blocks below the head that no reorg reaches. Default 512. */
    readonly depth?: number | undefined;
    /** The head as others have polled it; never polled from here. */
    readonly head?: Pick<HeadView, 'state'> | undefined;
  }
}

/**
 * The height of the head, which is below the end of the range; or the logs, of which a reorg may have replaced those from
 * `replaceableFrom` on.
 */
type Outcome = number | { readonly logs: readonly Log[]; readonly replaceableFrom?: number | undefined };

interface Settings extends Omit<LogRanges.Options, 'onProgress'> {
  readonly onAnswer?: ((blocks: number) => void) | undefined;
  readonly shown: number;
}

const byFirst = ([a]: readonly Log[], [b]: readonly Log[]) =>
  Number(a?.blockNumber ?? 0) - Number(b?.blockNumber ?? 0);

const attempts = 3;

/** Requests beyond those in steps of the documented limit: 4 % of a day's quota. */
const extraRequests = 1_000;
