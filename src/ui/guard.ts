import { own } from '../rpc/own.js';
import { isPageVisible, listenToPage } from './page.js';

/**
 * The last gate before an approval. Obligations (docs/notes/security.md#forged-clicks):
 *
 * - only what the browser itself reports as done by the person counts (`isTrusted`);
 * - a click counts when the same button was pressed for it, by pointer or by key, while it could be pressed;
 * - nothing counts in the first moments after the content was shown, changed or became visible again;
 * - nothing counts while the dialog is not shown as it was made;
 * - Enter waits longer: it may have been meant for the page.
 */
export function guardConfirm(button: HTMLButtonElement, options: guardConfirm.Options): guardConfirm.Guard {
  const { delay, signal, isShown, approve } = options;
  const reasons = new Set<string>();
  let waiting = true;
  let shownAt = 0;
  let pressed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const render = () => button.setAttribute('aria-disabled', String(waiting || reasons.size > 0));
  const ready = (event: Event) =>
    event.isTrusted && !waiting && reasons.size === 0 && isPageVisible() && isShown();
  const isEarlyEnter = (event: KeyboardEvent) =>
    event.key === 'Enter' && (event.repeat || performance.now() - shownAt < enterDelay);

  function restart(): void {
    clearTimeout(timer);
    waiting = true;
    pressed = false;
    shownAt = performance.now();
    // The progress starts over only when the attribute is gone for one layout.
    button.removeAttribute('data-waiting');
    button.getBoundingClientRect();
    button.setAttribute('data-waiting', '');
    timer = setTimeout(() => {
      waiting = false;
      button.removeAttribute('data-waiting');
      render();
    }, delay);
    render();
  }

  const press = (event: Event) => {
    pressed = ready(event);
  };
  button.addEventListener('pointerdown', press, own({ signal }));
  // Assistive technology may press without a pointer.
  button.addEventListener('mousedown', press, own({ signal }));
  button.addEventListener(
    'keydown',
    (event) => {
      if (isEarlyEnter(event)) event.preventDefault();
      else if (event.key === 'Enter' || event.key === ' ') press(event);
    },
    own({ signal }),
  );
  button.addEventListener('blur', () => (pressed = false), own({ signal }));
  button.addEventListener(
    'click',
    (event) => {
      const counts = pressed && ready(event);
      pressed = false;
      if (counts) approve();
    },
    own({ signal }),
  );
  listenToPage('visibilitychange', () => isPageVisible() && restart(), signal);
  signal.addEventListener('abort', () => clearTimeout(timer), own({ once: true }));

  return {
    restart,
    hold(reason, on) {
      if (on === reasons.has(reason)) return;
      if (on) reasons.add(reason);
      else reasons.delete(reason);
      render();
    },
    enter(event) {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      if (ready(event) && !isEarlyEnter(event)) approve();
    },
  };
}

/** Milliseconds after the last change of content. */
export const confirmDelay = 600;
export const dangerDelay = 2000;
const enterDelay = 1000;

export declare namespace guardConfirm {
  interface Options {
    /** ms that must pass after content was shown */
    readonly delay: number;
    /** Ends every listener and timer. */
    readonly signal: AbortSignal;
    /** Measures, at every press and every click, whether the person sees what they confirm. */
    readonly isShown: () => boolean;
    readonly approve: () => void;
  }

  interface Guard {
    /** The content was shown or changed: the delay starts over. */
    restart(): void;
    /** Keeps the button from being pressed for as long as any reason holds. */
    hold(reason: string, on: boolean): void;
    /** Enter in a field of the dialog, under the same conditions as a press of the button. */
    enter(event: KeyboardEvent): void;
  }
}
