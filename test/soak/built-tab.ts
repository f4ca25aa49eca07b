import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Bundles the tab's code into one folder of plain modules, which a thread loads fast. */
export interface BuiltTab {
  readonly path: string;
  remove(): Promise<void>;
}

export async function buildTab(): Promise<BuiltTab> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const folder = await mkdtemp(join(root, 'node_modules', '.soak-'));
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'error',
    ssr: { noExternal: true, resolve: { conditions: ['browser', 'module', 'import', 'default'] } },
    build: {
      ssr: join(import.meta.dirname, 'tab.ts'),
      outDir: folder,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'tab.mjs', chunkFileNames: '[name]-[hash].mjs' } },
    },
  });
  return { path: join(folder, 'tab.mjs'), remove: () => rm(folder, { recursive: true, force: true }) };
}
