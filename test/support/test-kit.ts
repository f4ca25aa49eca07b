import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackage } from './built.js';
import { installBuilt } from './install-built.js';
import { projectRoot } from './packages.js';

/** The test kit as published. */
export type TestKit = typeof import('../../packages/kit/src/playwright/library.js');

export interface BuiltTestKit {
  readonly kit: TestKit;
  /** The folder of the build, where each package has its `dist` as in the checkout. */
  readonly root: string;
  stop(): Promise<void>;
}

/**
 * Builds what a test author gets: `graft-kit/playwright`, and the wallet that it writes into pages. With `library` also the
 * entries for tests that make their own wallet.
 */
export async function buildTestKit({ library = false } = {}): Promise<BuiltTestKit> {
  const more = library ? (['library', 'testing'] as const) : [];
  const { entry, stop } = await buildPackage(['local', 'testPage', ...more]);
  const root = new URL('..', entry);
  const kit: TestKit = await import(new URL('packages/kit/dist/playwright/library.js', root).href);
  return { kit, root: fileURLToPath(root), stop };
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
  { root }: BuiltTestKit,
  files: Readonly<Record<string, string>>,
  packages: readonly string[] = [],
): Promise<TestProject> {
  const folder = await mkdtemp(join(tmpdir(), 'graft-test-project-'));
  const modules = join(folder, 'node_modules');
  await installBuilt(root, modules);
  for (const name of packages) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(projectRoot, 'node_modules', name), join(modules, name), 'dir');
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { folder, stop: () => rm(folder, { recursive: true, force: true }) };
}
