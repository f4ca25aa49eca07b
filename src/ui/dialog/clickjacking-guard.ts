import { own } from '../../rpc/own.js';
import { isPageVisible, listenToPage } from '../elements.js';

/** Delays in milliseconds, counted from the last change of the dialog's content. */
export const confirmDelay = 600;
/** When a warning has the severity `danger`. */
export const dangerDelay = 2000;
/** For Enter, which the person may have typed into the page just before the dialog opened. */
const enterDelay = 1000;

/**
 * Lets a button approve only when a person presses it on purpose (docs/notes/security.md#forged-clicks):
 *
 * - Scripted events are ignored (`isTrusted`).
 * - A click needs a preceding press of the same button, by pointer or key, made while the button was enabled.
 * - The button is disabled for `delay` after the content was shown, changed or became visible again.
 * - The button is disabled while any reason given to `block` holds.
 * - A press or click is ignored while `isShown` says that the dialog is covered or distorted.
 * - Enter is ignored for `enterDelay`, and while the key repeats.
 */
export function guardAgainstClickjacking(
  button: HTMLButtonElement,
  options: guardAgainstClickjacking.Options,
): guardAgainstClickjacking.Guard {
  const { signal, isShown, approve } = options;
  let { delay } = options;
  const blockedBy = new Set<string>();
  let isDelayed = true;
  let shownAt = 0;
  let isPressed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function updateDisabled(): void {
    button.setAttribute('aria-disabled', String(isDelayed || blockedBy.size > 0));
  }

  function isAccepted(event: Event): boolean {
    return event.isTrusted && !isDelayed && blockedBy.size === 0 && isPageVisible() && isShown();
  }

  function isEarlyEnter(event: KeyboardEvent): boolean {
    return event.key === 'Enter' && (event.repeat || performance.now() - shownAt < enterDelay);
  }

  function restart(): void {
    clearTimeout(timer);
    isDelayed = true;
    isPressed = false;
    shownAt = performance.now();
    // The CSS animation restarts only if a layout happens without the attribute.
    button.removeAttribute('data-waiting');
    button.getBoundingClientRect();
    button.setAttribute('data-waiting', '');
    timer = setTimeout(() => {
      isDelayed = false;
      button.removeAttribute('data-waiting');
      updateDisabled();
    }, delay);
    updateDisabled();
  }

  function onPress(event: Event): void {
    isPressed = isAccepted(event);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isEarlyEnter(event)) event.preventDefault();
    else if (event.key === 'Enter' || event.key === ' ') onPress(event);
  }

  function onBlur(): void {
    isPressed = false;
  }

  function onClick(event: Event): void {
    const isApproved = isPressed && isAccepted(event);
    isPressed = false;
    if (isApproved) approve();
  }

  button.addEventListener('pointerdown', onPress, own({ signal }));
  // Assistive technology may send mouse events without pointer events.
  button.addEventListener('mousedown', onPress, own({ signal }));
  button.addEventListener('keydown', onKeyDown, own({ signal }));
  button.addEventListener('blur', onBlur, own({ signal }));
  button.addEventListener('click', onClick, own({ signal }));
  listenToPage('visibilitychange', () => isPageVisible() && restart(), signal);
  signal.addEventListener('abort', () => clearTimeout(timer), own({ once: true }));

  return {
    restart,
    setDelay(milliseconds) {
      delay = milliseconds;
      restart();
    },
    block(reason, isBlocked) {
      if (isBlocked === blockedBy.has(reason)) return;
      if (isBlocked) blockedBy.add(reason);
      else blockedBy.delete(reason);
      updateDisabled();
    },
    submitOnEnter(event) {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      if (isAccepted(event) && !isEarlyEnter(event)) approve();
    },
  };
}

export declare namespace guardAgainstClickjacking {
  interface Options {
    /** Milliseconds for which the button stays disabled after the content was shown or changed. */
    readonly delay: number;
    /** Aborting it removes every listener and timer. */
    readonly signal: AbortSignal;
    /** Called at every press and click: whether the dialog is in view, uncovered and undistorted. */
    readonly isShown: () => boolean;
    readonly approve: () => void;
  }

  interface Guard {
    /** Starts the delay again. To be called when the content was shown or changed. */
    restart(): void;
    /** Changes the delay, for other content, and starts it again. */
    setDelay(milliseconds: number): void;
    /** Disables the button while at least one reason is blocked. */
    block(reason: string, isBlocked: boolean): void;
    /** A `keydown` listener for a text field: Enter approves under the same conditions as a click. */
    submitOnEnter(event: KeyboardEvent): void;
  }
}
