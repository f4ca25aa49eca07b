import { fileTimeout, inTime } from './in-time.js';

/**
 * One JSON file in the origin private file system (OPFS). A browser can lose a whole IndexedDB database without an error;
 * in the same tests OPFS files survived. So it holds a second copy of what must not be lost.
 *
 * A file system that has not answered within 5 s counts as one that the browser lacks, for a minute: nothing waits for it
 * again in that time but {@link PrivateFile.remove}.
 */
export interface PrivateFile {
  /** The contents; `null` without a file or without OPFS. Never rejects. */
  read(): Promise<unknown>;
  /** Replaces the contents atomically: a crash leaves the old or the new ones. Never rejects. */
  write(value: unknown): Promise<void>;
  /**
   * Removes the file and the temporary files of interrupted writes.
   * @throws if one of them cannot be removed; `TimeoutError` if the file system does not answer
   */
  remove(): Promise<void>;
}

/** Milliseconds for which the file system is left alone after an operation that was late. */
const rest = 60_000;

/** @param parse reads the text of the file. It must take what `JSON.stringify` makes. */
export function createPrivateFile(name: string, parse: (text: string) => unknown = JSON.parse): PrivateFile {
  let silentUntil = 0;

  /** @param task must not change the file once its signal has aborted: newer contents may have been written */
  function run<T>(task: (late: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    return inTime(task(late.signal), fileTimeout, () => {
      late.abort();
      silentUntil = Date.now() + rest;
    });
  }

  const isSilent = () => Date.now() < silentUntil;

  async function replace(value: unknown, late: AbortSignal): Promise<void> {
    const directory = await navigator.storage.getDirectory();
    if (late.aborted) return;
    const handle = await directory.getFileHandle(name, { create: true });
    // The browser writes a temporary file; `close` replaces the old one.
    const file = await handle.createWritable();
    if (!late.aborted) await file.write(JSON.stringify(value));
    await (late.aborted ? file.abort() : file.close());
  }

  async function removeAll(late: AbortSignal): Promise<void> {
    let directory: FileSystemDirectoryHandle;
    try {
      directory = await navigator.storage.getDirectory();
    } catch {
      return; // No OPFS, so no file.
    }
    // The names of temporary files begin with the name of the file.
    const names: string[] = [];
    for await (const each of directory.keys()) names.push(each);
    for (const each of names) if (each.startsWith(name) && !late.aborted) await directory.removeEntry(each);
  }

  return {
    async read() {
      if (isSilent()) return null;
      try {
        return await run(async () => {
          const directory = await navigator.storage.getDirectory();
          const file = await (await directory.getFileHandle(name)).getFile();
          return parse(await file.text());
        });
      } catch {
        return null;
      }
    },
    async write(value) {
      if (isSilent()) return;
      try {
        await run((late) => replace(value, late));
      } catch {
        // Not supported (private windows, Safari before 26), the disk is full, or no answer.
      }
    },
    remove: () => run(removeAll),
  };
}
