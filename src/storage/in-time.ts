/**
 * The outcome of `task`; after `ms` milliseconds a `DOMException` named `TimeoutError`, whatever the task does then: the
 * storage of a browser may never answer.
 *
 * @param onLate called before that
 */
export function inTime<T>(task: Promise<T>, ms: number, onLate: () => void): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onLate();
      reject(new DOMException('The storage does not answer', 'TimeoutError'));
    }, ms);
  });
  return Promise.race([task, late]).finally(() => clearTimeout(timer));
}
