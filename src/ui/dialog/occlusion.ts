import { own } from '../../rpc/own.js';

export interface OcclusionWatch {
  /** Whether the newest measurement is younger than a second and showed nothing over the target. */
  isUncovered(): boolean;
  stop(): void;
}

/** Milliseconds between two measurements. */
const interval = 400;
/** Milliseconds for which a measurement counts. */
const lifetime = 1_000;

/** Calls `onChange` once at first and after each change: whether any part of `target` is covered. */
export function watchOcclusion(target: Element, onChange: (isCovered: boolean) => void): OcclusionWatch {
  let wasCovered: boolean | undefined;
  let uncoveredAt = Number.NEGATIVE_INFINITY;
  const options = own({ threshold: [0.99, 1], trackVisibility: true, delay: 100 });
  const observer = new IntersectionObserver((entries) => {
    const last = entries.at(-1) as (IntersectionObserverEntry & { isVisible?: boolean }) | undefined;
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
  return {
    isUncovered: () => performance.now() - uncoveredAt < lifetime,
    stop() {
      clearInterval(timer);
      observer.disconnect();
    },
  };
}
