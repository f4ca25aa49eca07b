import type { RequestListener } from 'node:http';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import { bundlePages } from '../../../support/bundle-page.js';
import { launchPlainChromium } from '../../../support/chromium.js';
import { startServer } from '../../../support/http-server.js';
import { until } from '../../../support/until.js';
import type { BridgeAppPage } from '../bridge-app-page.js';
import type { BridgeWalletPage } from '../bridge-wallet-page.js';
import type { HostilePage } from './bridge-hostile-page.js';
import { recordEverything } from './bridge-recorder.js';

/** A wallet, dapps and attackers on origins of their own, in a browser that separates the storage of sites. */
export interface Site {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly local: LocalService;
  /** The origin of a host, such as `app.site`. */
  origin(host: string): string;
  /** The same host at another port. */
  otherPort(host: string): string;
  /** The wallet's origin. */
  readonly wallet: string;
  /** A page whose script has run: a dapp, a page of the wallet, or one of an attacker. */
  visit(url: string, script?: string): Promise<Page>;
  /** An attacker's page, which speaks the protocol by itself, on an origin that the wallet serves by default. `script` runs before any other. */
  hostile(host?: string, script?: string): Promise<Page>;
  /** Makes the wallet, if there is none: two accounts, what sites were given of them, and a label. Resolves with its accounts. */
  plant(): Promise<readonly [`0x${string}`, `0x${string}`]>;
  /** Closes all pages, and forgets what persons have refused. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Hosts below `localhost`, which the browser resolves to this machine and takes for secure. */
const served = ['app.site', 'shop.site', 'a.site', 'b.site', 'c.site', 'app.other', 'b.other'];
const walletHost = 'wallet.site';
/** The dapp that the wallet's operator lets be asked in the frame (`frameMayAsk`). */
export const trustedHost = 'a.site';

/** What no dapp may ever see. */
export const planted = {
  apiKey: 'k3y-of-the-service-0123456789',
  password: 'planted-Tr0ub4dor 47 and a horse',
  phrase: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
  label: 'A label that is planted',
  otherSite: 'https://planted-other-site.example',
};

export async function openSite(): Promise<Site> {
  const [bundle, browser, local] = await Promise.all([
    bundlePages({
      'app.js': 'test/e2e/browser/bridge-app-page.ts',
      'wallet.js': 'test/e2e/browser/bridge-wallet-page.ts',
      'hostile.js': 'test/e2e/browser/attacks/bridge-hostile-page.ts',
    }),
    launchPlainChromium(),
    createLocalService({ chainId: 31, dialect: 'node', mining: 'auto', apiKeys: [planted.apiKey] }),
  ]);
  const context = browser.contexts()[0] as BrowserContext;
  // Counts what a document has been sent, so that a test knows when it has been looked at.
  await context.addInitScript(() => {
    Object.assign(window, { sent: 0 });
    addEventListener('message', () =>
      Object.assign(window, { sent: (window as never as { sent: number }).sent + 1 }),
    );
  });
  let port = 0;
  const origin = (host: string) => `http://${host}.localhost:${port}`;
  const answer: RequestListener = (request, response) => {
    const host = request.headers.host?.replace(/(\.localhost)?\.?:\d+$/, '') ?? '';
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const file = bundle.get(pathname);
    if (file) {
      // A sandboxed frame asks for its modules from an opaque origin.
      const headers = {
        'content-type': 'text/javascript',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      };
      return void response.writeHead(200, headers).end(file);
    }
    const page = host === walletHost ? walletPage(pathname) : otherPage(pathname);
    if (!page) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers }).end(page.html);
  };
  const servers = await Promise.all([startServer(answer), startServer(answer)]);
  port = servers[0].port;

  const allow = served.map(origin);
  const policy = (ancestors: string) =>
    `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${local.url}; img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'${ancestors && `; frame-ancestors ${ancestors}`}`;
  const isolated = { 'cross-origin-embedder-policy': 'require-corp', 'origin-agent-cluster': '?1' };
  const cut = { 'cross-origin-opener-policy': 'same-origin' };

  function walletPage(path: string) {
    const html = pageOf('wallet', { url: local.url, allow, frameMayAsk: [origin(trustedHost)] });
    const page = (ancestors: string, headers: object) => ({
      html,
      headers: {
        'content-security-policy': policy(ancestors),
        'referrer-policy': 'no-referrer',
        'origin-agent-cluster': '?1',
        ...headers,
      },
    });
    if (path === '/frame.html')
      return page(allow.join(' '), { ...isolated, 'cross-origin-resource-policy': 'same-site' });
    // As a wallet that was put up without the headers that keep others from framing it.
    if (/^\/bare\/(frame|window|connect)\.html$/.test(path))
      return page('', { ...isolated, 'cross-origin-resource-policy': 'cross-origin' });
    // For dapps of other sites: it keeps its opener.
    if (path === '/connect.html') return page("'none'", {});
    return path === '/window.html' || path === '/' ? page("'none'", cut) : undefined;
  }

  const dapps: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    '/': {},
    '/coop': cut,
    '/coop-popups': { 'cross-origin-opener-policy': 'same-origin-allow-popups' },
    '/coep': { ...cut, 'cross-origin-embedder-policy': 'require-corp' },
  };

  function otherPage(path: string) {
    if (path === '/frame.html' || path === '/hostile' || path === '/window.html')
      return { html: pageOf('hostile', {}) };
    if (path === '/sandboxed')
      return { html: pageOf('hostile', {}), headers: { 'content-security-policy': 'sandbox allow-scripts' } };
    if (path === '/fooled') return { html: pageOf('app', { host: origin('fake.site') }) };
    if (path === '/patched')
      return { html: pageOf('app', { host: origin(walletHost) }, `(${recordEverything})()`) };
    const headers = dapps[path];
    return headers && { html: pageOf('app', { host: origin(walletHost) }), headers };
  }

  const visit = async (url: string, script = ''): Promise<Page> => {
    const page = await context.newPage();
    await page.addInitScript(script);
    page.setDefaultTimeout(30_000);
    await page.goto(url);
    await page.waitForFunction(() => 'page' in window);
    return page;
  };

  return {
    ...{ browser, context, local, origin, visit, wallet: origin(walletHost) },
    otherPort: (host) => `http://${host}.localhost:${servers[1].port}`,
    hostile: (host = 'app.site', script) => visit(`${origin(host)}/hostile`, script),
    async plant() {
      const page = await visit(origin(walletHost));
      const accounts = await page.evaluate(async ({ phrase, password, label }) => {
        const wallet = (window as never as { page: BridgeWalletPage }).page.make({});
        const state = await wallet.vaultState();
        if (/locked/.test(state)) {
          const [first, second] = wallet.state().accounts.map((account) => account.address);
          return [first, second] as [`0x${string}`, `0x${string}`];
        }
        const first = await wallet.importMnemonic(phrase, { password, replace: state === 'missing' });
        const second = await wallet.deriveAccount("m/44'/37310'/0'/0/1");
        await wallet.rename(second.address, label);
        return [first.address, second.address] as const;
      }, planted);
      await page.evaluate(
        (permissions) => {
          const stored = JSON.parse(localStorage['graft:wallet:session']);
          localStorage['graft:wallet:session'] = JSON.stringify({ ...stored, permissions });
        },
        {
          [origin('app.site')]: { accounts: [accounts[0]], date: 1 },
          [origin('shop.site')]: { accounts: [accounts[1]], date: 1 },
          [origin(trustedHost)]: { accounts: [accounts[0]], date: 1 },
          [planted.otherSite]: { accounts: [accounts[1]], date: 1 },
        },
      );
      await page.close();
      return accounts;
    },
    async clear() {
      await Promise.all(context.pages().map((page) => page.close()));
      // A page that was refused several times would have to wait.
      const page = await context.newPage();
      await page.goto(`${origin(walletHost)}/wallet.js`);
      await page.evaluate(() => {
        for (const key of Object.keys(localStorage)) if (/refusals/.test(key)) localStorage.removeItem(key);
      });
      await page.close();
    },
    async close() {
      await browser.close();
      await Promise.all([...servers.map((server) => server.stop()), local.close()]);
    },
  };
}

