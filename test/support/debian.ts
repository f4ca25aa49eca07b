import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether Debian's packages can be installed here. */
export const canInstall = async (): Promise<boolean> =>
  process.getuid?.() === 0 && (await inPath(['apt-get'])) !== undefined;

/** Installs Debian's packages. Several processes may call it at once: they wait for each other. */
export async function installPackages(
  packages: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const get = (...args: string[]) =>
    run('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=600', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', ...environment },
    });
  const getAll = () => get('install', '--yes', '--no-install-recommends', ...packages);
  // What the machine knows of packages may be too old, or nothing.
  await getAll().catch(() => get('update').then(getAll));
}

export const isInstalled = (debian: string): Promise<boolean> =>
  run('dpkg-query', ['--status', debian]).then(
    ({ stdout }) => /^Status: install ok installed$/m.test(stdout),
    () => false,
  );

/** The path of the first of these programs that is there. */
export async function inPath(names: readonly string[]): Promise<string | undefined> {
  for (const name of names)
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, name);
      if (await isThere(path)) return path;
    }
  return undefined;
}

export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
