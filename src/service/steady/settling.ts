import { anySignal } from '../../async/cancellation.js';
import { toQuantity } from '../../rpc/hex.js';
import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import { own } from '../../rpc/own.js';
import { heightIn } from '../../rpc/results.js';
import { diagnose } from '../errors/diagnose.js';
import { requestAborted } from '../errors/errors.js';
import type { Service } from '../service.js';
import {
  type Answer,
  contradicted,
  differenceLasts,
  isByTransaction,
  isLatestBlock,
  isListed,
  isRefused,
  isWithin,
  latestStateParam,
  maxLag,
  pinnedFor,
  type Read,
  reportCertain,
  type SteadyRead,
  type SteadyState,
  withSelector,
} from './contradiction.js';
import { createStandings, triesOf } from './standing.js';
import { behind, type Case, createSteadyLogs } from './steady-logs.js';

/** Settles contradictions: a lazy chunk, since nodes that agree cause none. */
export function createSettling({ state, service, deadline, note, attempt }: createSettling.Options) {
  const { shown, now } = state;
  const pause = createPause(state);
  const standings = createStandings(state, service, pause);
  /** Whether the service has no receipts of the transactions that pay the miners. */
  let lacksLast = false;
  /** Whether the service refuses selectors with a hash. */
  let refusesHashes = false;

  const isDiffering = () => isWithin(state, state.differedAt, differenceLasts);
  /** After the clock was set back it is not known. */
  const raisedAt = () => (state.raisedAt > now() ? Number.NEGATIVE_INFINITY : state.raisedAt);
  /** An answer to a request from before the top rose does not show that nodes differ. */
  const noteDifference = ({ startedAt }: SteadyRead) => {
    if (startedAt >= raisedAt()) state.differedAt = now();
  };
  const tries = () => triesOf(service);
  const steadyLogs = createSteadyLogs({
    ...{ state, tries, isDiffering, noteDifference, noteBlock },
    readOther: (read) => readAsIs(read),
    settleAnew: (each, answer) => settleLogs(each, answer),
  });

  /** Runs one read within the deadline. A read that the deadline cuts off fails as behind. */
  async function within<T>(
    read: SteadyRead,
    pinned: readonly unknown[] | undefined,
    run: (each: Case) => Promise<T>,
  ): Promise<T> {
    const timeout = new AbortController();
    const left = Math.max(0, deadline - Math.abs(now() - read.startedAt));
    const timer = state.clock.setTimeout(() => timeout.abort(), left);
    const [signal, release] = anySignal(read.options.signal, timeout.signal);
    // The requests that settle the read are certain about other things.
    const limited: SteadyRead = { ...read, options: own({ ...read.options, signal, onCertain: undefined }) };
    const elsewhere: SteadyRead = { ...read, options: own({ ...limited.options, elsewhere: true }) };
    const { check, ...asking } = elsewhere.options;
    const pass = ({ result, error }: Answer): unknown => {
      if (error !== undefined) throw error;
      note(read, result, read.startedAt);
      return result;
    };
    try {
      return await run({
        read: limited,
        signal,
        async again(number) {
          await pause(number - 1, signal);
          return attempt(elsewhere, pinned ?? read.params, pinned !== undefined);
        },
        find: (point, isFull) => standings.find(point, own(asking), isFull),
        readAnew: () => attempt(limited, pinned ?? read.params, pinned !== undefined),
        pass,
        passOther(result) {
          try {
            check?.(result);
          } catch (error) {
            const text = error instanceof Error ? error.message : 'malformed';
            throw diagnose({ method: read.method, trouble: 'broken', text }, String).error;
          }
          note(read, result, state.reachedAt);
          return result;
        },
      });
    } catch (error) {
      throw timeout.signal.aborted ? behind(read.method) : error;
    } finally {
      state.clock.clearTimeout(timer);
      release();
    }
  }

  /**
   * Reads again while the answer contradicts a shown block that stands. Once that is gone, so is what was shown above it: the
   * next answer is compared with what is left.
   */
  async function readConsistent(
    { read, again, find, readAnew }: Case,
    first: Answer,
    pinned: readonly unknown[] | undefined,
  ): Promise<Consistent> {
    const sent: Read = { method: read.method, params: pinned ?? read.params };
    let answer = first;
    for (let number = 1; contradicted(shown, sent, answer); number++) {
      const max = maxRepeats(read, answer);
      if (number > max) return { answer, end: 'spent' };
      // Another node may answer: mostly that is all.
      answer = await again(number);
      const point = contradicted(shown, sent, answer);
      if (!point) return { answer, end: 'other' };
      const { state: standing, asks } = await find(point);
      if (standing === 'unknown') throw behind(read.method);
      if (standing === 'gone' && pinned) return { answer, end: 'gone' };
      // The inquiry has paused too.
      number = Math.max(number, Math.min(asks, max - 1));
      if (standing === 'stands') continue;
      answer = await readAnew();
      number = 0;
    }
    return { answer, end: 'same' };
  }

  /** Resolves with {@link moved} where the block that the read was pinned to is gone. */
  async function settleRead(
    each: Case,
    first: Answer,
    pinned: readonly unknown[] | undefined,
  ): Promise<unknown> {
    const { answer, end } = await readConsistent(each, first, pinned);
    if (end === 'spent') return lastResort(each, answer);
    if (end === 'gone') return moved;
    if (end === 'other' && !isMissing(answer)) noteDifference(each.read);
    return pinned && isMissing(answer) ? moved : each.pass(answer);
  }

  /** Reads again while a node refuses a block of the filter that it lacks, then compares the logs with what was shown. */
  async function settleLogs(each: Case, first: Answer): Promise<unknown> {
    const { answer, end } = await readConsistent(each, first, undefined);
    return end === 'spent' ? lastResort(each, answer) : steadyLogs(each, answer);
  }

  /** `null` may be right where a read names an item of the block, and where the service lacks what it asks for. */
  function maxRepeats(read: SteadyRead, { error }: Answer): number {
    if (isReward(read) && lacksLast) return 0;
    return error === undefined && mayBeNull(read) ? 2 : tries() - 1;
  }

  const mayBeNull = (read: Read): boolean => {
    const { item, mayBeNull = false } = methodFacts(read.method);
    return (item !== undefined && !isListed(shown, read)) || (mayBeNull && !state.answered.has(read.method));
  };

  /** Whether it asks for a transaction that pays the miners, of which the service has shown no such answer. */
  const isReward = ({ method, params }: Read): boolean =>
    shown.place(params[0])?.isLast === true && shown.answer(method, params[0]) === undefined;

  /** The end of the budget, where the block stands: nothing older than what was shown. */
  function lastResort({ read, pass }: Case, answer: Answer): unknown {
    const known = isByTransaction(read) ? shown.answer(read.method, read.params[0]) : undefined;
    if (known) return JSON.parse(known);
    const count = countOf(read);
    if (count !== undefined) return toQuantity(count);
    if (isReward(read)) lacksLast = true;
    else if (answer.error !== undefined || !mayBeNull(read)) throw behind(read.method);
    return pass(answer);
  }

  /** How many transactions the block of a count has, where that was shown. */
  function countOf({ method, params: [selector] }: Read): number | undefined {
    if (!methodFacts(method).countsTransactions) return undefined;
    const { height, hash } = shown.find(selector);
    const block = shown.at(height);
    return block?.hash.toLowerCase() === hash?.toLowerCase() ? block?.count : undefined;
  }

  /** The head does not go back while the top stands. The highest block that is left once it is gone counts as the top. */
  async function settleHead(each: Case, first: Answer): Promise<unknown> {
    const { read, pass } = each;
    let answer = first;
    for (let lost = 0; contradicted(shown, read, answer); ) {
      const top = shown.top();
      const isNumber = read.method === 'eth_blockNumber';
      const isSure = isWithin(state, state.reachedAt, sureFor) && isDiffering();
      if (isNumber && (isSure || read.startedAt < raisedAt())) return toQuantity(top);
      const standing = await each.find({ height: top, hash: shown.at(top)?.hash }, read.params[1] === true);
      if (standing.state === 'stands') {
        noteDifference(read);
        return isNumber ? toQuantity(top) : each.passOther(standing.block);
      }
      if (standing.state === 'unknown') {
        if (isNumber) return toQuantity(top);
        throw behind(read.method);
      }
      answer = await each.readAnew();
      if (standing.lost) lost += standing.lost === 'alone' ? 2 : 1;
      // The chain was set back, perhaps by many blocks.
      if (lost >= 2) shown.forget((isNumber ? Number(answer.result) : heightIn(answer.result)) + 1);
    }
    return pass(answer);
  }

  /** Takes note of a block that has answered a request of this layer. */
  function noteBlock(block: unknown): void {
    note({ method: 'eth_getBlockByNumber', params: [toQuantity(heightIn(block))] }, block, state.reachedAt);
  }

  /** Reads which transactions the newest blocks have, where that is not known: a request for each new block. */
  async function listTransactions({ read }: Case): Promise<void> {
    const { check: _, ...asking } = read.options;
    const top = shown.top();
    for (let height = Math.max(0, state.firstTop, top - maxLag + 1); height <= top; height++) {
      const block = shown.at(height);
      if (block?.count !== undefined) continue;
      const standing = await standings.find({ height, hash: block?.hash }, own(asking));
      if (standing.state === 'stands') noteBlock(standing.block);
    }
  }

  async function settle(
    read: SteadyRead,
    pinned: readonly unknown[] | undefined,
    answer: Answer,
  ): Promise<unknown> {
    const result = await within(read, pinned, async (each) => {
      if (read.method === 'eth_getLogs') return settleLogs(each, answer);
      if (read.method === 'eth_blockNumber' || isLatestBlock(read)) return settleHead(each, answer);
      if (isByTransaction(read) && Number.isNaN(heightIn(answer.result)) && !shown.place(read.params[0]))
        await listTransactions(each);
      return settleRead(each, answer, pinned);
    });
    if (result === moved) return readNewest(read, latestStateParam(read) as number);
    reportCertain(state, read, pinned, result);
    return result;
  }

  const readAsIs = async (read: SteadyRead): Promise<unknown> =>
    settle(read, undefined, await attempt(read, read.params, false));

  const readPinned = async (read: SteadyRead, params: readonly unknown[]): Promise<unknown> =>
    settle(read, params, await attempt(read, params, true));

  /** Polls the head unless it was shown just now: concurrent reads share the poll. */
  async function refreshTop({ options, startedAt }: SteadyRead): Promise<void> {
    const isSure = isWithin(state, state.reachedAt, pinnedFor) && state.reachedAt > state.sentAt;
    if (isSure && !state.isLocal && shown.top() >= 0) return;
    const { check: _, onCertain: __, ...polling } = options;
    await readAsIs({
      method: 'eth_getBlockByNumber',
      params: ['latest', false],
      options: own(polling),
      startedAt,
    });
  }

  /** Reads the newest state at the top: at its hash while nodes differ, since they may have two blocks of one height. */
  async function readNewest(read: SteadyRead, at: number): Promise<unknown> {
    await refreshTop(read);
    const top = shown.top();
    const pinned = (selector: unknown) => withSelector(read.params, at, selector);
    const blockHash =
      isDiffering() && methodFacts(read.method).takesBlockHash ? shown.at(top)?.hash : undefined;
    let isHashRefused = false;
    if (blockHash !== undefined && !refusesHashes) {
      const answer = await readPinned(read, pinned({ blockHash })).catch(orRefused);
      if (answer !== refused) return answer;
      isHashRefused = true;
    }
    const answer = await readPinned(read, pinned(toQuantity(top))).catch(orRefused);
    if (answer === refused) return readAsIs(read);
    refusesHashes ||= isHashRefused;
    return answer;
  }

  return {
    /** Settles an answer that may contradict what was shown. `pinned`: the params that were sent, where they are not the caller's. */
    settle,
    /** Reads while nodes are known to differ. */
    async read(read: SteadyRead): Promise<unknown> {
      const at = latestStateParam(read);
      return at === undefined || shown.top() < 0 ? readAsIs(read) : readNewest(read, at);
    },
  };
}

