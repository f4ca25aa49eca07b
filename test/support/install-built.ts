import { existsSync } from 'node:fs';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { packages, projectRoot } from './packages.js';

/**
 * Installs our packages into a folder `node_modules`: the manifests of the checkout, and what was built. A package that was not
 * built is left out.
 *
 * @param root the folder of the build, where each package has its `dist` as in the checkout
 */
export async function installBuilt(root: string, modules: string): Promise<void> {
  for (const { name, folder } of packages) {
    const dist = join(root, folder, 'dist');
    if (!existsSync(dist)) continue;
    const place = join(modules, name);
    await mkdir(place, { recursive: true });
    await copyFile(join(projectRoot, folder, 'package.json'), join(place, 'package.json'));
    await symlink(dist, join(place, 'dist'), 'dir');
  }
}
