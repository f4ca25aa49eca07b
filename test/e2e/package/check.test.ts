import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** `npm run check`, counted with the tests. */
async function complaints(...args: string[]): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 });
    return 'none';
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr;
  }
}

test('everything is formatted, and the linter has nothing to say', async () => {
  const biome = 'node_modules/@biomejs/biome/bin/biome';
  expect(await complaints(biome, 'check', '--error-on-warnings', '--colors=off')).toBe('none');
}, 60_000);

test('no file, export or dependency is unused', async () => {
  expect(await complaints('node_modules/knip/bin/knip.js', '--no-progress', '--cache')).toBe('none');
}, 60_000);

test('everything type-checks', async () => {
  expect(await complaints('node_modules/typescript/bin/tsc', '--pretty', 'false')).toBe('none');
}, 120_000);