/** Waits before a request that repeats one: 0, 50, 100, 200, 400 and then 800 ms; a fifth of it on this machine. */
const createPause =
  ({ clock, isLocal }: SteadyState) =>
  (attempt: number, signal: AbortSignal): Promise<void> => {
    const step = isLocal ? 10 : 50;
    return new Promise((resolve, reject) => {
      const abort = () => {
        clock.clearTimeout(timer);
        reject(requestAborted('eth_getBlockByNumber'));
      };
      const timer = clock.setTimeout(
        () => {
          signal.removeEventListener('abort', abort);
          resolve();
        },
        attempt > 0 ? Math.min(step * 2 ** (attempt - 1), step * 16) : 0,
      );
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
  };

/** The block that a read was pinned to has left the chain. */
const moved = Symbol('moved');
const refused = Symbol('refused');

function orRefused(error: unknown): typeof refused {
  if (isRefused(error)) return refused;
  throw error;
}

interface Consistent {
  readonly answer: Answer;
  /** `same`: as read first or after a reorg. `other`: of a repetition. `spent`: at the maximum. `gone`: its pinned block has left. */
  readonly end: 'same' | 'other' | 'spent' | 'gone';
}

const isMissing = ({ result, error }: Answer): boolean => error !== undefined || result === null;

/** Milliseconds for which the top is the newest block without a request, from when it was last shown, while nodes differ. */
const sureFor = 3_000;

export declare namespace createSettling {
  interface Options {
    readonly state: SteadyState;
    readonly service: Service;
    /** Milliseconds. */
    readonly deadline: number;
    readonly note: (read: Read, result: unknown, requestedAt: number) => void;
    readonly attempt: (read: SteadyRead, params: readonly unknown[], isPinned: boolean) => Promise<Answer>;
  }
}
