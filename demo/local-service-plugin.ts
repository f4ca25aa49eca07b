import { fileURLToPath } from 'node:url';
import { type Plugin, runnerImport } from 'vite';
import type { createLocalService, LocalService } from '../src/local/index.js';

/**
 * Starts the local service with Vite's dev server and closes it with it, unless `VITE_SERVICE_URL` names another service. A
 * build has none.
 * The page gets its URL by `import { local } from 'virtual:local-service'`.
 *
 * By default it mines a block every three seconds, so that a transaction is visibly pending for a moment.
 */
export function localService(options: createLocalService.Options = {}): Plugin {
  const id = 'virtual:local-service';
  let started: Promise<LocalService> | undefined;
  let isEnabled = true;
  return {
    name: 'local-service',
    configResolved(config) {
      isEnabled = config.mode !== 'test' && !config.env.VITE_SERVICE_URL;
    },
    configureServer(server) {
      if (!isEnabled) return;
      const entry = fileURLToPath(new URL('../src/local/index.ts', import.meta.url));
      started = runnerImport<typeof import('../src/local/index.js')>(entry).then(({ module }) =>
        module.createLocalService({ mining: { interval: 3_000 }, ...options }),
      );
      started.catch((error) => server.config.logger.error(`The local service did not start: ${error}`));
      server.httpServer?.once('close', () => started?.then((service) => service.close()));
    },
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    async load(resolved) {
      if (resolved !== `\0${id}`) return undefined;
      if (!started) return 'export const local = null;\n';
      const { url, chainId } = await started;
      return `export const local = ${JSON.stringify({ url, chainId })};\n`;
    },
  };
}
