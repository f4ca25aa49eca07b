/**
 * Returns a signal that aborts as soon as one of `signals` does, and a function that removes its listeners. Replaces
 * `AbortSignal.any`, which Chrome 109, Firefox 115 and Safari 16.4 do not have.
 */
export function anySignal(
  ...signals: readonly (AbortSignal | undefined)[]
): readonly [signal: AbortSignal, release: () => void] {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const signal of signals) {
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
  }
  return [
    controller.signal,
    () => {
      for (const signal of signals) signal?.removeEventListener('abort', abort);
    },
  ];
}

/** Resolves with the result of `task`; with `undefined` when it fails or takes longer than `ms` milliseconds. */
export function withTimeout<T>(ms: number, task: () => Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, undefined);
    const settle = (result?: T) => {
      clearTimeout(timer);
      resolve(result);
    };
    task().then(settle, () => settle());
  });
}
