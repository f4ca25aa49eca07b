import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackage, projectRoot } from './built.js';

/** The test kit as published. */
export type TestKit = typeof import('../../src/playwright/library.js');

export interface BuiltTestKit {
  readonly kit: TestKit;
  /** Of the package: its `dist`. */
  readonly dist: string;
  stop(): Promise<void>;
}

/**
 * Builds what a test author gets: `dist/playwright`, and the wallet that it writes into pages. With `library` also the
 * entries for tests that make their own wallet.
 */
export async function buildTestKit({ library = false } = {}): Promise<BuiltTestKit> {
  const { entry, stop } = await buildPackage(['local', 'testPage', ...(library ? ['library' as const] : [])]);
  const kit: TestKit = await import(new URL('playwright/library.js', entry).href);
  return { kit, dist: fileURLToPath(new URL('.', entry)), stop };
}

export interface TestProject {
  readonly folder: string;
  stop(): Promise<void>;
}

/**
 * A project of a test author, in a folder of its own: these files by name, the built package, and packages of ours that
 * its tests import.
 */
export async function createTestProject(
  { dist }: BuiltTestKit,
  files: Readonly<Record<string, string>>,
  packages: readonly string[] = [],
): Promise<TestProject> {
  const folder = await mkdtemp(join(tmpdir(), 'graft-test-project-'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'graft-wallet'), { recursive: true });
  await symlink(dist, join(modules, 'graft-wallet', 'dist'), 'dir');
  await copyFile(join(projectRoot, 'package.json'), join(modules, 'graft-wallet', 'package.json'));
  for (const name of packages) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(projectRoot, 'node_modules', name), join(modules, name), 'dir');
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { folder, stop: () => rm(folder, { recursive: true, force: true }) };
}
