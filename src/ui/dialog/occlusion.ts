import { own } from '../../rpc/own.js';

/** Milliseconds between two measurements. */
const interval = 400;
/** Milliseconds for which a measurement counts. */
const lifetime = 1_000;

/**
 * Calls `onChange` once at first and after each change: whether any part of `target` is covered.
 * @returns whether the newest measurement is younger than a second and showed nothing over the target
 */
export function watchOcclusion(
  target: Element,
  onChange: (isCovered: boolean) => void,
  signal: AbortSignal,
): () => boolean {
  let wasCovered: boolean | undefined;
  let uncoveredAt = Number.NEGATIVE_INFINITY;
  const options = own({ threshold: [0.99, 1], trackVisibility: true, delay: 100 });
  const observer = new IntersectionObserver((entries) => {
    const last = entries.at(-1) as
      | (IntersectionObserverEntry & { isVisible?: boolean | undefined })
      | undefined;
    const isCovered = last?.isVisible !== true || last.intersectionRatio < 0.99;
    uncoveredAt = isCovered ? Number.NEGATIVE_INFINITY : performance.now();
    if (isCovered === wasCovered) return;
    wasCovered = isCovered;
    onChange(isCovered);
  }, options);
  observer.observe(target);
  // The observer reports changes only. Observing the target again measures it again.
  const timer = setInterval(() => {
    observer.unobserve(target);
    observer.observe(target);
  }, interval);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    observer.disconnect();
  });
  return () => performance.now() - uncoveredAt < lifetime;
}
