/** Whether the page is visible, and when it is worth polling again. */
export interface Visibility {
  visible(): boolean;
  /** Calls `listener` when the page may have slept, is shown again or is back online. Returns a function that stops it. */
  watch(listener: () => void): () => void;
}

/**
 * Visibility of this page: hidden tabs, the back/forward cache, frozen tabs that resume, and the network coming back.
 * Without a document (a server, a worker, Node) it is always visible.
 */
export const pageVisibility: Visibility = {
  visible: () => globalThis.document?.visibilityState !== 'hidden',
  watch(listener) {
    const sources: readonly (readonly [EventTarget | undefined, string])[] = [
      [globalThis.document, 'visibilitychange'],
      [globalThis.document, 'resume'],
      [globalThis.window, 'pageshow'],
      [globalThis.window, 'online'],
    ];
    for (const [target, event] of sources) target?.addEventListener(event, listener);
    return () => {
      for (const [target, event] of sources) target?.removeEventListener(event, listener);
    };
  },
};
