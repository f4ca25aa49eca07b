import { own } from '../rpc/own.js';
import type { Answer, Approver, Question } from './question.js';

/**
 * The approver without a person, for tests and automation: answers every question by rule and remembers it.
 * Never ship it to people: it signs what it is asked to. An `answer` that waits for a request of its own which
 * needs an answer too waits for itself: it is refused after the time that a question may stand open.
 */
export interface HeadlessApprover extends Approver {
  /** Every question asked so far, oldest first. */
  readonly asked: readonly Question[];
}

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
  interface Options {
    /** `true` (the default) agrees, `false` refuses; a function decides each question. */
    readonly answer?: boolean | ((question: Question) => boolean | Answer | Promise<boolean | Answer>);
    /** Unlocks the wallet where a question needs the keys; without it such a question is refused. */
    readonly password?: string;
  }
}
