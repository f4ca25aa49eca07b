import type { Answer, Approver, Question } from '../../../../src/approvals/question.js';
import { own } from '../../../../src/rpc/own.js';

/**
 * An approver without a person, for tests and automation: it answers every question by rule and records it. Never ship
 * it to people, since it approves without asking. An `answer` that awaits a wallet request which itself needs an answer
 * deadlocks until the question times out (ten minutes) and counts as refused.
 */
export interface HeadlessApprover extends Approver {
  /** Every question so far, oldest first. */
  readonly asked: readonly Question[];
}

/**
 * Creates an approver that answers every question by rule.
 *
 * @example
 * const approver = headless({ password: 'a long password', answer: ({ kind }) => kind === 'connect' });
 * const wallet = createWallet({ networks, approver: () => approver });
 */
export function headless(options: headless.Options = {}): HeadlessApprover {
  const { answer = true, password } = own(options);
  const asked: Question[] = [];
  return {
    asked,
    async ask(question, session) {
      asked.push(question);
      const decided = typeof answer === 'function' ? await answer(question) : answer;
      const given: Answer = typeof decided === 'boolean' ? { approved: decided } : decided;
      if (given.approved && question.locked) {
        if (password === undefined) return { approved: false };
        await session.unlock(password);
      }
      return given;
    },
  };
}

export declare namespace headless {
  /** The options of {@link headless}. */
  interface Options {
    /** `true` (the default) agrees, `false` refuses; a function decides each question. */
    readonly answer?:
      | boolean
      | ((question: Question) => boolean | Answer | Promise<boolean | Answer>)
      | undefined;
    /** Unlocks the wallet for a question that needs the keys. Without it, such a question is refused while locked. */
    readonly password?: string | undefined;
  }
}
