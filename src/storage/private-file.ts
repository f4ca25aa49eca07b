/**
 * One JSON file in the origin's private file system (OPFS). A browser can lose a whole IndexedDB database
 * without an error; in the same tests files in the private file system survived, so what must not be lost has
 * a second copy here.
 */
export interface PrivateFile {
  /** What was written last; `null` where there is nothing, or no such file system. Never rejects. */
  read(): Promise<unknown>;
  /** Replaces the contents at once: a crash leaves the old or the new ones. Never rejects. */
  write(value: unknown): Promise<void>;
  /** Removes the file, and what a write that was cut short left of it. @throws when one of them is still there */
  remove(): Promise<void>;
}

export function createPrivateFile(name: string): PrivateFile {
  return {
    async read() {
      try {
        const directory = await navigator.storage.getDirectory();
        const file = await (await directory.getFileHandle(name)).getFile();
        return JSON.parse(await file.text());
      } catch {
        return null;
      }
    },
    async write(value) {
      try {
        const directory = await navigator.storage.getDirectory();
        const handle = await directory.getFileHandle(name, { create: true });
        // The browser writes beside the old file; `close` replaces it.
        const file = await handle.createWritable();
        await file.write(JSON.stringify(value));
        await file.close();
      } catch {
        // Not supported (private windows, Safari before 26), or no space.
      }
    },
    async remove() {
      let directory: FileSystemDirectoryHandle;
      try {
        directory = await navigator.storage.getDirectory();
      } catch {
        return; // Where there is no file system, there is no file.
      }
      // Browsers write into a file beside it first, whose name begins with its name.
      const names: string[] = [];
      for await (const each of directory.keys()) names.push(each);
      for (const each of names) if (each.startsWith(name)) await directory.removeEntry(each);
    },
  };
}
