import { minScale, minSize, minTabSize } from '../../rpc/min-size.js';
import { own } from '../../rpc/own.js';
import { isPageFocused, isPageVisible, listenToPage } from '../elements.js';

/** The reason why a person may not see the question: the window is behind another one, or too small. */
export type Missing = 'focus' | 'size';

/** Watches whether this window is in front, large enough and at rest. Surfaces of one page share it. */
export interface Attention {
  /** Measures now. A change is reported to the listeners before it returns. */
  missing(): Missing | null;
  /** Calls `listener` when the window came to the front, has moved or changed its size, or something else is missing. */
  watch(listener: () => void, signal: AbortSignal): void;
}

/** Milliseconds between two measurements while something is watched. No event reports that a window has moved. */
export const attentionInterval = 200;

/** @param minWindow how large a window must be; the default is for one whose size the person has chosen */
export function createAttention(minWindow: Size = minTabSize): Attention {
  const listeners = new Set<() => void>();
  let state = '';
  let stop = () => {};

  const report = (): void => {
    for (const listener of [...listeners]) listener();
  };

  const missing = (): Missing | null => {
    const reason = findMissing(minWindow);
    const before = state;
    state = `${reason} ${placeOfWindow()}`;
    if (state !== before) report();
    return reason;
  };

  const start = (): void => {
    const stopped = new AbortController();
    const { signal } = stopped;
    const measure = (): void => {
      state = `${findMissing(minWindow)} ${placeOfWindow()}`;
    };
    measure();
    const timer = setInterval(missing, attentionInterval);
    signal.addEventListener('abort', () => clearInterval(timer));
    // The focus may have gone and come back between two measurements.
    const onChange = (): void => {
      measure();
      report();
    };
    for (const type of ['focus', 'resize']) window.addEventListener(type, onChange, own({ signal }));
    window.addEventListener('blur', missing, own({ signal }));
    listenToPage('visibilitychange', missing, signal);
    stop = () => stopped.abort();
  };

  return {
    missing,
    watch(listener, signal) {
      if (signal.aborted) return;
      if (listeners.size === 0) start();
      listeners.add(listener);
      signal.addEventListener('abort', () => {
        if (listeners.delete(listener) && listeners.size === 0) stop();
      });
    },
  };
}

/** CSS pixels. */
export type Size = Readonly<Record<'width' | 'height', number>>;

function findMissing(minWindow: Size): Missing | null {
  if (!isPageVisible() || !isPageFocused()) return 'focus';
  // The framing page sets the size of a frame. No observer reports that the page scales it down.
  if (window.top !== window) return devicePixelRatio < minScale ? 'size' : null;
  const { width, height } = isTab() ? minWindow : minSize;
  return innerWidth < width || innerHeight < height ? 'size' : null;
}

/**
 * Whether the window may be one whose size the person has chosen. One without the browser's bars, or that still knows its
 * opener, is not. A window opened by another site can pass for one, so callers that serve such windows give a larger `minWindow`.
 */
const isTab = (): boolean => window.menubar?.visible === true && !window.opener;

/** Compared as a whole: no step is too small to count. */
const placeOfWindow = (): string =>
  [screenX, screenY, outerWidth, outerHeight, innerWidth, innerHeight, devicePixelRatio].join(' ');
