import { own } from '../../rpc/own.js';

/**
 * Whether the dialog can be covered by another origin, and whether this browser can detect it. Only a framed page can
 * be: in a top-level page, only scripts of its own origin can draw over the dialog.
 */
export interface OcclusionSupport {
  readonly isFramed: boolean;
  /** Whether the browser has IntersectionObserver v2 (`isVisible`), as Chromium does. */
  readonly isSupported: boolean;
}

export const detectOcclusionSupport = (): OcclusionSupport => ({
  isFramed: window.top !== window,
  isSupported:
    typeof IntersectionObserverEntry === 'function' && 'isVisible' in IntersectionObserverEntry.prototype,
});

/** Calls `onChange` once at first and after each change: whether any part of `target` is covered. Returns the stop. */
export function watchOcclusion(target: Element, onChange: (isCovered: boolean) => void): () => void {
  const options = own({ threshold: [0.99, 1], trackVisibility: true, delay: 100 });
  const observer = new IntersectionObserver((entries) => {
    const last = entries.at(-1) as (IntersectionObserverEntry & { isVisible?: boolean }) | undefined;
    onChange(last?.isVisible !== true || last.intersectionRatio < 0.99);
  }, options);
  observer.observe(target);
  return () => observer.disconnect();
}
