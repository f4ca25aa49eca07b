/** Who wants to hear of something. One that throws harms neither the others nor who tells. */
export interface Listeners<Args extends readonly unknown[]> {
  /** Returns its undo. */
  add(listener: (...args: Args) => void): () => void;
  /** Tells all that listen now; what one throws goes to the page's own error handler. */
  tell(...args: Args): void;
  clear(): void;
}

export function createListeners<Args extends readonly unknown[]>(): Listeners<Args> {
  const listeners = new Set<(...args: Args) => void>();
  return {
    add(listener) {
      // Each time it is added it is somebody of its own, so that an undo takes away only what it added.
      const own = (...args: Args) => listener(...args);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    tell(...args) {
      for (const listener of [...listeners]) guarded(listener, ...args);
    },
    clear: () => listeners.clear(),
  };
}

/** Calls what the page gave us: its error is the page's, and is raised there. */
export function guarded<Args extends readonly unknown[]>(call: (...args: Args) => void, ...args: Args): void {
  try {
    call(...args);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
