/**
 * Tells when something of another origin covers the dialog. Only a framed wallet can be covered so: in its own
 * page, whoever could draw over it could do anything else too. The check is Chromium's (IntersectionObserver
 * v2); without it, the page that frames us should open a window of its own instead (security.md, mode C).
 */
export function watchOcclusion(target: Element, onChange: (covered: boolean) => void): () => void {
  const framed = window.top !== window;
  const known =
    typeof IntersectionObserverEntry === 'function' && 'isVisible' in IntersectionObserverEntry.prototype;
  if (!framed || !known) return () => {};
  const options = { threshold: [0.99, 1], trackVisibility: true, delay: 100 };
  const observer = new IntersectionObserver((entries) => {
    const last = entries.at(-1) as (IntersectionObserverEntry & { isVisible?: boolean }) | undefined;
    onChange(last?.isVisible === false);
  }, options);
  observer.observe(target);
  return () => observer.disconnect();
}
