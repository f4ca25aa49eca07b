import type { Answer, Approver } from '../approvals/question.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { occlusionHere } from './occlusion.js';
import { present } from './present.js';
import type { Theme } from './styles.js';
import { chooseWords, type Words } from './words.js';

/**
 * The person at this page: an `Approver` that asks in a modal dialog.
 *
 * It keeps the dialog apart from the page's styles, shortcuts and accidents, and refuses scripted clicks. It is
 * no boundary against a script of the page's own origin: only another origin is one (README, "Security").
 */
export function dialog(options: dialog.Options = {}): Approver {
  const { theme = 'auto', words: chosen } = own(options);
  const words = chooseWords(chosen);
  let turn: Promise<unknown> = Promise.resolve();

  return {
    ask(question, session) {
      const refused: Answer = { approved: false };
      const { isFramed, isKnown } = occlusionHere();
      if (isFramed && !isKnown && question.kind !== 'calls-status') return Promise.reject(unseen());
      const { signal } = session;
      const answer = turn.then(() =>
        signal.aborted ? refused : present(question, session, { words, theme }),
      );
      turn = answer.catch(() => {});
      const aborted = new Promise<Answer>((settle) => {
        if (signal.aborted) settle(refused);
        signal.addEventListener('abort', () => settle(refused), own({ once: true }));
      });
      return Promise.race([answer, aborted]);
    },
  };
}

/** Whoever frames the page could hide the dialog and lure the person into confirming it. */
const unseen = () =>
  new ProviderRpcError(
    errorCode.unsupportedMethod,
    'This browser cannot tell whether the wallet is visible in a frame, so nothing can be approved here. Open the page in a tab of its own.',
  );

export declare namespace dialog {
  interface Options {
    /** `auto` follows the person's system. */
    readonly theme?: Theme;
    /** Replaces the English words, all of them or some. */
    readonly words?: Partial<Words>;
  }
}
