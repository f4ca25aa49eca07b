import type { Answer, Approver, Question } from '../approvals/question.js';
import { own } from '../rpc/own.js';
import { escapeHidden } from '../rpc/text.js';
import { confirmDelay, dangerDelay, guardAgainstClickjacking } from './clickjacking-guard.js';
import { watchDisplay } from './display.js';
import { createFrame } from './frame.js';
import { detectOcclusionSupport, watchOcclusion } from './occlusion.js';
import { bodyOfPage, createElement } from './page.js';
import { stylesOf, type Theme } from './styles.js';
import { viewOf } from './views/views.js';
import type { Words } from './words.js';

/**
 * Shows one question in a modal dialog until it is approved, rejected, aborted or removed from the page. Removes its
 * element, listeners and timers afterwards.
 */
export function present(
  question: Question,
  session: Approver.Session,
  options: present.Options,
): Promise<Answer> {
  const { words, theme } = options;
  const escaped = escapeStrings(question);
  const view = own(viewOf(escaped, words));
  const frame = createFrame(escaped, view, words);
  const { dialog, confirm, password } = frame;
  // A status report asks nothing: closing it is the only action.
  if (question.kind === 'calls-status') frame.reject.remove();

  const closed = new AbortController();
  const { signal } = closed;
  const host = createElement('div');
  const parent = bodyOfPage();

  return new Promise<Answer>((resolve) => {
    function close(answer: Answer): void {
      if (signal.aborted) return;
      closed.abort();
      if (password !== null) password.value = '';
      // Closing before removal makes the browser restore the focus to the page.
      dialog.close();
      host.remove();
      resolve(answer);
    }

    function reject(): void {
      close({ approved: false });
    }

    /** The answer for the current choice; null while the choice cannot be approved. */
    function currentAnswer(): Answer | null {
      return view.answer ? view.answer() : { approved: true };
    }

    async function approve(): Promise<void> {
      const answer = currentAnswer();
      if (answer === null) return;
      if (password !== null && !(await unlock(password))) return;
      close(answer);
    }

    async function unlock(field: HTMLInputElement): Promise<boolean> {
      if (field.value === '') {
        showUnlockError(field, words.passwordMissing);
        return false;
      }
      guard.block('unlocking', true);
      frame.showError(null);
      frame.showBusy(words.unlocking);
      try {
        await session.unlock(field.value);
        return true;
      } catch (error) {
        showUnlockError(field, messageForPerson(error) ?? words.unlockFailed);
        return false;
      } finally {
        guard.block('unlocking', false);
        frame.showBusy(null);
      }
    }

    function showUnlockError(field: HTMLInputElement, message: string): void {
      if (signal.aborted) return;
      frame.showError(escapeHidden(message));
      field.focus();
      field.select();
      // The error line moves the buttons, so a click under way may hit another one.
      guard.restart();
    }

    /** Blocks approval at once, but shows the reason only after `messageDelay`: an animation ends before that. */
    function createBlocker(reason: string, message: string): (isBlocked: boolean) => void {
      let timer: ReturnType<typeof setTimeout> | undefined;
      signal.addEventListener('abort', () => clearTimeout(timer));
      return (isBlocked) => {
        clearTimeout(timer);
        guard.block(reason, isBlocked);
        guard.restart();
        if (isBlocked) timer = setTimeout(() => frame.showError(message), messageDelay);
        else frame.showError(null);
      };
    }

    const isDangerous = escaped.warnings.some(({ severity }) => severity === 'danger');
    const guard = guardAgainstClickjacking(confirm, {
      delay: isDangerous ? dangerDelay : confirmDelay,
      signal,
      isShown: () => display.isShown(),
      approve,
    });

    password?.addEventListener('keydown', (event) => guard.submitOnEnter(event), own({ signal }));
    frame.reject.addEventListener('click', reject, own({ signal }));
    frame.body.addEventListener(
      'change',
      () => guard.block('choice', currentAnswer() === null),
      own({ signal }),
    );
    // Escape and the back gesture fire `cancel`; a browser that closes without asking fires only `close`.
    dialog.addEventListener('cancel', reject, own({ signal }));
    dialog.addEventListener('close', reject, own({ signal }));
    preventBackdropScroll(dialog, signal);
    isolateEvents(host, signal);
    window.addEventListener('pagehide', reject, own({ signal }));
    window.addEventListener('resize', guard.restart, own({ signal }));
    session.signal.addEventListener('abort', reject, own({ signal }));

    attachShadow(host, dialog, theme);
    host.setAttribute('data-graft', question.kind);
    parent.append(host);
    // The modal dialog itself is the focus trap: everything behind it is inert.
    dialog.showModal();
    if (question.kind === 'unlock' && password !== null) password.focus();
    else frame.heading.focus();

    // A dialog that was removed from the document is no longer modal, even when it is inserted again.
    const removal = new MutationObserver(() => {
      if (host.parentNode !== parent || !host.isConnected || !dialog.matches(':modal')) reject();
    });
    removal.observe(document, own({ childList: true, subtree: true }));
    signal.addEventListener('abort', () => removal.disconnect());

    const display = watchDisplay(dialog, host, createBlocker('display', words.misshown));
    signal.addEventListener('abort', display.stop);

    const { isFramed, isSupported } = detectOcclusionSupport();
    if (isFramed && isSupported) {
      const blockWhileCovered = createBlocker('covered', words.covered);
      guard.block('covered', true);
      signal.addEventListener('abort', watchOcclusion(dialog, blockWhileCovered));
    }

    guard.block('choice', currentAnswer() === null);
    guard.restart();
  });
}

