/**
 * One JSON file in the origin private file system (OPFS). A browser can lose a whole IndexedDB database without an error;
 * in the same tests OPFS files survived. So it holds a second copy of what must not be lost.
 */
export interface PrivateFile {
  /** The contents; `null` without a file or without OPFS. Never rejects. */
  read(): Promise<unknown>;
  /** Replaces the contents atomically: a crash leaves the old or the new ones. Never rejects. */
  write(value: unknown): Promise<void>;
  /** Removes the file and the temporary files of interrupted writes. @throws if one of them cannot be removed */
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
        // The browser writes a temporary file; `close` replaces the old one.
        const file = await handle.createWritable();
        await file.write(JSON.stringify(value));
        await file.close();
      } catch {
        // Not supported (private windows, Safari before 26), or the disk is full.
      }
    },
    async remove() {
      let directory: FileSystemDirectoryHandle;
      try {
        directory = await navigator.storage.getDirectory();
      } catch {
        return; // No OPFS, so no file.
      }
      // The names of temporary files begin with the name of the file.
      const names: string[] = [];
      for await (const each of directory.keys()) names.push(each);
      for (const each of names) if (each.startsWith(name)) await directory.removeEntry(each);
    },
  };
}
