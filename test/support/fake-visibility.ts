import type { Visibility } from '../../src/chain/visibility.js';

/** The visibility of a page, set by the test. */
export function createFakeVisibility() {
  let visible = true;
  const listeners = new Set<() => void>();
  const visibility: Visibility = {
    visible: () => visible,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    visibility,
    set(now: boolean) {
      visible = now;
      for (const listener of listeners) listener();
    },
    listeners: () => listeners.size,
  };
}
