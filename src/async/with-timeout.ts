/** What `task` resolves with; `undefined` when it fails, or takes longer than `ms`. */
export function within<T>(ms: number, task: () => Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, undefined);
    const end = (result?: T) => {
      clearTimeout(timer);
      resolve(result);
    };
    task().then(end, () => end());
  });
}
