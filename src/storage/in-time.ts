/**
 * Milliseconds that the browser has to open the database, and for one operation. A connection that is late counts as lost: Safari
 * and browsers whose other tab blocks an upgrade may never answer.
 */
export const databaseTimeout = 10_000;

/** Milliseconds for one operation on a file. */
export const fileTimeout = 5_000;

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
