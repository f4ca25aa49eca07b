import { createIdbStorage } from '../../../src/storage/idb.js';

/** Reads and writes a storage without a pause while its database is lost under it. */

const storage = createIdbStorage();
const failures: string[] = [];
let [done, isOver] = [0, false];

async function use(task: () => Promise<unknown>): Promise<void> {
  while (!isOver) {
    await task().then(
      () => done++,
      (error: unknown) => failures.push(String(error)),
    );
    // Lets the page be asked.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
const running = [
  use(() => storage.update('journal', 'a', () => 1)),
  use(() => storage.put('journal', [['b', 1]])),
  use(() => storage.get('journal', 'a')),
  use(() => storage.all('journal')),
];

const page = {
  done: () => done,
  async end(): Promise<readonly string[]> {
    isOver = true;
    await Promise.all(running);
    return failures;
  },
};
export type LostDatabasePage = typeof page;
Object.assign(window, { page });
