/** Runs asynchronous tasks one after another. Each resolves or rejects as its task does. */
export type FairQueue = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/**
 * A queue in which no key keeps another waiting: tasks of one key run in the order of the calls, at most `maxInRow` of them
 * in a row while a task of another key waits.
 */
export function createFairQueue(maxInRow: number): FairQueue {
  /** The waiting tasks by key; the key that has waited longest for its turn first. */
  const waiting = new Map<string, (() => Promise<unknown>)[]>();
  let isRunning = false;
  let current = '';
  let inRow = 0;

  function nextKey(): string | undefined {
    if (waiting.has(current) && inRow < maxInRow) return current;
    const [first, second] = waiting.keys();
    return first === current ? (second ?? first) : first;
  }

  async function run(): Promise<void> {
    isRunning = true;
    // Tasks that are added in the same turn of the event loop wait together.
    await undefined;
    for (let key = nextKey(); key !== undefined; key = nextKey()) {
      const [task, ...rest] = waiting.get(key) as [() => Promise<unknown>];
      [current, inRow] = [key, key === current ? inRow + 1 : 1];
      // Behind the others: their turn comes first.
      waiting.delete(key);
      if (rest.length > 0) waiting.set(key, rest);
      await task();
    }
    isRunning = false;
    inRow = 0;
  }

  return (key, task) =>
    new Promise((resolve, reject) => {
      const tasks = waiting.get(key) ?? [];
      tasks.push(() => task().then(resolve, reject));
      waiting.set(key, tasks);
      if (!isRunning) void run();
    });
}
