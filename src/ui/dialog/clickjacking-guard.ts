import { own } from '../../rpc/own.js';
import { type Attention, createAttention } from './attention.js';

/** Delays in milliseconds, counted from the last change of the content or of the window. */
export const confirmDelay = 600;
/** When a warning has the severity `danger`. */
export const dangerDelay = 2000;
/** For Enter and Space, which the person may have typed into the page just before the dialog opened. */
const keyDelay = 1000;
/** CSS pixels by which the centre of a button may move while it is pressed: browsers round places. */
const tolerance = 2;
/** Milliseconds by which browsers round the time of an event. */
const rounding = 100;
/** Milliseconds after which an event is not believed to be handled so late: some clocks stop while a device sleeps. */
const maxLateness = 60_000;
/** Milliseconds from the end of a touch to the mouse events that a browser makes of it, at most. */
const touchAftermath = 1000;

/**
 * Lets a button act only when a person presses it on purpose (docs/notes/security.md#forged-clicks):
 *
 * - Scripted events are ignored (`isTrusted`).
 * - A click needs a preceding press of the same button, by pointer or key, made while the button was enabled.
 * - The button is disabled for `delay` after the content was shown or changed, after the window came to the front, moved
 *   or changed its size, and after any press that comes too early: of a pointer in `area` while it was disabled, of Enter and
 *   Space within `keyDelay` too. The time counts only in a window that has the focus and is large enough.
 * - A click is ignored when the button is elsewhere than at the press.
 * - The button is disabled while any reason given to `block` holds.
 * - A press or click is ignored while `isShown` returns false: the button is covered or distorted.
 * - Enter and Space are ignored for `keyDelay`, and while the key repeats.
 * - A press counts from when the person made it: a busy page handles it later.
 */
