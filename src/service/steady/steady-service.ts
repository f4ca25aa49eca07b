import { type Clock, systemClock } from '../../async/clock.js';
import { lazy } from '../../async/lazy.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { toQuantity } from '../../rpc/hex.js';
import { develops, methodFacts, sends } from '../../rpc/method-facts/method-facts.js';
import { own } from '../../rpc/own.js';
import { heightIn } from '../../rpc/results.js';
import { isOnThisMachine } from '../networks.js';
import type { Service } from '../service.js';
import {
  type Answer,
  contradicted,
  differenceLasts,
  isByTransaction,
  isLatestBlock,
  isRefused,
  isWithin,
  lacksLogs,
  latestStateParam,
  pinnedFor,
  type Read,
  reportCertain,
  type SteadyRead,
  type SteadyState,
  withSelector,
} from './contradiction.js';
import type { createSettling } from './settling.js';
import { createShown } from './shown.js';

/**
 * A service that takes nothing back that was shown while the chain did not change (docs/notes/service.md#monotonic-reads).
 * Nodes behind one URL differ by some blocks: a later answer may be older. One that contradicts what was shown is settled:
 * read again until a node has caught up, or until nodes prove that the shown block has left the chain. While nodes agree
 * it sends no request of its own.
 *
 * It rejects with the error of `requireOpen` once that throws, except two methods: a signed transaction must reach the
 * network, and a server filter is to be removed.
 *
 * @throws ProviderRpcError -32603 with `data.reason` `behind` where no node that answered has caught up within 3.2 s
 */
export interface SteadyService extends Service {
  /**
   * Takes note of an answer that came another way: from another tab, or from a source of heads.
   * @param requestedAt milliseconds since 1970
   */
  note(method: string, params: readonly unknown[], result: unknown, requestedAt: number): void;
  /** Whether an answer that came another way contradicts nothing that was shown. */
  accepts(method: string, params: readonly unknown[], result: unknown): boolean;
}

/** Takes note of the answers that this service gives. */
export interface AnswerTracker {
  /** Must be called when a request is sent; its methods then report the outcome. */
  begin(method: string, params: readonly unknown[], options?: Service.RequestOptions): TrackedRequest;
}

export interface TrackedRequest {
  answered(result: unknown): void;
  /** Must be called in every case: answered or failed. */
  ended(): void;
}

