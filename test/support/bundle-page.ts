import { build, type Rolldown } from 'vite';
import { chunks } from '../../examples/wallet-site/chunks.js';
import { ownExports } from './own-exports.js';
import { projectRoot } from './packages.js';
import { workerSource } from './worker-source.js';

/**
 * Bundles modules of the project for pages, so that each load of a page takes a few requests in place of more than a
 * hundred.
 *
 * @param modules paths in the project, such as `test/e2e/browser/tabs-page.ts`, by the name of the file that each becomes.
 *   They share their chunks.
 * @param preload whether what a lazy chunk imports is loaded together with it, as in a wallet's site
 * @returns the files by their path: `/tabs.js` for what was to become `tabs.js`, and those that it imports
 */
export async function bundlePages(
  modules: Readonly<Record<string, string>>,
  { preload = false } = {},
): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { output } = (await build({
    configFile: false,
    root: projectRoot,
    publicDir: false,
    logLevel: 'error',
    plugins: [workerSource(), ownExports()],
    build: {
      write: false,
      target: 'es2022',
      minify: false,
      modulePreload: preload && { polyfill: false },
      assetsDir: '',
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(modules).map(([name, path]) => [name, `${projectRoot}${path}`]),
        ),
        output: { entryFileNames: '[name]', ...(preload && { codeSplitting: { groups: chunks } }) },
        // What the modules of tests and packages do is meant; `src` does nothing when it is loaded.
        treeshake: { moduleSideEffects: (id) => !id.startsWith(`${projectRoot}src/`) },
        logLevel: 'silent',
      },
    },
  })) as Rolldown.RolldownOutput;
  return new Map(
    output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]),
  );
}
