import { fileURLToPath } from 'node:url';
import { readModules } from '../../support/modules.js';

const root = fileURLToPath(new URL('../../../src', import.meta.url));

/**
 * Loads all that a wallet without a page loads at one time or another. To load a module takes time of the machine's, in
 * which virtual time would pass by minutes.
 */
export async function loadWallet(): Promise<void> {
  const modules = new Map(readModules(root).map((module) => [module.path, module]));
  const reached = new Set(['index.ts', 'wallet/core.ts']);
  const packages = new Set<string>();
  for (const path of reached)
    for (const { target, specifier, kind, atRunTime } of modules.get(path)?.imports ?? []) {
      if (!atRunTime || kind === 'worker' || target?.startsWith('ui/')) continue;
      if (target) reached.add(target);
      else packages.add(specifier);
    }
  await Promise.all(
    [...[...reached].map((path) => `${root}/${path}`), ...packages].map((name) => import(name)),
  );
}
