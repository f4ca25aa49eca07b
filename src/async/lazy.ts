/** A value that is loaded at the first call and shared by all calls. A failed load is repeated by the next call. */
export interface Lazy<T> {
  (): Promise<T>;
  /** The value once it has loaded, else `undefined`. Never starts a load. */
  peek(): T | undefined;
  /**
   * Passes the value to `dispose` once: now if it has loaded, else as soon as it loads. A value that finishes loading
   * after its owner was closed is thereby closed too.
   */
  close(dispose: (value: T) => void): void;
  /** Whether {@link close} was called. */
  isClosed(): boolean;
}

export function lazy<T>(load: () => Promise<T>): Lazy<T> {
  let loading: Promise<T> | undefined;
  let loaded: { readonly value: T } | undefined;
  let onLoad: ((value: T) => void) | undefined;

  const get = (): Promise<T> => {
    if (loading === undefined) {
      loading = load().then((value) => {
        loaded = { value };
        onLoad?.(value);
        return value;
      });
      loading.catch(() => {
        loading = undefined;
      });
    }
    return loading;
  };

  return Object.assign(get, {
    peek: () => loaded?.value,
    close(dispose: (value: T) => void) {
      if (onLoad) return;
      onLoad = dispose;
      if (loaded) dispose(loaded.value);
    },
    isClosed: () => onLoad !== undefined,
  });
}

/** Shares one run: calls made while `task` is running get the promise of that run. */
export function singleFlight<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= task().finally(() => {
      running = undefined;
    });
    return running;
  };
}
