/** A function that runs `run` at its first call only, and always returns what that has returned. */
export function once<T>(run: () => T): () => T {
  let isDue = true;
  let result: T;
  return () => {
    if (isDue) {
      isDue = false;
      result = run();
    }
    return result;
  };
}
