/** Runs asynchronous tasks one after another, in the order of the calls. */
export type Queue = <T>(task: () => T | Promise<T>) => Promise<T>;

/** Each call resolves or rejects as its task does; a task that fails does not stop the next ones. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(task: () => T | Promise<T>): Promise<T> => {
    const result = last.then(task);
    last = result.catch(() => {});
    return result;
  };
}
