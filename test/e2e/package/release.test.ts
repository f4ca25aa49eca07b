import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);

test('a changeset becomes the next version and its section of the changelog', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'graft-release-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['package.json', 'CHANGELOG.md', '.changeset'])
    await cp(name, join(folder, name), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'), 'dir');
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const next = version.replace(/\d+\.\d+$/, (rest: string) => `${Number(rest.split('.')[0]) + 1}.0`);
  const changeset = '---\n"graft-wallet": minor\n---\n\nThe panel speaks French.\n';
  await writeFile(join(folder, '.changeset', 'french.md'), changeset);

  await run(process.execPath, [resolve('node_modules/@changesets/cli/bin.js'), 'version'], { cwd: folder });

  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version).toBe(next);
  const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8');
  const [title, section] = changelog.split(/^## /m);
  expect(title).toBe('# Changelog\n\n');
  expect(section).toMatch(new RegExp(`^${next}\\n[^]*The panel speaks French\\.\\n`));
  expect(changelog.endsWith((await readFile('CHANGELOG.md', 'utf8')).replace('# Changelog\n', ''))).toBe(
    true,
  );
});

test('the changelog has the version of package.json', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(await readFile('CHANGELOG.md', 'utf8')).toContain(`\n## ${version}\n`);
});

test('the workflow of a release checks it and publishes with provenance', async () => {
  const workflow = await readFile('.github/workflows/release.yml', 'utf8');
  expect(workflow).toContain('npm run release check');
  expect(workflow).toContain('id-token: write');
  expect(workflow).toContain('publish --provenance');
});
