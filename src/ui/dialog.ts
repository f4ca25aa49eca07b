import type { Answer, Approver } from '../approvals/question.js';
import { present } from './present.js';
import { chooseWords, type Words } from './words.js';

/**
 * The person at this page: an `Approver` that asks in a modal dialog.
 *
 * It keeps the dialog apart from the page's styles, shortcuts and accidents, and refuses scripted clicks. It is
 * no boundary against a script of the page's own origin: only another origin is one (README, "Security").
 */
export function dialog(options: dialog.Options = {}): Approver {
  const { theme = 'auto' } = options;
  const words = chooseWords(options.words);
  let turn: Promise<unknown> = Promise.resolve();

  return {
    ask(question, session) {
      const refused: Answer = { approved: false };
      const { signal } = session;
      const answer = turn.then(() =>
        signal.aborted ? refused : present(question, session, { words, theme }),
      );
      turn = answer.catch(() => {});
      const aborted = new Promise<Answer>((settle) => {
        if (signal.aborted) settle(refused);
        signal.addEventListener('abort', () => settle(refused), { once: true });
      });
      return Promise.race([answer, aborted]);
    },
  };
}

export declare namespace dialog {
  interface Options {
    /** `auto` follows the person's system. */
    readonly theme?: 'auto' | 'light' | 'dark';
    /** Replaces the English words, all of them or some. */
    readonly words?: Partial<Words>;
  }
}
