import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';

const program = fileURLToPath(new URL('../../src/keyring/kdf/kdf-worker.ts', import.meta.url));

/**
 * Puts the worker's code into `src/keyring/kdf/worker-source.ts` when that is built or served, and emits the same bytes
 * as `kdf-worker.js` beside a build.
 */
export function workerSource(): Plugin {
  let bundled: Promise<string> | undefined;
  return {
    name: 'worker-source',
    enforce: 'pre',
    async load(id) {
      if (!id.endsWith('/src/keyring/kdf/worker-source.ts')) return null;
      bundled ??= bundle();
      return `export const workerSource = ${JSON.stringify(await bundled)};`;
    },
    async generateBundle() {
      if (bundled) this.emitFile({ type: 'asset', fileName: 'kdf-worker.js', source: await bundled });
    },
  };
}

/** One classic script with nothing left to import. */
async function bundle(): Promise<string> {
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
