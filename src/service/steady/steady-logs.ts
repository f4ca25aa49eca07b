import { isBloom } from '../../rpc/bloom.js';
import { badReply } from '../../rpc/core-errors.js';
import { errorCode, isProviderRpcError, type ProviderRpcError } from '../../rpc/errors.js';
import { toQuantity } from '../../rpc/hex.js';
import { createMatcher, type Matcher } from '../../rpc/matcher.js';
import { own } from '../../rpc/own.js';
import { heightIn } from '../../rpc/results.js';
import type { Hash, Log, LogFilter } from '../../rpc/schema.js';
import { type BlockWithLogs, createReceiptLogs } from '../logs/receipt-logs.js';
import type { Service } from '../service.js';
import {
  type Answer,
  isLatest,
  lacksLogs,
  newestIn,
  type SteadyRead,
  type SteadyState,
  startsAtLatest,
} from './contradiction.js';
import { type ChainPoint, setLast } from './shown.js';
import type { Standing } from './standing.js';

/** One read that is being settled. */
export interface Case {
  readonly read: SteadyRead;
  readonly signal: AbortSignal;
  /** Reads again, at another endpoint where there is one. The first call is number 1. */
  again(number: number): Promise<Answer>;
  /** Whether a shown block is still on the chain. */
  find(point: ChainPoint, isFull?: boolean): Promise<Standing>;
  /** Reads as the first time. */
  readAnew(): Promise<Answer>;
  /** Passes an answer to the caller's read on. */
  pass(answer: Answer): unknown;
  /** Passes on what was read by other requests, if the caller's check accepts it. */
  passOther(result: unknown): unknown;
}

export const behind = (method: string): ProviderRpcError =>
  badReply(method, 'the nodes that answered are behind a block that was shown; try again', {
    reason: 'behind',
  });

/**
 * Settles a list of logs: a node that is behind lacks those of the newest blocks without an error, and nodes lose logs of
 * blocks that they have (docs/notes/node.md#logs). A block whose bloom has what is asked for, and of which the list has
 * nothing, is read from its receipts, which its bloom proves.
 */
export function createSteadyLogs(options: createSteadyLogs.Options) {
  const { state, tries, isDiffering, noteDifference, noteBlock, readOther, settleAnew } = options;
  const { shown } = state;
  /** Blocks whose bloom has what a filter asks for by chance. */
  const empty = new Map<string, true>();

  /** Reads the blooms that are not known: those of blocks with logs, and while nodes differ those of all newest blocks. */
  async function readBlooms(filter: unknown, { read, find }: Case): Promise<void> {
    for (const height of newestIn(shown, filter)) {
      const block = shown.at(height);
      if (isBloom(block?.logsBloom) || !(isDiffering() || block?.hasLogs)) continue;
      const standing = await find({ height, hash: block?.hash });
      if (standing.state === 'unknown') throw behind(read.method);
      if (standing.state === 'stands') noteBlock(standing.block);
    }
  }

  /** Heights whose logs are wrong: those of another block, or none where the bloom has what is asked for. */
  function wrongIn(filter: LogFilter, { result }: Answer, matcher: Matcher): number[] {
    const has = new Set((result as readonly Log[] | undefined)?.map(heightIn));
    return lacksLogs(shown, filter, result).filter((height) => {
      const block = shown.at(height);
      if (has.has(height)) return true;
      return (
        isBloom(block?.logsBloom) &&
        matcher.mayMatch(block.logsBloom) &&
        !empty.has(keyOf(filter, block.hash))
      );
    });
  }

  /** The logs of a block that stands, as its receipts have them. @throws ProviderRpcError `behind` where they are not complete */
  async function logsOf(block: BlockWithLogs, { read, signal }: Case): Promise<readonly Log[]> {
    const { check: _, ...asking } = read.options;
    const receipts = createReceiptLogs({
      request: (method, params, options) =>
        readOther({ method, params, options: own({ ...asking, ...options }), startedAt: state.now() }),
    } as Service);
    try {
      return await receipts.ofBlock(block, { signal });
    } catch (error) {
      throw isProviderRpcError(error) && error.code === errorCode.internal ? behind(read.method) : error;
    }
  }

  /** Polls the head, and reads the logs of the newest block by its number. */
  async function readAtTop({ read }: Case, filter: LogFilter): Promise<unknown> {
    const { check: _, ...asking } = read.options;
    await readOther({
      ...read,
      method: 'eth_getBlockByNumber',
      params: ['latest', false],
      options: own(asking),
    });
    const top = toQuantity(shown.top());
    const toBlock = isLatest(filter.toBlock) ? top : filter.toBlock;
    return readOther({ ...read, params: [{ ...filter, fromBlock: top, toBlock }] });
  }

  async function settle(each: Case, first: Answer): Promise<unknown> {
    const filter = own(each.read.params[0] as LogFilter);
    const matcher = matcherOf(filter);
    if (!matcher || first.error !== undefined) return each.pass(first);
    await readBlooms(filter, each);
    if (startsAtLatest(filter)) {
      const isOlder = heightIn(first.result) < shown.top();
      return isOlder || wrongIn(filter, first, matcher).length > 0
        ? readAtTop(each, filter)
        : each.pass(first);
    }
    let answer = first;
    let wrong = wrongIn(filter, answer, matcher);
    const max = isDiffering() ? tries() - 1 : 1;
    for (let number = 1; number <= max && wrong.length > 0; number++) {
      answer = await each.again(number);
      if (answer.error !== undefined) return each.pass(answer);
      const left = wrongIn(filter, answer, matcher);
      if (left.length < wrong.length) noteDifference(each.read);
      wrong = left;
    }
    if (wrong.length === 0) return each.pass(answer);
    let logs = answer.result as readonly Log[];
    for (const height of wrong) {
      const block = shown.at(height);
      const standing = await each.find({ height, hash: block?.hash });
      if (standing.state === 'gone') return settleAnew(each, await each.readAnew());
      if (standing.state === 'unknown') throw behind(each.read.method);
      const found = await logsOf(standing.block, each);
      const wanted = found.filter(matcher.matches);
      if (wanted.length === 0) setLast(empty, keyOf(filter, standing.block.hash as Hash), true, maxEmpty);
      const isBelow = (log: Log) => heightIn(log) < height;
      logs = [...logs.filter(isBelow), ...wanted, ...logs.filter((log) => heightIn(log) > height)];
    }
    return each.passOther(logs);
  }

  return settle;
}

/** `undefined` for a filter that breaks the rules, which is for the node to refuse. */
function matcherOf(filter: LogFilter): Matcher | undefined {
  try {
    return createMatcher(filter);
  } catch {
    return undefined;
  }
}

const keyOf = ({ address, topics }: LogFilter, hash: Hash): string => JSON.stringify([hash, address, topics]);

const maxEmpty = 256;

export declare namespace createSteadyLogs {
  interface Options {
    readonly state: SteadyState;
    /** Requests that one contradiction may cost. */
    readonly tries: () => number;
    readonly isDiffering: () => boolean;
    readonly noteDifference: (read: SteadyRead) => void;
    readonly noteBlock: (block: unknown) => void;
    /** A steady read of another method. */
    readonly readOther: (read: SteadyRead) => Promise<unknown>;
    /** Settles an answer that was read after a shown block has left the chain. */
    readonly settleAnew: (each: Case, answer: Answer) => Promise<unknown>;
  }
}
