import { anySignal } from '../async/any-signal.js';
import { errorCode, isProviderRpcError, limitExceeded, unauthorized, userRejected } from '../rpc/errors.js';
import { own, ownDeep } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import { type Approved, mint } from './approved.js';
import { networkWarnings } from './describe/network.js';
import { createJoin, type Join } from './join.js';
import type { Answer, Approver, Question } from './question.js';
import type { Warning } from './warning.js';

/** A question as a caller writes it: the queue adds its id and whether the keys are locked when it is shown. */
export type Asked<Q extends Question = Question> = Q extends Question ? Omit<Q, 'id' | 'locked'> : never;

/**
 * The only way to an {@link Approved}: ask the person, one question at a time, in order.
 *
 * Nothing waits for ever, whatever becomes of a dialog: a question ends as refused when its approver fails, when
 * who asked gives up, when the wallet closes, and at the latest when it has stood open for ten minutes. Then the
 * next one is shown. So an approver that waits for a request of its own, which waits for this answer, is
 * refused too. Nothing of a question is stored: a page that opens again has none pending.
 */
export interface Approvals {
  /**
   * Resolves with the approval of exactly `subject` once the person agreed to `question`.
   * @throws ProviderRpcError 4001 for a refusal, a closed dialog, a dialog that failed, an aborted `signal`; 4200 where
   * nobody can be asked safely (a frame that cannot tell whether it is visible); -32005 when too many questions of this origin wait already.
   */
  request<T>(question: Asked, subject: T, options?: Approvals.RequestOptions): Promise<Approved<T>>;
  /**
   * Which accounts may `question.origin` see? At least one of those in the question.
   * @throws ProviderRpcError as {@link Approvals.request}
   */
  connect(question: ConnectAsked, signal?: AbortSignal): Promise<readonly Address[]>;
  /** Asks once, and does once what was agreed to, for all who ask for the same meanwhile. */
  readonly join: Join;
  /** Refuses everything that waits and closes what is shown. */
  close(): void;
}

export declare namespace Approvals {
  interface RequestOptions {
    readonly signal?: AbortSignal;
    /** True when agreeing needs the keys: the person is then asked for the password in the same dialog. */
    readonly needsKeys?: boolean;
    /** Asked after the answer: whether the origin may still have what it asked for (else 4100). */
    readonly stillAllowed?: () => boolean;
  }
}

type ConnectAsked = Asked<Extract<Question, { kind: 'connect' }>>;

interface Lock {
  locked(): boolean;
  unlock(password: string): Promise<void>;
}

const refusal: Answer = { approved: false };

