import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { projectRoot } from '../support/packages.js';

/**
 * Holds the last table of docs/compatibility.md to these rows, by what each is about; all else stays as it is. Where it differs
 * it is written anew, so that `git diff` shows what has changed.
 */
export async function expectRows(rows: ReadonlyMap<string, string>): Promise<void> {
  const path = join(projectRoot, 'docs', 'compatibility.md');
  const before = await readFile(path, 'utf8').catch(() => '');
  const [head = '', table = ''] = before.split('## Bundlers, runtimes and kits\n');
  const known = table.matchAll(/^\| (?!With )(.*?) \|.*$/gm);
  const all = new Map([...[...known].map(([row, title]) => [title, row] as const), ...rows]);
  const page = `${head}## Bundlers, runtimes and kits

The packed package with each of them, as the tests write it: \`npm run test:only matrix\` runs these alone. In each a wallet is created,
unlocked and signs a message that recovers to its account; *worker*: the password is stretched in a worker, and timers go on
meanwhile. A framework's page is the one in [the guide](guides/frameworks.md), in Chromium, without an error or a warning; what it
pays arrives.

| With | Version | | Worker |
|---|---|---|---|
${[...all.values()].join('\n')}
`;
  if (page !== before) await writeFile(path, page);
  expect(page).toBe(before);
}
