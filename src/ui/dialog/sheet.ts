import { own } from '../../rpc/own.js';
import { createElement, listenToPage, unlockPointer } from '../elements.js';
import { bodyOfPage } from '../page.js';
import { type Rules, stylesOf, type Theme } from '../styles.js';
import type { DialogWords } from '../words/words.js';
import { type Attention, createAttention, type Size } from './attention.js';
import { cannotShow } from './body.js';
import { watchDisplay } from './display.js';
import { watchMovement } from './movement.js';
import { watchOcclusion } from './occlusion.js';
import { detectOcclusionSupport } from './occlusion-support.js';

/**
 * A modal `<dialog>` in a closed shadow root on the page. One sheet may show several questions, one after another, so
 * that nothing flickers between the steps of one flow.
 */
export interface Sheet {
  readonly dialog: HTMLDialogElement;
  /** Aborted when the sheet has closed, for any reason. */
  readonly signal: AbortSignal;
  /** Measures now whether the dialog is in view, uncovered and undistorted. */
  isShown(): boolean;
  /** Whether its window is in front, large enough and at rest. */
  readonly attention: Attention;
  readonly styles: Styles;
  /** Replaces the sheet's listener. `kind` names its content, for tests and style sheets of the page. */
  use(kind: string, user: SheetUser): void;
  /** Removes the element, its listeners and timers, and restores the focus to the page. */
  close(): void;
}

const maxMoves = 8;

/** Listener for events of the sheet that come from outside. */
export interface SheetUser {
  /** The person or the browser has closed it, or the page has removed it. */
  closed(by: 'person' | 'page'): void;
  /** Confirming must wait for `reason` to end, or need not any more. */
  blocked(reason: Obstacle, isBlocked: boolean): void;
  /** The frame that it is in has moved under the pointer, or may have. */
  moved(): void;
}

/** Why nothing can be confirmed: the page changes the sheet, something covers it, or its window is too small. */
export type Obstacle = 'display' | 'covered' | 'size';

/** Listener for effects of the page around a frame on the sheet in it. */
export interface FramedUser {
  /** Whether anything is over the sheet: at first and after each change. */
  covered(isCovered: boolean): void;
  /** The page has taken the focus from a sheet with a field to type into. */
  unfocused(): void;
}

/** A user that does nothing. */
export const idleUser: SheetUser = { closed() {}, blocked() {}, moved() {} };

