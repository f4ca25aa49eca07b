import type { Answer, Approver } from '../approvals/question.js';
import { createQueue } from '../async/queue.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import { detectOcclusionSupport } from './occlusion.js';
import { present } from './present.js';
import type { Theme } from './styles.js';
import { chooseWords, type Words } from './words.js';

/**
 * An `Approver` that shows each question in a modal dialog on this page, one at a time.
 *
 * The dialog is isolated from the page's styles and keyboard shortcuts, and ignores scripted clicks. It is no boundary
 * against a hostile script of the same origin: only a separate origin is (README, "Security").
 */
export function dialog(options: dialog.Options = {}): Approver {
  const { theme = 'auto', words: overrides } = own(options);
  const words = chooseWords(overrides);
  /** Shows one question at a time. */
  const inTurn = createQueue();

  return {
    ask(question, session) {
      const rejected: Answer = { approved: false };
      const { isFramed, isSupported } = detectOcclusionSupport();
      if (isFramed && !isSupported && question.kind !== 'calls-status')
        return Promise.reject(occlusionUnsupported());
      const { signal } = session;
      const answer = inTurn(() => (signal.aborted ? rejected : present(question, session, { words, theme })));
      const aborted = new Promise<Answer>((resolve) => {
        if (signal.aborted) resolve(rejected);
        signal.addEventListener('abort', () => resolve(rejected), own({ once: true }));
      });
      return Promise.race([answer, aborted]);
    },
  };
}

/** Without occlusion detection, an embedding page could cover the dialog to provoke a click on it (clickjacking). */
const occlusionUnsupported = () =>
  new ProviderRpcError(
    errorCode.unsupportedMethod,
    'This browser cannot tell whether the wallet is visible in a frame, so nothing can be approved here. Open the page in a tab of its own.',
  );

export declare namespace dialog {
  interface Options {
    /** Default `auto`: follows the system's colour scheme. */
    readonly theme?: Theme;
    /** Replaces some or all of the English texts. */
    readonly words?: Partial<Words>;
  }
}
