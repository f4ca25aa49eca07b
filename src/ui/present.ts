import type { Answer, Approver, Question } from '../approvals/question.js';
import { own } from '../rpc/own.js';
import { escapeHidden } from '../rpc/text.js';
import { watchDisplay } from './display.js';
import { createFrame } from './frame.js';
import { confirmDelay, dangerDelay, guardConfirm } from './guard.js';
import { occlusionHere, watchOcclusion } from './occlusion.js';
import { bodyOfPage, createElement } from './page.js';
import { stylesOf, type Theme } from './styles.js';
import { viewOf } from './views/views.js';
import type { Words } from './words.js';

/** Shows one question until it is answered, refused, aborted or taken off the page. Leaves nothing behind. */
export function present(
  question: Question,
  session: Approver.Session,
  options: present.Options,
): Promise<Answer> {
  const { words, theme } = options;
  const shown = showable(question);
  const view = own(viewOf(shown, words));
  const frame = createFrame(shown, view, words);
  const { dialog, confirm, password } = frame;
  // Nothing is asked: there is one way out.
  if (question.kind === 'calls-status') frame.reject.remove();
  const needsPassword = password !== null;
  const ended = new AbortController();
  const { signal } = ended;
  const host = createElement('div');
  const parent = bodyOfPage();

  return new Promise<Answer>((settle) => {
    const finish = (answer: Answer): void => {
      if (signal.aborted) return;
      ended.abort();
      if (password !== null) password.value = '';
      // Closing first gives the focus back to where it was.
      dialog.close();
      host.remove();
      settle(answer);
    };
    const refuse = () => finish({ approved: false });

    const choice = (): Answer | null => (view.answer ? view.answer() : { approved: true });
    const approve = async (): Promise<void> => {
      const answer = choice();
      if (answer === null) return;
      if (needsPassword && !(await unlock())) return;
      finish(answer);
    };
    const unlock = async (): Promise<boolean> => {
      if (password === null || password.value === '') return failed(words.passwordMissing);
      guard.hold('unlocking', true);
      frame.showError(null);
      frame.showBusy(words.unlocking);
      try {
        await session.unlock(password.value);
        return true;
      } catch (error) {
        return failed(reasonOf(error) ?? words.unlockFailed);
      } finally {
        guard.hold('unlocking', false);
        frame.showBusy(null);
      }
    };
    const failed = (reason: string): false => {
      if (signal.aborted) return false;
      frame.showError(escapeHidden(reason));
      password?.focus();
      password?.select();
      // The line of the error moved the buttons.
      guard.restart();
      return false;
    };

    const delay = shown.warnings.some(({ severity }) => severity === 'danger') ? dangerDelay : confirmDelay;
    const guard = guardConfirm(confirm, { delay, signal, isShown: () => display.isShown(), approve });
    password?.addEventListener('keydown', (event) => guard.enter(event), own({ signal }));
    frame.reject.addEventListener('click', refuse, own({ signal }));
    frame.body.addEventListener('change', () => guard.hold('choice', choice() === null), own({ signal }));
    // Escape and the back gesture: `cancel`, or `close` at once where the browser insists.
    dialog.addEventListener('cancel', refuse, own({ signal }));
    dialog.addEventListener('close', refuse, own({ signal }));
    for (const type of ['wheel', 'touchmove'] as const) {
      // The page behind stays where it is.
      const hold = (event: Event) => event.target === dialog && event.preventDefault();
      dialog.addEventListener(type, hold, own({ signal, passive: false }));
    }
    for (const type of keptInside)
      host.addEventListener(type, (event) => event.stopPropagation(), own({ signal }));
    window.addEventListener('pagehide', refuse, own({ signal }));
    window.addEventListener('resize', guard.restart, own({ signal }));
    session.signal.addEventListener('abort', refuse, own({ signal }));

    const root = host.attachShadow(own({ mode: 'closed' }));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(stylesOf(theme));
    root.adoptedStyleSheets = [sheet];
    root.append(dialog);
    host.setAttribute('data-graft', question.kind);
    parent.append(host);
    dialog.showModal();
    (question.kind === 'unlock' && password !== null ? password : frame.heading).focus();

    /** Nothing counts while `reason` holds. It is said once it lasts: an animation passes by itself. */
    const holding = (reason: string, text: string) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      signal.addEventListener('abort', () => clearTimeout(timer));
      return (holds: boolean): void => {
        clearTimeout(timer);
        guard.hold(reason, holds);
        guard.restart();
        if (holds) timer = setTimeout(() => frame.showError(text), lasting);
        else frame.showError(null);
      };
    };

    // A dialog that is taken out of the document is modal no longer, wherever it is put back.
    const removal = new MutationObserver(() => {
      if (host.parentNode !== parent || !host.isConnected || !dialog.matches(':modal')) refuse();
    });
    removal.observe(document, own({ childList: true, subtree: true }));
    signal.addEventListener('abort', () => removal.disconnect());
    const display = watchDisplay(dialog, host, holding('display', words.misshown));
    signal.addEventListener('abort', display.stop);
    const { isFramed, isKnown } = occlusionHere();
    if (isFramed && isKnown) {
      const cover = holding('covered', words.covered);
      guard.hold('covered', true);
      signal.addEventListener('abort', watchOcclusion(dialog, cover));
    }
    guard.hold('choice', choice() === null);
    guard.restart();
  });
}

/** Milliseconds after which the person is told why nothing can be confirmed. */
const lasting = 400;

/** What happens in the dialog is no event of the page: no shortcut, no "click outside". */
const keptInside = [
  ...['keydown', 'keyup', 'keypress', 'beforeinput', 'input', 'change', 'paste', 'copy', 'cut'],
  ...[
    'pointerdown',
    'pointerup',
    'mousedown',
    'mouseup',
    'click',
    'touchstart',
    'touchend',
    'wheel',
    'contextmenu',
  ],
];

/** A copy of plain data with every string made safe to show. */
function showable<T>(value: T): T {
  if (typeof value === 'string') return escapeHidden(value) as T;
  if (Array.isArray(value)) return value.map(showable) as T;
  if (typeof value !== 'object' || value === null) return value;
  return own(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, showable(item)]))) as T;
}

/** Our own errors are written for people; the text of any other is not. */
const reasonOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.message : null;

export declare namespace present {
  interface Options {
    readonly words: Words;
    readonly theme: Theme;
  }
}
