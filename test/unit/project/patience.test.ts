import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Files of a folder, and of those in it. */
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => join(folder, name));

/** Limits of the polls in a source text, milliseconds. */
const limitsIn = (text: string): readonly number[] =>
  [...text.matchAll(/\.poll\([\s\S]*?\)\s*\.(?:not\.)?to[A-Z]/g)].flatMap(([poll]) =>
    [...poll.matchAll(/\btimeout: ([\d_]+)/g)].map(([, digits = '']) => Number(digits.replaceAll('_', ''))),
  );

test('no poll gives up before the others: a limit is for what hangs, and a machine may be busy', () => {
  const files = ['test', 'packages/kit/test', 'packages/relay/test'].flatMap(filesOf);
  expect(files.length).toBeGreaterThan(500);
  const hasty = files.filter((path) => limitsIn(readFileSync(path, 'utf8')).some((limit) => limit < 30_000));
  expect(hasty).toEqual(['test/unit/project/patience.test.ts']);
  expect(limitsIn('await expect.poll(() => 1, { timeout: 10_000 }).toBe(1)')).toEqual([10_000]);
});