/** Milliseconds that a reason must last before the person is shown why approval is blocked. */
const messageDelay = 400;

/** A closed shadow root with the style sheet, so that the page's styles do not reach the dialog. */
function attachShadow(host: HTMLElement, dialog: HTMLDialogElement, theme: Theme): void {
  const root = host.attachShadow(own({ mode: 'closed' }));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(stylesOf(theme));
  root.adoptedStyleSheets = [sheet];
  root.append(dialog);
}

/** Events on the backdrop have the dialog itself as their target: they would scroll the page behind it. */
function preventBackdropScroll(dialog: HTMLDialogElement, signal: AbortSignal): void {
  const prevent = (event: Event) => event.target === dialog && event.preventDefault();
  dialog.addEventListener('wheel', prevent, own({ signal, passive: false }));
  dialog.addEventListener('touchmove', prevent, own({ signal, passive: false }));
}

const isolatedEvents = [
  'keydown',
  'keyup',
  'keypress',
  'beforeinput',
  'input',
  'change',
  'paste',
  'copy',
  'cut',
  'pointerdown',
  'pointerup',
  'mousedown',
  'mouseup',
  'click',
  'touchstart',
  'touchend',
  'wheel',
  'contextmenu',
];

/** Keeps input events inside the dialog, so that they trigger no keyboard shortcut or "click outside" of the page. */
function isolateEvents(host: HTMLElement, signal: AbortSignal): void {
  for (const type of isolatedEvents)
    host.addEventListener(type, (event) => event.stopPropagation(), own({ signal }));
}

/** A copy of plain data in which hidden characters of every string are written out (`escapeHidden`). */
function escapeStrings<T>(value: T): T {
  if (typeof value === 'string') return escapeHidden(value) as T;
  if (Array.isArray(value)) return value.map(escapeStrings) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, escapeStrings(item)]);
  return own(Object.fromEntries(entries)) as T;
}

/** The message of the wallet's own errors, which have a numeric code; null for any other error. */
function messageForPerson(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.message : null;
}

export declare namespace present {
  interface Options {
    readonly words: Words;
    readonly theme: Theme;
  }
}
