/** Runs one piece of work at a time. */
export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * One at a time among all pages of the origin where Web Locks exist; else among the callers of this function,
 * and what pages share must be checked where it is written.
 *
 * @param name of the lock; `null`: only among the callers of this function
 */
export function createExclusive(name: string | null): Exclusive {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const locks = name === null ? undefined : (globalThis.navigator as Navigator | undefined)?.locks;
    const run = async (): Promise<T> => {
      if (name === null || !locks) return work();
      let started = false;
      const begin = () => {
        started = true;
        return work();
      };
      try {
        return (await locks.request(name, begin)) as T;
      } catch (error) {
        // An opaque origin has the object, but may not use it.
        if (started || !(error instanceof DOMException && error.name === 'SecurityError')) throw error;
        return work();
      }
    };
    const result = last.then(run);
    last = result.catch(() => {});
    return result;
  };
}
