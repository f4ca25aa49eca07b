import { limitExceeded, unauthorized, userRejected } from '../rpc/errors.js';
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
  connect(question: Asked<Extract<Question, { kind: 'connect' }>>): Promise<readonly Address[]>;
  /** Refuses everything that waits and closes what is shown. */
  close(): void;
}

export declare namespace Approvals {
  interface RequestOptions {
    readonly signal?: AbortSignal;
    /** True when agreeing needs the keys: the person is then asked for the password in the same dialog. */
    readonly needsKeys?: boolean;
  }
}

export function createApprovals(options: createApprovals.Options): Approvals {
  const { approver, lock, maxWaiting = 20 } = options;
  const closing = new AbortController();
  const waiting = new Map<string, number>();
  const connecting = new Map<string, Promise<readonly Address[]>>();
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;

  const show = async (asked: Asked, settings: Approvals.RequestOptions): Promise<Answer> => {
    const signal = settings.signal ? AbortSignal.any([settings.signal, closing.signal]) : closing.signal;
    if (signal.aborted) return { approved: false };
    const keys = settings.needsKeys ? await lock() : null;
    const question = { ...asked, id: `q${++count}`, locked: keys?.locked() ?? false } as Question;
    const answer = await settled(
      (await approver()).ask(Object.freeze(question), {
        signal,
        unlock: (password) => (keys ? keys.unlock(password) : Promise.resolve()),
      }),
      signal,
    );
    // An approver that agrees without having unlocked has broken its contract: nothing could be signed.
    if (answer.approved && keys?.locked()) throw unauthorized('The wallet is locked.');
    return answer;
  };

  const ask = async (asked: Asked, settings: Approvals.RequestOptions): Promise<Answer> => {
    const { origin } = asked;
    const ahead = waiting.get(origin) ?? 0;
    if (ahead >= maxWaiting)
      throw limitExceeded(`Too many pending approvals: ${maxWaiting} are waiting already.`);
    waiting.set(origin, ahead + 1);
    const turn = last.then(() => show(asked, settings));
    last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      const left = (waiting.get(origin) ?? 1) - 1;
      if (left > 0) waiting.set(origin, left);
      else waiting.delete(origin);
    }
  };

  return {
    async request(question, subject, settings = {}) {
      const answer = await ask(question, settings);
      if (!answer.approved) throw userRejected();
      return mint(subject);
    },
    connect(question) {
      const pending = connecting.get(question.origin);
      if (pending) return pending;
      const offered = question.accounts.map((account) => account.address);
      const answered = ask(question, {}).then((answer) => {
        if (!answer.approved) throw userRejected();
        const chosen = (answer.accounts ?? question.selected).filter((address) => offered.includes(address));
        if (chosen.length === 0) throw userRejected();
        return chosen;
      });
      const shared = answered.finally(() => connecting.delete(question.origin));
      connecting.set(question.origin, shared);
      return shared;
    },
    close: () => closing.abort(),
  };
}

export declare namespace createApprovals {
  interface Options {
    /** Loads the approver when it is first needed. */
    readonly approver: () => Approver | Promise<Approver>;
    /** The keys' lock, loaded when a question needs it. */
    readonly lock: () => Promise<{ locked(): boolean; unlock(password: string): Promise<void> }>;
    /** Questions of one origin that may wait, the shown one included. Default 20. */
    readonly maxWaiting?: number;
  }
}

/** The approver's answer; a refusal when it fails, answers nonsense, or `signal` aborts first. */
function settled(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const refuse = () => resolve({ approved: false });
    signal.addEventListener('abort', refuse, { once: true });
    answer
      .then((given) => (given?.approved === true ? resolve(given) : refuse()), refuse)
      .finally(() => signal.removeEventListener('abort', refuse));
  });
}
