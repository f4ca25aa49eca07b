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
          // Chromium rejects if the page is paused when it gets the lock, for example while a debugger attaches to a new window.
          if (error instanceof DOMException || attempt === maxAttempts) throw error;
          await new Promise((resolve) => setTimeout(resolve, pause));
        }
      }
    });
}

/** Mutexes by key, each with the name that `nameOf` gives it. */
export function createMutexes<Keys extends readonly unknown[]>(
  nameOf: (...keys: Keys) => string,
): (...keys: Keys) => Mutex {
  const mutexes = new Map<string, Mutex>();
  return (...keys) => {
    const name = nameOf(...keys);
    const mutex = mutexes.get(name) ?? createMutex(name);
    mutexes.set(name, mutex);
    return mutex;
  };
}

/** How often the lock is requested before that error is passed on. */
const maxAttempts = 20;
/** Milliseconds between two of these requests. */
const pause = 50;
