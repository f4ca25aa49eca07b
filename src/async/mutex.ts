import { createQueue } from './queue.js';

/** Runs one task at a time. */
export type Mutex = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * A mutex over all pages of the origin where Web Locks are available; elsewhere over the callers of this function only,
 * so shared storage must be compared again where it is written.
 *
 * @param name of the Web Lock; `null` for a mutex within this page
 */
export function createMutex(name: string | null): Mutex {
  const queue = createQueue();
  return <T>(task: () => Promise<T>): Promise<T> =>
    queue(async () => {
      const locks = name === null ? undefined : (globalThis.navigator as Navigator | undefined)?.locks;
      if (name === null || !locks) return task();
      let started = false;
      const start = () => {
        started = true;
        return task();
      };
      for (let attempt = 1; ; attempt++) {
        try {
          return (await locks.request(name, start)) as T;
        } catch (error) {
          if (started) throw error;
          // An opaque origin has `navigator.locks`, but every request fails with a SecurityError.
          if (error instanceof DOMException && error.name === 'SecurityError') return task();
          // Chromium gives the lock up where the page cannot run the task just then, as while a debugger attaches to a window.
          if (error instanceof DOMException || attempt === maxAttempts) throw error;
          await new Promise((resolve) => setTimeout(resolve, pause));
        }
      }
    });
}

/** Requests of a lock that was granted and given up again. */
const maxAttempts = 20;
/** Milliseconds between two of them. */
const pause = 50;
