import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { apiPages } from './api-pages.js';
import { keptEntries } from './kept-entries.js';

/**
 * Writes `docs/api`, which Git ignores, from the docstrings. Replaces each page at once: tests that run beside each other read
 * and write them.
 */
export async function writeReference(): Promise<void> {
  const pages = apiPages(await keptEntries());
  mkdirSync('docs/api', { recursive: true });
  for (const [path, text] of pages) {
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  }
  for (const name of readdirSync('docs/api'))
    if (name.endsWith('.md') && !pages.has(`docs/api/${name}`)) rmSync(`docs/api/${name}`);
}