export function createSteadyService(given: createSteadyService.Options): SteadyService {
  const options = own(given);
  const { service, requireOpen = () => {}, head = () => undefined } = options;
  const { clock = systemClock, deadline = 10_000 } = options;
  const { urls } = service.network;
  const shown = createShown();
  const state: SteadyState = {
    shown,
    clock,
    now: options.now ?? options.clock?.now ?? Date.now,
    isLocal: urls.length > 0 && urls.every(isOnThisMachine),
    answered: new Set(),
    reachedAt: Number.NEGATIVE_INFINITY,
    raisedAt: Number.NEGATIVE_INFINITY,
    differedAt: Number.NEGATIVE_INFINITY,
    sentAt: Number.NEGATIVE_INFINITY,
    firstTop: Number.POSITIVE_INFINITY,
  };
  /** A height far above the top, which one answer has shown. */
  let leap = Number.NaN;

  function requireOpenFor(method: string): void {
    if (!methodFacts(method).isSentAfterClose) requireOpen();
  }

  const send: Service['request'] = async (method, ...call) => {
    requireOpenFor(method);
    return service.request(method, ...call);
  };

  const settling = lazy(async () => {
    const create = options.createSettling ?? (await import('./settling.js')).createSettling;
    return create({ state, service: { ...service, request: send }, deadline, note, attempt });
  });

  /** Takes note of an answer to a request that was made at a time of the clock. */
  function note({ method, params }: Read, result: unknown, requestedAt: number): void {
    if (result !== null) state.answered.add(method);
    const before = shown.top();
    const height = method === 'eth_blockNumber' ? Number(result) : shown.heightOf(method, params, result);
    if (Number.isNaN(height)) return;
    // One wrong answer must not make all others contradictions. On this machine tests mine as many at once.
    const seconds = Math.max(0, state.now() - state.raisedAt) / 1_000;
    const isLeap = before >= 0 && height > before + maxLeap + seconds && !state.isLocal;
    if (isLeap && !(Math.abs(height - leap) <= maxLeap)) {
      leap = height;
      return;
    }
    if (method === 'eth_blockNumber') shown.raise(height);
    else shown.note(method, params, result);
    if (height < shown.top()) return;
    if (height > before) state.raisedAt = state.now();
    state.reachedAt = Math.max(requestedAt, Math.min(state.reachedAt, state.now()));
    state.firstTop = Math.min(state.firstTop, height);
  }

  /** The options of a read, of which `null` is an answer where it is pinned: no balance, but the node lacks the block. */
  function optionsOf({ options }: SteadyRead, isPinned: boolean): Service.RequestOptions {
    const { check } = options;
    return isPinned && check
      ? own({ ...options, check: (result: unknown) => result === null || check(result) })
      : options;
  }

  /** Sends a read with other params than the caller's where `params` differ. */
  const attempt = (read: SteadyRead, params: readonly unknown[], isPinned: boolean): Promise<Answer> =>
    send(read.method, params, optionsOf(read, isPinned)).then(answerOf, (error) => {
      if (isNotFound(error)) return missing(error);
      throw error;
    });

  /** The params of a read of the newest state, pinned to the top while that is surely still the newest block. */
  function pinnedParams(read: SteadyRead): readonly unknown[] | undefined {
    const at = latestStateParam(read);
    const isSure =
      isWithin(state, state.reachedAt, pinnedFor) && state.reachedAt > state.sentAt && shown.top() >= 0;
    if (at === undefined || !isSure || state.isLocal) return undefined;
    return withSelector(read.params, at, toQuantity(shown.top()));
  }

  /** How a request is sent; `undefined` for a read that is settled from the beginning. */
  function planOf(read: SteadyRead): Plan | undefined {
    if (changesChain(read.method)) return { isFree: false, pinned: undefined };
    const isState = latestStateParam(read) !== undefined;
    // The dialog costs one round trip, also while the nodes that answer are behind what was shown.
    const isFree = (isState || isLatestBlock(read)) && read.options.priority === 'person';
    if (isFree) return { isFree, pinned: undefined };
    const isRisen = state.isLocal && isState && isWithin(state, state.raisedAt, risesFor);
    if (isRisen || isWithin(state, state.differedAt, differenceLasts)) return undefined;
    return { isFree, pinned: pinnedParams(read) };
  }

  /** The answer in an error, or the answer to the read as the caller has made it. @throws the error of any other failure */
  async function answerAfter(error: unknown, read: SteadyRead, plan: Plan): Promise<Answer> {
    if (isNotFound(error)) return missing(error);
    if (!plan.pinned || !isRefused(error)) throw error;
    plan.pinned = undefined;
    return attempt(read, read.params, false);
  }

  /** The result of an answer that contradicts nothing that was shown, or has been settled. */
  async function resultOf(read: SteadyRead, { pinned, isFree }: Plan, answer: Answer): Promise<unknown> {
    const isWrong = isSuspect({ method: read.method, params: pinned ?? read.params }, answer);
    if (isFree && isWrong) return answer.result;
    if (isWrong || isUnplaced(read, answer)) return (await settling()).settle(read, pinned, answer);
    if (answer.error !== undefined) throw answer.error;
    note(read, answer.result, read.startedAt);
    reportCertain(state, read, pinned, answer.result);
    return answer.result;
  }

  /** Whether an answer contradicts what was shown; for logs, whether it may do so. */
  const isSuspect = (read: Read, answer: Answer): boolean =>
    read.method === 'eth_getLogs' && answer.error === undefined
      ? lacksLogs(shown, read.params[0], answer.result).length > 0
      : contradicted(shown, read, answer) !== undefined;

  /** Whether a transaction may be in one of the newest blocks whose transactions are not known, and these cost nothing to read. */
  const isUnplaced = (read: Read, { result }: Answer): boolean =>
    state.isLocal && isByTransaction(read) && Number.isNaN(heightIn(result)) && shown.top() >= 0;

  return {
    ...service,
    async request(method, params, settings) {
      const { place, ...rest } = own(settings);
      const read: SteadyRead = { method, params, options: own(rest), startedAt: state.now() };
      const tracked = head()?.begin(method, params, settings);
      try {
        requireOpenFor(method);
        if (place) shown.setPlace(params[0], { ...place, isLast: false });
        const plan = planOf(read);
        const result = plan
          ? await service
              .request(method, plan.pinned ?? params, optionsOf(read, plan.pinned !== undefined))
              .then(answerOf, (error) => answerAfter(error, read, plan))
              .then((answer) => resultOf(read, plan, answer))
          : await (await settling()).read(read);
        tracked?.answered(result);
        return result;
      } finally {
        // A chain that mines at once has a newer head afterwards.
        if (changesChain(method)) state.sentAt = state.now();
        if (develops(method)) shown.forget(0);
        tracked?.ended();
      }
    },
    note: (method, params, result, requestedAt) => note({ method, params }, result, requestedAt),
    accepts: (method, params, result) => !isSuspect({ method, params }, answerOf(result)),
  };
}

const changesChain = (method: string): boolean => sends(method) || develops(method);

const answerOf = (result: unknown): Answer => ({ result, error: undefined });
const missing = (error: unknown): Answer => ({ result: undefined, error });

/** Whether a node lacks the block of a read. */
const isNotFound = (error: unknown): boolean =>
  isProviderRpcError(error) && error.code === errorCode.resourceNotFound;

/** How a read is sent. */
interface Plan {
  /** Whether its answer is passed on, although it contradicts what was shown. */
  readonly isFree: boolean;
  /** Its params, where it is pinned to the top. */
  pinned: readonly unknown[] | undefined;
}

/** Milliseconds for which the head is polled before reads of the newest state, where requests cost nothing, from when the top rose. */
const risesFor = 3_000;
/** Blocks by which one answer may raise the top, beyond one for each second since it last rose. */
const maxLeap = 1_000;

export declare namespace createSteadyService {
  interface Options {
    readonly service: Service;
    /** Throws once the owner is closed. */
    readonly requireOpen?: (() => void) | undefined;
    /** The head tracker, once it has loaded. */
    readonly head?: (() => AnswerTracker | undefined) | undefined;
    readonly clock?: Clock | undefined;
    /** Milliseconds since 1970. Default: the clock's. */
    readonly now?: (() => number) | undefined;
    /** Milliseconds for a read with all that it takes to settle it. Default 10,000. */
    readonly deadline?: number | undefined;
    /** Default: loads with the first contradiction. */
    readonly createSettling?: typeof createSettling | undefined;
  }
}
