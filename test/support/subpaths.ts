import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { packages, projectRoot } from './packages.js';

/**
 * Folders of a package for resolvers that do not read `exports`, such as Parcel's without settings: they look for
 * `graft-wallet/viem` in a folder `viem` and its package.json. They are there only while the package is packed:
 * `tsx test/support/subpaths.ts write` in its folder before, and `remove` after it.
 */

const root = resolve('.');
const packed = packages.find(({ folder }) => resolve(projectRoot, folder) === root);
if (!packed) throw new Error(`${root} is not the folder of a package`);
const { name, entries } = packed;
const subpaths = entries.filter(({ specifier }) => specifier !== name);

async function write(): Promise<void> {
  for (const { specifier, file, types } of subpaths) {
    const folder = join(root, relative(name, specifier));
    const fromHere = (path: string) => relative(folder, join(root, path));
    const manifest = { type: 'module', main: fromHere(file), types: fromHere(types), sideEffects: false };
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

async function remove(): Promise<void> {
  for (const { specifier } of subpaths) {
    const [folder = ''] = relative(name, specifier).split('/');
    await rm(join(root, folder), { recursive: true, force: true });
  }
}

await { write, remove }[process.argv[2] as 'write' | 'remove']();
