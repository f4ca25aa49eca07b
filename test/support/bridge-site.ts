import { createLocalService, type LocalService } from '../../packages/kit/src/local/index.js';
import { startHttps } from './https.js';
import { openShadowsPath, openShadowsScript } from './open-shadows.js';
import { type Document, servePage } from './serve.js';

/** Three origins over https: a dapp and the wallet on one site, and a dapp on another. */
export interface BridgeSite {
  readonly app: string;
  readonly wallet: string;
  readonly other: string;
  readonly service: LocalService;
  /** Sets the clock of the wallet's documents forward that load from now on. */
  advance(milliseconds: number): void;
  stop(): Promise<void>;
}

/**
 * Serves the pages of `test/e2e/browser/bridge-*-page.ts`, those of the wallet with the headers that protect it, and an empty
 * page at `/blank` of each origin. A dapp's page at `/coop` cuts its windows off by a header.
 */
export async function startBridgeSite(): Promise<BridgeSite> {
  const service = await createLocalService({ chainId: 31, dialect: 'node', mining: 'auto' });
  let ahead = 0;
  const secureService = await startHttps(service.port);
  const served = await servePage({
    documents: documentOf,
    scripts: { [openShadowsPath]: openShadowsScript },
  });
  const secure = await startHttps(Number(new URL(served.url).port));
  const at = (host: string) => `https://${host}.localhost:${secure.port}`;
  const [app, wallet, other] = [at('app.site'), at('wallet.site'), at('app.other')];
  const { pathname } = new URL(service.url);
  const url = `https://localhost:${secureService.port}${pathname}`;

  function documentOf(hostname: string, path: string): Document | undefined {
    const page = (config: object, module: string) =>
      `<!doctype html><title>Bridge</title><link rel="icon" href="data:,"><script src="${openShadowsPath}"></script><script type="application/json" id="config">${JSON.stringify(config)}</script><script type="module" src="/test/e2e/browser/${module}.ts"></script><p>Text of the page.</p>`;
    if (path === '/blank') return { html: '<!doctype html><title>Blank</title><body>' };
    if (hostname.startsWith('app.') && /^\/(coop)?$/.test(path))
      return {
        html: page({ host: wallet }, 'bridge-app-page'),
        ...(path === '/coop' && { headers: { 'cross-origin-opener-policy': 'same-origin' } }),
      };
    const [, name] = path.match(/^\/(?:(frame|window|connect)\.html)?$/) ?? [];
    if (hostname !== 'wallet.site.localhost' || !/^\/(\w+\.html)?$/.test(path)) return undefined;
    const ancestors = name === 'frame' ? `${app} ${other}` : "'none'";
    return {
      html: page({ url, allow: [app, other], ahead }, 'bridge-wallet-page'),
      headers: {
        'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${url}; img-src 'self' data:; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types graft; frame-ancestors ${ancestors}`,
        'origin-agent-cluster': '?1',
        'referrer-policy': 'no-referrer',
        ...(name === 'frame' && {
          'cross-origin-embedder-policy': 'require-corp',
          'cross-origin-resource-policy': 'same-site',
        }),
        'cross-origin-opener-policy': name === 'connect' ? 'unsafe-none' : 'same-origin',
      },
    };
  }

  return {
    ...{ app, wallet, other, service },
    advance(milliseconds) {
      ahead += milliseconds;
    },
    async stop() {
      secure.stop();
      secureService.stop();
      await Promise.all([served.stop(), service.close()]);
    },
  };
}
