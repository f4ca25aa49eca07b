/**
 * Whether the dialog can be covered by another origin, and whether this browser can detect it. Only a framed page can
 * be: in a top-level page, only scripts of its own origin can draw over the dialog.
 */
export const detectOcclusionSupport = () => ({
  isFramed: window.top !== window,
  /** Whether the browser has IntersectionObserver v2 (`isVisible`), as Chromium does. */
  isSupported:
    typeof IntersectionObserverEntry === 'function' && 'isVisible' in IntersectionObserverEntry.prototype,
});

/**
 * Whether all pages around this one are of these origins. False where the browser does not tell, as older Firefox.
 */
export function isFramedOnlyBy(origins: readonly string[]): boolean {
  const ancestors = location.ancestorOrigins as DOMStringList | undefined;
  return ancestors !== undefined && Array.from(ancestors).every((origin) => origins.includes(origin));
}