export function guardAgainstClickjacking(
  button: HTMLButtonElement,
  options: guardAgainstClickjacking.Options,
) {
  const { signal, isShown, approve, area = button, attention = createAttention() } = own(options);
  let { delay } = options;
  const blockedBy = new Set<string>();
  let isDelayed = true;
  let shownAt = 0;
  let enabledAt = Number.POSITIVE_INFINITY;
  /** Where the button was when it was pressed. */
  let place: Place = [0, 0];
  let isPressed = false;
  let pointerAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function updateDisabled(): void {
    const isDisabled = isDelayed || blockedBy.size > 0;
    button.setAttribute('aria-disabled', String(isDisabled));
    enabledAt = isDisabled ? Number.POSITIVE_INFINITY : Math.min(enabledAt, performance.now());
  }

  /** Whether the event happened before the button was enabled. */
  const isEarly = (event: Event): boolean => timeOf(event) < enabledAt - rounding;

  function isAccepted(event: Event): boolean {
    // Measured first: a window that has moved starts the delay again.
    const isMissing = attention.missing() !== null;
    return event.isTrusted && !isMissing && !isEarly(event) && isShown();
  }

  /** Whether the button is where it was pressed. A move in between could bring it under a click meant for something else. */
  const isAtPlace = (): boolean =>
    centreOf(button).every((each, axis) => Math.abs(each - (place[axis] as number)) <= tolerance);

  /** Notes where the button is when it is pressed. */
  function isPressAccepted(event: Event): boolean {
    place = centreOf(button);
    return isAccepted(event);
  }

  const isEarlyKey = (event: KeyboardEvent): boolean => event.repeat || timeOf(event) - shownAt < keyDelay;

  function restart(): void {
    clearTimeout(timer);
    isDelayed = true;
    isPressed = false;
    shownAt = performance.now();
    button.removeAttribute('data-waiting');
    updateDisabled();
    if (attention.missing() !== null) return;
    // The CSS animation restarts only if a layout happens without the attribute.
    button.getBoundingClientRect();
    button.setAttribute('data-waiting', '');
    clearTimeout(timer);
    timer = setTimeout(() => {
      isDelayed = false;
      button.removeAttribute('data-waiting');
      updateDisabled();
    }, delay);
  }

  /** A press that comes too early starts the delay again, so that no series of presses outlasts it. */
  function onPressNearby(event: Event): void {
    if (event.isTrusted && isEarly(event)) restart();
  }

  /** Does the same for Enter and Space. Returns whether the key came too early. */
  function isTooEarly(event: KeyboardEvent): boolean {
    const wasEarly = isEarly(event);
    const isIgnored = wasEarly || isEarlyKey(event);
    // A key held on an enabled button is ignored without starting the delay again.
    if (isIgnored && event.isTrusted && (wasEarly || !event.repeat)) restart();
    return isIgnored;
  }

  function onPointerDown(event: Event): void {
    isPressed = isPressAccepted(event);
  }

  /**
   * Assistive technology may send mouse events without pointer events. After a touch the browser sends them too, at its
   * end: they add nothing to where and when it began.
   */
  function onMouseDown(event: Event): void {
    const isAlone = performance.now() - pointerAt > touchAftermath;
    isPressed = (isAlone || isPressed) && isPressAccepted(event);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    const isIgnored = isTooEarly(event);
    if (isIgnored && event.key === 'Enter') event.preventDefault();
    if (!event.repeat) isPressed = !isIgnored && isPressAccepted(event);
  }

  function onBlur(): void {
    isPressed = false;
  }

  function onClick(event: Event): void {
    const isApproved = isPressed && isAtPlace() && isAccepted(event);
    isPressed = false;
    if (isApproved) approve();
  }

  const notePointer = (): void => {
    pointerAt = performance.now();
  };
  for (const type of ['pointerdown', 'pointerup', 'pointercancel', 'touchend'])
    window.addEventListener(type, notePointer, own({ signal, capture: true, passive: true }));
  for (const type of ['pointerdown', 'mousedown', 'touchstart'])
    area.addEventListener(type, onPressNearby, own({ signal, capture: true, passive: true }));
  button.addEventListener('pointerdown', onPointerDown, own({ signal }));
  button.addEventListener('mousedown', onMouseDown, own({ signal }));
  button.addEventListener('keydown', onKeyDown, own({ signal }));
  button.addEventListener('blur', onBlur, own({ signal }));
  button.addEventListener('click', onClick, own({ signal }));
  attention.watch(restart, signal);
  signal.addEventListener('abort', () => clearTimeout(timer), own({ once: true }));

  return {
    /** Starts the delay again. To be called when the content was shown or changed. */
    restart,
    /** Changes the delay, for other content, and starts it again. */
    setDelay(milliseconds: number): void {
      delay = milliseconds;
      restart();
    },
    /** Disables the button while at least one reason is blocked. */
    block(reason: string, isBlocked: boolean): void {
      if (isBlocked === blockedBy.has(reason)) return;
      if (isBlocked) blockedBy.add(reason);
      else blockedBy.delete(reason);
      updateDisabled();
    },
    /** A `keydown` listener for a text field: Enter approves under the same conditions as a click. */
    submitOnEnter(event: KeyboardEvent): void {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      if (!isTooEarly(event) && isAccepted(event)) approve();
    },
  };
}

/** When an event happened, as `performance.now()` counts. */
function timeOf({ timeStamp }: Event): number {
  const lateness = performance.now() - timeStamp;
  return lateness < maxLateness ? timeStamp : timeStamp + lateness;
}

type Place = readonly [x: number, y: number];

/** A button that is drawn as pressed is smaller, and its centre is where it was. */
function centreOf(button: Element): Place {
  const { left, top, right, bottom } = button.getBoundingClientRect();
  return [(left + right) / 2, (top + bottom) / 2];
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
    /** A press here counts as one of the button while that is disabled. Default: the button alone. */
    readonly area?: HTMLElement | undefined;
    /** Shared by the buttons of one surface. */
    readonly attention?: Attention | undefined;
  }
}
