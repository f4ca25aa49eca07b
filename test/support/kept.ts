import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { filesIn } from './files.js';
import { projectRoot } from './packages.js';
import { until } from './until.js';

const modules = join(projectRoot, 'node_modules');

/**
 * Makes the files of a folder and keeps them for the other test files, in whatever process: those that want them meanwhile wait.
 *
 * @param digest of the inputs, by {@link digestOf}: what was made of others is removed
 * @param make writes the files into an empty folder
 * @returns the folder, in which nothing may be changed
 */
export async function keep(
  name: string,
  digest: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const kept = join(modules, `.built-${name}-${digest}`);
  const lock = join(modules, `.building-${name}-${digest}`);
  while (!existsSync(kept)) {
    const isFirst = await writeFile(lock, `${process.pid}`, { flag: 'wx' }).then(
      () => true,
      () => false,
    );
    if (isFirst) await makeInto(kept, name, make).finally(() => rm(lock, { force: true }));
    else
      await until(async () => existsSync(kept) || (await isLeft(lock)), { timeout: 300_000, interval: 50 });
  }
  return kept;
}

/** Tells whether a lock was released. Removes the lock of a process that was killed. */
async function isLeft(lock: string): Promise<boolean> {
  const text = await readFile(lock, 'utf8').catch(() => null);
  if (text === null) return true;
  try {
    if (text !== '') process.kill(Number(text), 0);
    return false;
  } catch {
    await rm(lock, { force: true });
    return true;
  }
}

async function makeInto(kept: string, name: string, make: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(modules, '.build-'));
  try {
    await make(folder);
    const isOld = (each: string) => each.startsWith(`.built-${name}-`) && each !== basename(kept);
    const old = (await readdir(modules)).filter(isOld);
    await rename(folder, kept);
    for (const each of old) await rm(join(modules, each), { recursive: true, force: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The digest of files and folders of the project. */
export async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const files = path.includes('.') ? [path] : filesIn(join(projectRoot, path)).sort();
    for (const file of files) hash.update(file).update(await readFile(resolve(projectRoot, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
