import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, type Plugin, type ViteDevServer } from 'vite';
import { readConfiguration, type SiteConfiguration } from '../src/site/configuration.js';
import { fileAt } from '../src/site/header-files.js';
import { documentPaths, headersOf } from '../src/site/headers.js';
import type { LocalServicePlugin } from './local-service-plugin.js';

const folder = fileURLToPath(new URL('../examples/wallet-site/', import.meta.url));

/**
 * Serves the wallet's own site beside the demo: at `wallet.site.localhost`, of the same port, with the headers that a
 * deployment has. The dapp at `app.site.localhost` may use it.
 */
export function walletSite(): Plugin {
  return {
    name: 'wallet-site',
    configureServer(server) {
      let site: Promise<ViteDevServer> | undefined;
      server.httpServer?.once('close', () => site?.then((started) => started.close()));
      server.middlewares.use((request, response, next) => {
        const host = request.headers.host ?? '';
        if (!/^wallet\.site\.localhost(:\d+)?$/.test(host)) return next();
        site ??= createServer({
          configFile: `${folder}vite.config.ts`,
          mode: server.config.mode,
          cacheDir: join(server.config.cacheDir, 'wallet-site'),
          logLevel: 'error',
          appType: 'custom',
          // eventemitter3 is CommonJS, which no browser reads.
          optimizeDeps: { noDiscovery: true, include: ['eventemitter3'] },
          server: {
            fs: { allow: [fileURLToPath(new URL('..', import.meta.url))] },
            middlewareMode: true,
            hmr: false,
            ws: false,
            watch: server.config.server.watch ?? null,
          },
        });
        Promise.all([site, configure(server, `http://${host}`)])
          .then(([started, configuration]) => answer(started, configuration, request, response))
          .catch(next);
      });
    },
  };
}

/** `wallet.json` of this demo: the network that the page has, and the dapp of this port. */
async function configure(server: ViteDevServer, origin: string): Promise<SiteConfiguration> {
  const { VITE_SERVICE_URL: url, VITE_CHAIN_ID: chainId = '31' } = server.config.env;
  const plugin = server.config.plugins.find(({ name }) => name === 'local-service') as LocalServicePlugin;
  const local = await plugin.api.service();
  const network = local ? { chainId: local.chainId, url: local.url } : { chainId: Number(chainId), url };
  return readConfiguration(
    JSON.stringify({
      origin,
      name: 'Graft',
      networks: [network],
      allow: [origin.replace('//wallet.', '//app.')],
    }),
  );
}

async function answer(
  { middlewares }: ViteDevServer,
  configuration: SiteConfiguration,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', configuration.origin);
  const file = fileAt(pathname) ?? 'asset';
  // Only a build has the files of an app.
  const isServed = ['configuration', 'asset', ...Object.keys(documentPaths)].includes(file);
  if (!isServed) return void response.writeHead(404).end();
  for (const [name, value] of Object.entries(headersOf(file, configuration)))
    if (file !== 'asset' || name !== 'Cache-Control') response.setHeader(name, value);
  if (file === 'configuration') {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(configuration));
  } else if (file === 'asset') middlewares(request, response, () => response.writeHead(404).end());
  else {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(await readFile(`${folder}${file === 'home' ? 'index' : file}.html`));
  }
}
