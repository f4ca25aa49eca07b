/** Whether somebody can see the page, and when it is worth looking again. */
export interface Visibility {
  visible(): boolean;
  /** Calls `listener` after the page may have slept, or came back into view or online. Returns its undo. */
  watch(listener: () => void): () => void;
}

/**
 * The page's own, where there is one: hidden tabs, the back/forward cache, a frozen tab that resumes, the
 * network coming back. Without a document (server, worker, Node) it counts as always visible.
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
