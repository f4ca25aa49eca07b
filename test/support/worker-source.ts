import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';

const program = fileURLToPath(new URL('../../src/keyring/kdf/kdf-worker.ts', import.meta.url));

export declare namespace workerSource {
  interface Options {
    /**
     * Starts the worker from its file and from nothing else: for the wallet's own site, whose policy allows no `blob:`.
     * Default false.
     */
    readonly asFile?: boolean;
  }
}

/**
 * Puts the worker's code into `src/keyring/kdf/worker-source.ts` when that is built or served, and emits the same bytes
 * as `kdf-worker.js` beside a build.
 */
export function workerSource({ asFile = false }: workerSource.Options = {}): Plugin {
  let bundled: Promise<string> | undefined;
  let isServed = false;
  return {
    name: 'worker-source',
    enforce: 'pre',
    configResolved({ command }) {
      isServed = command === 'serve';
    },
    configureServer({ middlewares }) {
      if (!asFile) return;
      middlewares.use(servedPath, async (_, response) => {
        bundled ??= classicScriptOf(program);
        response.setHeader('content-type', 'text/javascript; charset=utf-8');
        response.end(await bundled);
      });
    },
    async load(id) {
      if (!id.endsWith('/src/keyring/kdf/worker-source.ts')) return null;
      bundled ??= classicScriptOf(program);
      const source = await bundled;
      if (!asFile)
        return `export const workerSource = ${JSON.stringify(source)}; export const workerFile = null;`;
      const url = isServed
        ? JSON.stringify(servedPath)
        : `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name: 'kdf-worker.js', source })}`;
      return `export const workerSource = null; export const workerFile = ${url};`;
    },
    async generateBundle(_, files) {
      // Vite takes the file that a script tag's build has beside it for an asset.
      if (asFile) for (const name of Object.keys(files)) if (name.endsWith('.ts')) delete files[name];
      if (bundled && !asFile)
        this.emitFile({ type: 'asset', fileName: 'kdf-worker.js', source: await bundled });
    },
  };
}

/** Where a development server has the worker's file. */
const servedPath = '/kdf-worker.js';

/** Builds a module as one classic script with nothing left to import. @param program its path */
export async function classicScriptOf(program: string): Promise<string> {
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input: program, output: { format: 'iife', codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput;
  return output[0].code;
}