export function createApprovals(options: createApprovals.Options): Approvals {
  const { approver, lock, maxWaiting = 20, openFor = 600_000 } = own(options);
  /** Ends each question that is not answered. */
  const open = new Set<AbortController>();
  let closed = false;
  const waiting = new Map<string, number>();
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;

  const showOnce = async (asked: Asked, keys: Lock | null, signal: AbortSignal): Promise<Answer> => {
    const locked = keys?.locked() ?? false;
    const question = ownDeep({
      ...asked,
      warnings: warningsOf(asked),
      id: `q${++count}`,
      locked,
    } as Question);
    const unlock = async (password: string) => keys?.unlock(password);
    const shown = async () => (await approver()).ask(Object.freeze(question), { signal, unlock });
    const answer = await shown().catch((error: unknown) => {
      // The approver cannot ask a person here at all, and says why.
      if (isProviderRpcError(error) && error.code === errorCode.unsupportedMethod) throw error;
      // A dialog that broke or did not load has asked nobody.
      return refusal;
    });
    if (own(answer).approved !== true) return refusal;
    // An approver that agrees without having unlocked has broken its contract: nothing could be signed.
    if (question.locked && keys?.locked()) throw unauthorized('The wallet is locked.');
    return answer;
  };

  const show = async (asked: Asked, needsKeys: boolean, signal: AbortSignal): Promise<Answer> => {
    const keys = needsKeys ? await lock() : null;
    while (!signal.aborted) {
      const answer = await showOnce(asked, keys, signal);
      // The keys may have locked while the dialog stood open: then it is asked once more, with the password.
      if (!answer.approved || !keys?.locked()) return answer;
    }
    return refusal;
  };

  /** Shows it for as long as it may stand: a dialog whose window died must not hold up what comes after it. */
  const stand = async (asked: Asked, needsKeys: boolean, signal: AbortSignal): Promise<Answer> => {
    const expired = new AbortController();
    const timer = setTimeout(() => expired.abort(), openFor);
    const [ended, release] = anySignal(signal, expired.signal);
    try {
      return await unlessAborted(ended, () => show(asked, needsKeys, ended));
    } finally {
      clearTimeout(timer);
      release();
    }
  };

  const ask = async (asked: Asked, given: Approvals.RequestOptions): Promise<Answer> => {
    const settings = own(given);
    const { origin } = asked;
    const ahead = waiting.get(origin) ?? 0;
    if (ahead >= maxWaiting)
      throw limitExceeded(`Too many pending approvals: ${maxWaiting} are waiting already.`);
    waiting.set(origin, ahead + 1);
    // Each question has its own controller: Node warns of a leak when many listen on one signal.
    const ending = new AbortController();
    if (closed) ending.abort();
    open.add(ending);
    const [signal, release] = anySignal(ending.signal, settings.signal);
    const turn = last.then(() => stand(asked, settings.needsKeys ?? false, signal));
    last = turn.catch(() => {});
    try {
      return await unlessAborted(signal, () => turn);
    } finally {
      release();
      open.delete(ending);
      const left = (waiting.get(origin) ?? 1) - 1;
      if (left > 0) waiting.set(origin, left);
      else waiting.delete(origin);
    }
  };

  return {
    async request(question, subject, settings = {}) {
      const answer = await ask(question, settings);
      if (!answer.approved) throw userRejected();
      if (own(settings).stillAllowed?.() === false)
        throw unauthorized('The requested account and/or method has not been authorized by the user.');
      return mint(subject);
    },
    async connect(question, signal) {
      const answer = await ask(question, signal ? { signal } : {});
      if (!answer.approved) throw userRejected();
      const offered = question.accounts.map(({ address }) => address);
      const given: unknown = own(answer).accounts ?? question.selected;
      const chosen = Array.isArray(given) ? offeredOnly(given, offered) : [];
      if (chosen.length === 0) throw userRejected();
      return chosen;
    },
    join: createJoin(),
    close() {
      closed = true;
      for (const ending of open) ending.abort();
    },
  };
}

export declare namespace createApprovals {
  interface Options {
    /** Loads the approver when it is first needed. */
    readonly approver: () => Approver | Promise<Approver>;
    /** The keys' lock, loaded when a question needs it. */
    readonly lock: () => Promise<Lock>;
    /** Questions of one origin that may wait, the shown one included. Default 20. */
    readonly maxWaiting?: number;
    /** Milliseconds that a question may stand open. Default ten minutes. */
    readonly openFor?: number;
  }
}

/** Those of the question, with what is to be weighed about its networks behind the dangers. */
function warningsOf(asked: Asked): readonly Warning[] {
  const networks = asked.kind === 'switch-chain' ? [asked.network, asked.target] : [asked.network];
  const isDanger = ({ severity }: Warning) => severity === 'danger';
  return [
    ...asked.warnings.filter(isDanger),
    ...networks.flatMap(networkWarnings),
    ...asked.warnings.filter((warning) => !isDanger(warning)),
  ];
}

/** Each once, in the order in which the person chose them. */
const offeredOnly = (given: readonly unknown[], offered: readonly Address[]): readonly Address[] =>
  [...new Set(given)].filter((address): address is Address => offered.includes(address as Address));

/**
 * What `work` resolves with, or a refusal as soon as `signal` aborts. A failure that is not ours (the dialog
 * broke, did not load, answered nonsense) is a refusal too: nobody has agreed.
 */
async function unlessAborted(signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer> {
  if (signal.aborted) return refusal;
  let stop = (): void => {};
  const aborted = new Promise<Answer>((resolve) => {
    stop = () => resolve(refusal);
    signal.addEventListener('abort', stop, own({ once: true }));
  });
  try {
    return await Promise.race([work(), aborted]);
  } catch (error) {
    if (isProviderRpcError(error)) throw error;
    return refusal;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
