import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What pages name themselves: the scripts of their own elements, and the worker's file. */
const named = ['graft.js', 'graft-bridge.js', 'kdf-worker.js'];

/** Writes `integrity.json`: the value of the `integrity` attribute for each of these files. Prints it too. */
export async function writeIntegrity(folder: string): Promise<void> {
  const integrity: Record<string, string> = {};
  for (const name of named) {
    const hash = createHash('sha384')
      .update(await readFile(join(folder, name)))
      .digest('base64');
    integrity[name] = `sha384-${hash}`;
  }
  const text = `${JSON.stringify(integrity, null, 2)}\n`;
  await writeFile(join(folder, 'integrity.json'), text);
  console.log(text);
}
