import { isProviderRpcError, limitExceeded, unauthorized, userRejected } from '../rpc/errors.js';
import type { Address } from '../rpc/schema.js';
import { type Approved, mint } from './approved.js';
import type { Answer, Approver, Question } from './question.js';

/** A question as a caller writes it: the queue adds its id and whether the keys are locked when it is shown. */
export type Asked<Q extends Question = Question> = Q extends Question ? Omit<Q, 'id' | 'locked'> : never;

/**
 * The only way to an {@link Approved}: ask the person, one question at a time, in order.
 */
export interface Approvals {
  /**
   * Resolves with the approval of exactly `subject` once the person agreed to `question`.
   * @throws ProviderRpcError 4001 for a refusal, a closed dialog, a dialog that failed, an aborted `signal`;
   * -32005 when too many questions of this origin wait already.
   */
  request<T>(question: Asked, subject: T, options?: Approvals.RequestOptions): Promise<Approved<T>>;
  /** Which accounts may `question.origin` see? Equal pending questions of one origin share one dialog. */
  connect(question: ConnectAsked, signal?: AbortSignal): Promise<readonly Address[]>;
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

/** A question that is open, and how many wait for its answer. */
interface Connecting {
  readonly answer: Promise<readonly Address[]>;
  joined: number;
  readonly abandon: () => void;
}

interface Lock {
  locked(): boolean;
  unlock(password: string): Promise<void>;
}

const refusal: Answer = { approved: false };

export function createApprovals(options: createApprovals.Options): Approvals {
  const { approver, lock, maxWaiting = 20 } = options;
  const closing = new AbortController();
  const waiting = new Map<string, number>();
  const connecting = new Map<string, Connecting>();
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;

  const showOnce = async (asked: Asked, keys: Lock | null, signal: AbortSignal): Promise<Answer> => {
    const question = { ...asked, id: `q${++count}`, locked: keys?.locked() ?? false } as Question;
    const unlock = async (password: string) => keys?.unlock(password);
    const shown = async () => (await approver()).ask(Object.freeze(question), { signal, unlock });
    // A dialog that broke or did not load has asked nobody.
    const answer = await shown().catch(() => refusal);
    if (answer?.approved !== true) return refusal;
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

  const ask = async (asked: Asked, settings: Approvals.RequestOptions): Promise<Answer> => {
    const { origin } = asked;
    // A signal of its own for each question: twenty that listen on one would look like a leak.
    const signal = AbortSignal.any([closing.signal, ...(settings.signal ? [settings.signal] : [])]);
    const ahead = waiting.get(origin) ?? 0;
    if (ahead >= maxWaiting)
      throw limitExceeded(`Too many pending approvals: ${maxWaiting} are waiting already.`);
    waiting.set(origin, ahead + 1);
    const turn = last.then(() =>
      unlessAborted(signal, () => show(asked, settings.needsKeys ?? false, signal)),
    );
    last = turn.catch(() => {});
    try {
      return await unlessAborted(signal, () => turn);
    } finally {
      const left = (waiting.get(origin) ?? 1) - 1;
      if (left > 0) waiting.set(origin, left);
      else waiting.delete(origin);
    }
  };

  const open = (question: ConnectAsked): Connecting => {
    const abandoned = new AbortController();
    const offered = question.accounts.map((account) => account.address);
    const answer = ask(question, { signal: abandoned.signal })
      .then((given) => {
        if (!given.approved) throw userRejected();
        const chosen = (given.accounts ?? question.selected).filter((address) => offered.includes(address));
        if (chosen.length === 0) throw userRejected();
        return chosen;
      })
      .finally(() => connecting.delete(question.origin));
    // Nobody may be left to hear of it.
    answer.catch(() => {});
    const pending = { answer, joined: 0, abandon: () => abandoned.abort() };
    connecting.set(question.origin, pending);
    return pending;
  };

  return {
    async request(question, subject, settings = {}) {
      const answer = await ask(question, settings);
      if (!answer.approved) throw userRejected();
      if (settings.stillAllowed?.() === false)
        throw unauthorized('The requested account and/or method has not been authorized by the user.');
      return mint(subject);
    },
    async connect(question, signal) {
      const pending = connecting.get(question.origin) ?? open(question);
      pending.joined++;
      const given = signal ? await unlessAborted(signal, () => pending.answer, null) : await pending.answer;
      if (given !== null) return given;
      // Who gives up leaves the dialog to the others that wait for its answer; the last one closes it.
      if (--pending.joined === 0) pending.abandon();
      throw userRejected();
    },
    close: () => closing.abort(),
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
  }
}

/**
 * What `work` resolves with, or `otherwise` as soon as `signal` aborts. A failure that is not ours (the dialog
 * broke, did not load, answered nonsense) is `otherwise` too: nobody has agreed.
 */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | Answer>;
async function unlessAborted<T, O>(signal: AbortSignal, work: () => Promise<T>, otherwise: O): Promise<T | O>;
async function unlessAborted(
  signal: AbortSignal,
  work: () => Promise<unknown>,
  otherwise: unknown = refusal,
): Promise<unknown> {
  if (signal.aborted) return otherwise;
  let stop = (): void => {};
  const aborted = new Promise((resolve) => {
    stop = () => resolve(otherwise);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } catch (error) {
    if (isProviderRpcError(error)) throw error;
    return otherwise;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
