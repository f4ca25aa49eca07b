import { fileURLToPath } from 'node:url';
import { type Plugin, runnerImport } from 'vite';
import type { createLocalService, LocalService } from '../src/local/index.js';

/**
 * Starts the local service with the page's dev server and stops it with it, unless `VITE_SERVICE_URL` names
 * another service. The page imports what it needs: `import { local } from 'virtual:local-service'`.
 *
 * A block every three seconds unless told otherwise: often enough to watch, seldom enough to see it wait.
 */
export function localService(options: createLocalService.Options = {}): Plugin {
  const id = 'virtual:local-service';
  let started: Promise<LocalService> | undefined;
  let isWanted = true;
  return {
    name: 'local-service',
    apply: (_config, { command, mode }) => command === 'serve' && mode !== 'test',
    configResolved(config) {
      isWanted = !config.env.VITE_SERVICE_URL;
    },
    configureServer(server) {
      if (!isWanted) return;
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
