import { extname } from 'node:path';
import { bundlePages } from './bundle-page.js';
import { startServer } from './http-server.js';

/**
 * Dapps and wallets on origins of their own, on this machine: the wallet of a site at `wallet.<site>.localhost`, its dapp
 * at any other subdomain. A browser takes each for a site of its own and a secure context, without certificates.
 */
export interface BridgeSites {
  /**
   * Sets what the pages of a site read from their element `#config`; what is left out stays.
   *
   * @returns the origin of a subdomain, such as `app`
   */
  configure(site: string, config: { readonly dapp?: unknown; readonly wallet?: unknown }): Origin;
  stop(): Promise<void>;
}

export type Origin = (subdomain: string) => string;

export declare namespace serveBridgeSites {
  interface Options {
    /** The modules of the dapp's page and of the wallet's documents; paths in the project. */
    readonly modules: { readonly dapp: string; readonly wallet: string };
    /** The dapp's page, in which `SCRIPTS` stands for its configuration and its module. */
    readonly html?: string;
    /** A file of the dapp by its path; `null` where there is none. */
    readonly file?: (path: string) => Promise<Uint8Array | null>;
    /** Whether the wallet's documents load what a lazy chunk imports together with it, as a wallet's site does. */
    readonly preload?: boolean;
  }
}

const plain = '<!doctype html><title>A page</title><link rel="icon" href="data:,"><body>SCRIPTS';
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Bundles both modules, each alone, since no page runs another one's code, and serves them by the host of the request. */
export async function serveBridgeSites(options: serveBridgeSites.Options): Promise<BridgeSites> {
  const { modules, html = plain, file = async () => null, preload = false } = options;
  const [dapp, wallet] = await Promise.all([
    bundlePages({ 'page.js': modules.dapp }),
    bundlePages({ 'page.js': modules.wallet }, { preload }),
  ]);
  const built = { dapp, wallet };
  const configs = new Map<string, string>();

  const server = await startServer(async (request, response) => {
    const [, subdomain, site] = /^([\w-]+)\.([\w-]+)\.localhost:/.exec(request.headers.host ?? '') ?? [];
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const role = subdomain === 'wallet' ? 'wallet' : 'dapp';
    const answer = (body: string | Uint8Array, headers: object) =>
      response.writeHead(200, { ...headers }).end(body);

    const headers = role === 'wallet' ? walletHeaders(pathname) : pathname === '/' ? {} : null;
    const config = configs.get(`${site} ${role}`);
    if (headers && config) {
      const scripts = `<script type="application/json" id="config">${config}</script><script type="module" src="/page.js"></script>`;
      const page = (role === 'wallet' ? plain : html).replace('SCRIPTS', () => scripts);
      return answer(page, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        ...headers,
      });
    }
    const body = built[role].get(pathname) ?? (role === 'dapp' ? await file(pathname) : null);
    if (!body) return response.writeHead(404).end();
    return answer(body, {
      'content-type': types[extname(pathname)] ?? 'text/plain',
      'cache-control': 'max-age=3600',
    });
  });

  return {
    configure(site, config) {
      for (const [role, value] of Object.entries(config))
        configs.set(`${site} ${role}`, JSON.stringify(value));
      return (subdomain) => `http://${subdomain}.${site}.localhost:${server.port}`;
    },
    stop: server.stop,
  };
}

/** The headers of a document of the wallet, as a deployment sends them; `null` where there is no document. */
function walletHeaders(path: string): object | null {
  if (!/^\/((frame|window|connect)\.html)?$/.test(path)) return null;
  const isFrame = path === '/frame.html';
  const policy = [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:"],
    ...[
      "connect-src 'self' http://127.0.0.1:*",
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ],
    ...[
      "require-trusted-types-for 'script'",
      `frame-ancestors ${isFrame ? 'http://*.localhost:*' : "'none'"}`,
    ],
  ];
  return {
    'content-security-policy': policy.join('; '),
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    ...(isFrame && {
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'cross-origin',
    }),
    // Only for dapps of other sites the page that has opened it stays connected.
    ...(!isFrame && path !== '/connect.html' && { 'cross-origin-opener-policy': 'same-origin' }),
  };
}