/** @throws ProviderRpcError -32002 where the browser refuses it */
export function openSheet(options: openSheet.Options): Sheet {
  const { theme, words, framed, minWindow, mayConfirmInFrame } = own(options);
  const closing = new AbortController();
  const { signal } = closing;
  const host = createElement('div');
  const dialog = createElement('dialog');
  let parent = bodyOfPage();
  /** How often the page has replaced the body under it. */
  let moves = 0;
  const blocked = new Set<Obstacle>();
  const attention = createAttention(minWindow);
  let user = idleUser;
  let isDisplayed = () => true;
  let isUncovered = () => true;

  const close = (): void => {
    if (signal.aborted) return;
    closing.abort();
    // Closing before removal makes the browser restore the focus to the page.
    dialog.close();
    host.remove();
  };
  const dismiss = (by: 'person' | 'page'): void => {
    if (signal.aborted) return;
    const { closed } = user;
    close();
    closed(by);
  };
  const block = (reason: Obstacle, isBlocked: boolean): void => {
    if (blocked.has(reason) === isBlocked) return;
    if (isBlocked) blocked.add(reason);
    else blocked.delete(reason);
    user.blocked(reason, isBlocked);
  };

  dialog.setAttribute('lang', words.language);
  dialog.setAttribute('dir', words.direction);
  // Escape and the back gesture fire `cancel`; a browser that closes without asking fires only `close`.
  for (const type of ['cancel', 'close'])
    dialog.addEventListener(
      type,
      // A file field's `cancel` bubbles.
      ({ target }) => {
        if (target === dialog) dismiss('person');
      },
      own({ signal }),
    );
  // Events on the backdrop have the dialog itself as their target: they would scroll the page behind it.
  for (const type of ['wheel', 'touchmove'])
    dialog.addEventListener(
      type,
      (event) => event.target === dialog && event.preventDefault(),
      own({ signal, passive: false }),
    );
  isolateEvents(host, signal);
  window.addEventListener('pagehide', () => dismiss('person'), own({ signal }));

  const show = (): void => {
    parent.append(host);
    // The modal dialog itself is the focus trap: everything behind it is inert.
    dialog.showModal();
    unlockPointer();
  };
  let styles: Styles;
  try {
    styles = attachShadow(host, dialog, theme);
    show();
  } catch (error) {
    closing.abort();
    host.remove();
    throw cannotShow(`The browser failed (${(error as Error | undefined)?.name})`);
  }
  listenToPage('pointerlockchange', unlockPointer, signal);

  /** Goes over to a body that the page has put in place of the other one. A page that keeps doing so removes it. */
  const follow = (): void => {
    const body = bodyOfPage();
    if (body === parent || !body || ++moves > maxMoves) return void dismiss('page');
    parent = body;
    try {
      // Without it the dialog could not become modal again. `close()` would fire an event, as for the person.
      dialog.removeAttribute('open');
      show();
      user.moved();
    } catch {
      dismiss('page');
    }
  };

  /** Starts once there is content, since an empty dialog is too low to count as shown. */
  const watchPage = (): void => {
    // A dialog that was removed from the document is no longer modal, even when it is inserted again.
    const removal = new MutationObserver(() => {
      if (host.parentNode !== parent || !host.isConnected || !dialog.matches(':modal')) follow();
    });
    removal.observe(document, own({ childList: true, subtree: true }));
    signal.addEventListener('abort', () => removal.disconnect());
    const measureSize = () => block('size', attention.missing() === 'size');
    attention.watch(measureSize, signal);
    measureSize();
    isDisplayed = watchDisplay(dialog, host, (isTampered) => block('display', isTampered), signal);
    const { isFramed, isSupported } = detectOcclusionSupport();
    if (!isFramed) return;
    block('covered', true);
    if (!isSupported || !mayConfirmInFrame) return;
    // The observer never measures a frame that is not drawn at all.
    framed?.covered(true);
    const onCovered = (isCovered: boolean): void => {
      block('covered', isCovered);
      framed?.covered(isCovered);
    };
    isUncovered = watchOcclusion(dialog, onCovered, signal);
    watchMovement(() => user.moved(), signal);
    dialog.addEventListener('focusout', () => setTimeout(noticeTheft), own({ signal }));
  };
  /** When the person goes to another window the dialog keeps its focused field. Only the page around can take it. */
  const noticeTheft = (): void => {
    const isTaken = !document.hasFocus() && (dialog.getRootNode() as ShadowRoot).activeElement === null;
    if (isTaken && dialog.querySelector(fields) !== null) framed?.unfocused();
  };
  let isWatching = false;

  return {
    dialog,
    signal,
    isShown: () => blocked.size === 0 && isDisplayed() && isUncovered(),
    attention,
    styles,
    use(kind, next) {
      user = next;
      host.setAttribute('data-graft', kind);
      for (const reason of blocked) next.blocked(reason, true);
      if (!isWatching) watchPage();
      isWatching = true;
    },
    close,
  };
}

export declare namespace openSheet {
  interface Options {
    readonly theme: Theme;
    /** The language and the writing direction. */
    readonly words: Pick<DialogWords, 'language' | 'direction'>;
    /** In a frame: the listener for effects of the page around it. */
    readonly framed?: FramedUser | undefined;
    /** CSS pixels that its window must have. */
    readonly minWindow?: Size | undefined;
    /** In a frame nothing is confirmed without it: no observer sees that the page around masks the frame. */
    readonly mayConfirmInFrame?: boolean | undefined;
  }
}

/** Selector of the fields that can be typed into now; a busy dialog has no such field. */
const fields = ':is(input:not([type=checkbox], [type=radio]), textarea):not(:read-only, [inert] *)';

/** The style sheet of a shadow root. */
export interface Styles {
  setTheme(theme: Theme): void;
  /** Adds rules, once. */
  add(...rules: readonly Rules[]): void;
}

/** A closed shadow root with its own style sheet, so that the page's styles do not reach its content. */
export function attachShadow(host: HTMLElement, content: HTMLElement, theme: Theme): Styles {
  const root = host.attachShadow(own({ mode: 'closed' }));
  const sheet = new CSSStyleSheet();
  const further = new Set<Rules>();
  let shown = theme;
  const update = () => sheet.replaceSync(stylesOf(shown, [...further]));
  update();
  root.adoptedStyleSheets = [sheet];
  root.append(content);
  return {
    setTheme(next) {
      shown = next;
      update();
    },
    add(...rules) {
      const count = further.size;
      for (const each of rules) further.add(each);
      if (further.size > count) update();
    },
  };
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
  'touchmove',
  'touchend',
  'touchcancel',
  'wheel',
  'dblclick',
  'auxclick',
  'contextmenu',
  'focusin',
  'focusout',
];

/**
 * Keeps input events inside the host, so that they trigger no keyboard shortcut, "click outside" or focus trap of the page.
 * `event-shield.ts` undoes the effects of page listeners that run before an event gets here.
 */
export function isolateEvents(host: HTMLElement, signal: AbortSignal): void {
  for (const type of isolatedEvents)
    host.addEventListener(type, (event) => event.stopPropagation(), own({ signal }));
}
