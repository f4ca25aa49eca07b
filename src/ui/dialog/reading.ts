import { own } from '../../rpc/own.js';

/**
 * Calls `onChange` with whether the end of each area has been in view once: at first, and when the last of them is. An area
 * that fits is read as soon as it is drawn.
 */
export function watchReading(
  ends: readonly Element[],
  onChange: (isRead: boolean) => void,
  signal: AbortSignal,
): void {
  const unread = new Set(ends);
  let isFirst = true;
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) unread.delete(target);
      if (unread.size === 0) observer.disconnect();
      if (isFirst || unread.size === 0) onChange(unread.size === 0);
      isFirst = false;
    },
    own({ threshold: 0 }),
  );
  for (const end of ends) observer.observe(end);
  signal.addEventListener('abort', () => observer.disconnect());
}
