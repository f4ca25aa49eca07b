import type { Answer, Approver } from '../../approvals/question.js';
import { createQueue } from '../../async/mutex.js';
import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { minSize } from '../../rpc/min-size.js';
import { own } from '../../rpc/own.js';
import { chosenLanguage, chosenTheme, type Look } from '../preferences.js';
import type { ResultSource } from '../results/result-line.js';
import { loadDialogWords, loadStepWords } from '../words/words.js';
import type { Size } from './attention.js';
import { waitForBody } from './body.js';
import { detectOcclusionSupport, isFramedOnlyBy } from './occlusion-support.js';
import { present } from './present.js';
import { type FramedUser, idleUser, openSheet, type Sheet } from './sheet.js';

/** Milliseconds that a sheet stays open for the next question of the same flow. */
const keptFor = 2_000;

/**
 * An `Approver` that shows each question in a modal dialog on this page, one at a time. Where there is no wallet yet, it
 * sets one up.
 *
 * The dialog is isolated from the page's styles and keyboard shortcuts, and ignores scripted clicks. It is no boundary
 * against a hostile script of the same origin: only a separate origin is (SECURITY.md).
 *
 * @example
 * const approver = () => dialog({ theme: 'dark', language: 'es', words: { reject: 'No, gracias' } });
 * const wallet = createWallet({ networks, approver });
 */
export const dialog = (options: dialog.Options = {}): Approver => framedDialog(options);

/**
 * The same for a wallet in this page: a line shows what became of transactions that were approved here, unless `look.results` is
 * false. Its code loads after the first approval.
 */
export function walletDialog(source: ResultSource): Approver {
  const { look = {} } = source;
  const approver = framedDialog(look);
  const { ask } = approver;
  if (own(look).results !== false)
    approver.ask = async (question, session) => {
      const askedAt = Date.now();
      const answer = await ask(question, session);
      // Only questions about transactions have a total. After the first one, the line replaces this function.
      if (answer.approved && 'total' in question)
        import('../results/result-line.js').then(
          ({ showResults }) => showResults(source, approver, ask, question, askedAt),
          () => {},
        );
      return answer;
    };
  return approver;
}

/** The same in a window of the wallet, which a page of another origin may have opened in a size of its choice. */
export const windowDialog = (options: dialog.Options = {}): Approver =>
  framedDialog(options, undefined, minSize);

/**
 * The same in a frame.
 *
 * @param framed takes reports of the page around the frame, which the wallet's operator has named
 * @param minWindow how large a window must be; the default is for one whose size the person has chosen
 */
export function framedDialog(options: dialog.Options, framed?: FramedUser, minWindow?: Size): Approver {
  if (!globalThis.document) return { ask: () => Promise.reject(noPage()) };
  const settings = own(options);
  const { words: overrides, frameMayAsk = [] } = settings;
  // While the first question is still being prepared.
  loadDialogWords(chosenLanguage(settings)).catch(() => {});
  /** Shows one question at a time. */
  const inTurn = createQueue();
  /** Open after the wallet was set up, for the question which accounts to share. */
  let kept: Sheet | null = null;

  const mayAsk = (): boolean =>
    detectOcclusionSupport().isSupported && (framed !== undefined || isFramedOnlyBy(frameMayAsk));

  const show: Approver['ask'] = async (question, session) => {
    let sheet: Sheet | null = null;
    try {
      const [words] = await Promise.all([
        loadDialogWords(chosenLanguage(settings), overrides),
        waitForBody(session.signal),
      ]);
      const answer = await present(question, session, {
        words,
        loadStepWords: () => loadStepWords(chosenLanguage(settings), overrides),
        openSheet() {
          sheet =
            kept && !kept.signal.aborted
              ? kept
              : openSheet({
                  theme: chosenTheme(settings),
                  words,
                  framed,
                  minWindow,
                  mayConfirmInFrame: mayAsk(),
                });
          kept = null;
          return sheet;
        },
      });
      if (sheet && question.kind === 'onboarding' && answer.approved) keep(sheet);
      else (sheet as Sheet | null)?.close();
      return answer;
    } catch (error) {
      (sheet as Sheet | null)?.close();
      throw error;
    }
  };

  const keep = (sheet: Sheet): void => {
    kept = sheet;
    sheet.use('onboarding', idleUser);
    setTimeout(() => {
      if (kept === sheet) sheet.close();
    }, keptFor);
  };

  return {
    ask(question, session) {
      const rejected: Answer = { approved: false };
      const { isFramed } = detectOcclusionSupport();
      if (isFramed && !mayAsk() && question.kind !== 'calls-status') return Promise.reject(framedUnseen());
      const { signal } = session;
      const answer = inTurn(() => (signal.aborted ? rejected : show(question, session)));
      const aborted = new Promise<Answer>((resolve) => {
        if (signal.aborted) resolve(rejected);
        signal.addEventListener('abort', () => resolve(rejected), own({ once: true }));
      });
      return Promise.race([answer, aborted]);
    },
  };
}

const noPage = () =>
  new ProviderRpcError(
    errorCode.unsupportedMethod,
    'There is no page here in which a person could be asked. In Node, give createWallet an approver.',
  );

/** No browser tells a frame that the page around it masks it, to provoke a click on what cannot be seen (clickjacking). */
const framedUnseen = () =>
  new ProviderRpcError(
    errorCode.unsupportedMethod,
    'A page in a frame cannot know what a person sees of it, so nothing can be approved here. Open the page in a tab of its own.',
  );

export declare namespace dialog {
  /** The options of {@link dialog}. */
  interface Options extends Look {
    /**
     * Origins of your own that may hold this page in a frame and have it ask there, in Chromium only. Such a page can mask the
     * frame so that a person approves what they do not see. Default none: a framed page refuses what it would have to ask
     * (4200).
     */
    readonly frameMayAsk?: readonly string[] | undefined;
  }
}
