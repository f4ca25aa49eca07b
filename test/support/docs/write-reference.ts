import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readEntries } from './api-model.js';
import { apiPages } from './api-pages.js';

/**
 * Writes `docs/api`, which Git ignores, from the docstrings. Replaces each page at once: tests that run beside each other read
 * and write them.
 */
export function writeReference(): void {
  const pages = apiPages(readEntries());
  mkdirSync('docs/api', { recursive: true });
  for (const [path, text] of pages) {
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  }
  for (const name of readdirSync('docs/api'))
    if (name.endsWith('.md') && !pages.has(`docs/api/${name}`)) rmSync(`docs/api/${name}`);
}
