import { own } from '../rpc/own.js';

/**
 * Tells when something of another origin covers the dialog, or cuts it off. Only a framed wallet can be covered so: in
 * its own page, whoever could draw over it could do anything else too.
 */
export interface Occlusion {
  readonly isFramed: boolean;
  /** IntersectionObserver v2, which Chromium has. In a frame without it nothing tells whether the dialog can be seen. */
  readonly isKnown: boolean;
}

export const occlusionHere = (): Occlusion => ({
  isFramed: window.top !== window,
  isKnown:
    typeof IntersectionObserverEntry === 'function' && 'isVisible' in IntersectionObserverEntry.prototype,
});

/** Calls `onChange` with whether any of `target` is covered: at first, and after each change. Returns its undo. */
export function watchOcclusion(target: Element, onChange: (covered: boolean) => void): () => void {
  const options = own({ threshold: [0.99, 1], trackVisibility: true, delay: 100 });
  const observer = new IntersectionObserver((entries) => {
    const last = entries.at(-1) as (IntersectionObserverEntry & { isVisible?: boolean }) | undefined;
    onChange(last?.isVisible !== true || last.intersectionRatio < 0.99);
  }, options);
  observer.observe(target);
  return () => observer.disconnect();
}
