import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, keep } from '../kept.js';
import { type Entry, readEntries } from './api-model.js';

const inputs = ['src', 'packages', 'test/support', 'tsconfig.json', 'package-lock.json'];

/** {@link readEntries}, once for the same sources: the compiler takes ten seconds of a processor, and several tests want them. */
export async function keptEntries(): Promise<Entry[]> {
  const folder = await keep('entries', await digestOf(inputs), (empty) =>
    writeFile(join(empty, 'entries.json'), JSON.stringify(readEntries())),
  );
  return JSON.parse(await readFile(join(folder, 'entries.json'), 'utf8'));
}
