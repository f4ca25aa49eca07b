import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { projectRoot } from './built.js';

/**
 * Folders of the package for resolvers that do not read `exports`, such as Parcel's without settings: they look for
 * `graft-wallet/viem` in a folder `viem` and its package.json. They are there only while the package is packed:
 * `tsx test/support/subpaths.ts write` before, and `remove` after it.
 */

interface Target {
  readonly types: string;
  readonly default?: string;
  readonly node?: string;
}

/** Each subpath of `exports` with the files that it resolves to. */
async function subpaths(): Promise<readonly (readonly [name: string, target: Target])[]> {
  const manifest = await readFile(join(projectRoot, 'package.json'), 'utf8');
  const { exports } = JSON.parse(manifest) as { readonly exports: Readonly<Record<string, string | Target>> };
  return Object.entries(exports).flatMap(([path, target]) =>
    path === '.' || typeof target === 'string' ? [] : [[path.replace('./', ''), target] as const],
  );
}

async function write(): Promise<void> {
  for (const [name, { types, default: module, node }] of await subpaths()) {
    const folder = join(projectRoot, name);
    const fromHere = (path = '') => relative(folder, join(projectRoot, path));
    const main = fromHere(module ?? node);
    const manifest = { type: 'module', main, types: fromHere(types), sideEffects: false };
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

async function remove(): Promise<void> {
  for (const [name] of await subpaths())
    await rm(join(projectRoot, name.split('/')[0] as string), { recursive: true, force: true });
}

await { write, remove }[process.argv[2] as 'write' | 'remove']();
