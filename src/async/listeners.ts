/** A list of listeners. A listener that throws stops neither the other listeners nor the emitter. */
export interface Listeners<Args extends readonly unknown[]> {
  /** Returns a function that removes the listener. A function that is added twice is called twice. */
  add(listener: (...args: Args) => void): () => void;
  /** Calls all present listeners; an error thrown by one becomes an uncaught error of the page. */
  emit(...args: Args): void;
  clear(): void;
}

export function createListeners<Args extends readonly unknown[]>(): Listeners<Args> {
  const listeners = new Set<(...args: Args) => void>();
  return {
    add(listener) {
      // A new function for each call, so that removing one entry leaves another entry of the same listener.
      const entry = (...args: Args) => listener(...args);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    emit(...args) {
      for (const listener of [...listeners]) callSafely(listener, ...args);
    },
    clear: () => listeners.clear(),
  };
}

/** Calls a function of the page; an error that it throws becomes an uncaught error of the page, not of the caller. */
export function callSafely<Args extends readonly unknown[]>(
  call: (...args: Args) => void,
  ...args: Args
): void {
  try {
    call(...args);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
