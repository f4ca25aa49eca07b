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
