import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * The service's description and the bad inputs are kept beside the project for all who work on it; the copies
 * here make a clone complete. Where the originals are within reach, the copies must be the same.
 */
const originals = [
  ['seed.md', '../../../shared/service/seed.md'],
  ['bad-inputs.json', '../../../shared/conformance/bad-inputs.json'],
] as const;

test.each(originals)('%s is the current one', (copy, original) => {
  const here = readFileSync(new URL(copy, import.meta.url), 'utf8');
  const there = new URL(original, import.meta.url);
  expect(here).toBe(existsSync(there) ? readFileSync(there, 'utf8') : here);
});
