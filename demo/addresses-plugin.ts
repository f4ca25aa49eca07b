import type { Plugin, ViteDevServer } from 'vite';
import type { LocalServicePlugin } from './local-service-plugin.js';

/** Prints what `npm start` has started, and where, in place of Vite's list of addresses. */
export function addresses(): Plugin {
  return {
    name: 'addresses',
    configureServer(server) {
      const printUrls = server.printUrls;
      server.printUrls = () => {
        const url = server.resolvedUrls?.local[0];
        if (url === undefined) printUrls();
        else void print(server, new URL(url)).catch(printUrls);
      };
    },
  };
}

async function print({ config }: ViteDevServer, { origin, port }: URL): Promise<void> {
  const plugin = config.plugins.find(({ name }) => name === 'local-service') as LocalServicePlugin;
  const local = await plugin.api.service();
  config.logger.info(
    [
      `  Demo     ${origin}/  (open this in a browser)`,
      `           http://app.site.localhost:${port}/?wallet=own-site  (the wallet on a site of its own)`,
      local
        ? `  Chain    ${local.chainId}, on this machine and in memory; the demo has a faucet`
        : '  Chain    that of VITE_SERVICE_URL',
      '  Stop     Ctrl+C',
      '',
    ].join('\n'),
  );
}