const pageOf = (name: 'app' | 'wallet' | 'hostile', config: object, script = '') =>
  `<!doctype html><html lang="en"><title>${name}</title><link rel="icon" href="data:,">
  <style>body { margin: 0 } iframe { border: 0 }</style>${script && `<script>${script}</script>`}
  <script type="application/json" id="config">${JSON.stringify(config)}</script>
  <script type="module" src="/${name}.js"></script><body></body></html>`;

/** The newest frame of the wallet in a page, once its script has run. */
export async function walletFrame(page: Page, path = '/frame.html'): Promise<Frame> {
  const find = () =>
    page
      .frames()
      .findLast(
        (frame) => URL.canParse(frame.url()) && new URL(frame.url()).pathname === path && !frame.isDetached(),
      );
  const frame = await until(find, { interval: 20 });
  await frame.waitForFunction(() => 'page' in window);
  return frame;
}

/** Resolves when a document has been sent `count` window messages, and has looked at them. */
export const hasHeard = (target: Page | Frame, count: number) =>
  target.waitForFunction((least) => (window as never as { sent: number }).sent >= least, count);

/** Runs `act` in a page of an attacker. */
export const inside = <T, Arg>(
  target: Page | Frame,
  act: (page: HostilePage, arg: Arg) => T | Promise<T>,
  arg?: Arg,
): Promise<T> => target.evaluate(`(${act})(window.page, ${JSON.stringify(arg)})`);

export type { BridgeAppPage, BridgeWalletPage, HostilePage };
