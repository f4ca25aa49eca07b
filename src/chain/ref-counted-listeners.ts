import type { Poller } from './poller.js';

/** The listeners of one poller, which runs while at least one of them is active. */
export interface RefCountedListeners<Listener> {
  readonly all: ReadonlySet<Listener>;
  /** Returns a function that removes the listener. A passive one does not start the poller. */
  add(listener: Listener, passive: boolean | undefined): () => void;
  clear(): void;
}

/** @param onEmpty called when the last listener has left */
export function createRefCountedListeners<Listener>(
  poller: Poller,
  onEmpty: () => void,
): RefCountedListeners<Listener> {
  const all = new Set<Listener>();
  const active = new Set<Listener>();

  function remove(listener: Listener): void {
    if (!all.delete(listener)) return;
    active.delete(listener);
    if (active.size === 0) poller.pause();
    if (all.size > 0) return;
    poller.stop();
    onEmpty();
  }

  return {
    all,
    add(listener, passive) {
      all.add(listener);
      if (!passive) {
        active.add(listener);
        poller.start();
      }
      return () => remove(listener);
    },
    clear() {
      for (const listener of [...all]) remove(listener);
    },
  };
}
