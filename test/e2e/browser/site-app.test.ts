import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildWalletSite } from '../../../examples/wallet-site/build.js';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Provider } from '../../../src/index.js';
import { writeRelease } from '../../../src/site/app-files.js';
import { checkSite } from '../../../src/site/check.js';
import { readConfiguration, type SiteConfiguration } from '../../../src/site/configuration.js';
import { headersOf } from '../../../src/site/headers.js';
import { hashOf, type ReleaseFile } from '../../../src/site/release.js';
import { type Built, buildPackage } from '../../support/built.js';
import { launchPlainChromium } from '../../support/chromium.js';
import { openDialog } from '../../support/dialog-driver.js';
import { type HttpServer, startServer } from '../../support/http-server.js';
import { openShadows } from '../../support/open-shadows.js';
import { until } from '../../support/until.js';
import { answerFromSite, byHost, siteOptions } from '../../support/wallet-site.js';
import { walletWindow } from '../../support/wallet-window.js';

/**
 * The wallet's site as an app: the output of `npm run build wallet` with its own headers, in Chromium as people have it. The
 * releases `one` and `two` differ in a word of the home document and in one asset, and `whole-one` and `whole-two` likewise. The
 * home document of the former only registers the worker, and they have no files that it does not need.
 */

const password = 'a password nobody else has';

const releases = ['whole-one', 'whole-two', 'one', 'two'] as const;

let place: string;
let built: Built;
let browser: Browser;
let service: LocalService;
let server: HttpServer;
let configuration: SiteConfiguration;
let wallet: string;
let context: BrowserContext;
let page: Page;
/** The release that the server has. */
let served: string;
/** Answers of the server that differ from the release's, by path. */
let changed: Map<string, (response: ServerResponse) => void>;
let isOffline: boolean;
/** How often the list of a release was asked for. */
let asked: number;

const at = (name: string): string => `http://${name}.site.localhost:${server.port}`;
const folderOf = (release: string): string => join(place, release);

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'graft-site-app-'));
  [built, browser, service] = await Promise.all([
    buildPackage(['bridgeTag']),
    launchPlainChromium(),
    createLocalService({ chainId: 31 }),
  ]);
  const dapp = (response: ServerResponse, body: string) => {
    const headers = { 'content-type': 'text/html', 'cross-origin-embedder-policy': 'require-corp' };
    response
      .writeHead(200, headers)
      .end(`<!doctype html><title>A dapp</title><link rel="icon" href="data:,"><body>${body}`);
  };
  server = await startServer(
    byHost({
      'wallet.site.localhost'(request, response) {
        const { pathname } = new URL(request.url ?? '/', wallet);
        if (pathname === '/release.json') asked++;
        const change = changed.get(pathname);
        if (isOffline) request.socket.destroy();
        else if (change) change(response);
        else void answerFromSite(folderOf(served), configuration, request, response);
      },
      'app.site.localhost'(request, response) {
        if (!/^\/graft-bridge[\w-]*\.js$/.test(request.url ?? ''))
          return dapp(response, `<script src="/graft-bridge.js" data-wallet="${wallet}"></script>`);
        response.setHeader('content-type', 'text/javascript');
        void built.read((request.url as string).slice(1)).then((code) => response.end(code));
      },
      // Of the wallet's domain, so that its frame has the wallet's storage and worker; not on the wallet's list.
      'other.site.localhost'(request, response) {
        if (request.url === '/') return dapp(response, `<iframe src="${wallet}/frame.html"></iframe>`);
        response.setHeader('access-control-allow-origin', '*');
        void answerFromSite(folderOf(served), configuration, request, response);
      },
    }),
  );
  wallet = at('wallet');
  const networks = [{ chainId: 31, url: service.url }];
  const text = JSON.stringify(siteOptions(wallet, { networks, allow: [at('app')] }));
  configuration = readConfiguration(text);
  await buildWalletSite(text, folderOf('whole-one'));
  for (const release of releases.slice(1))
    await cp(folderOf('whole-one'), folderOf(release), { recursive: true });
  for (const release of ['one', 'two']) await strip(folderOf(release));
  for (const release of releases)
    await edit(release, (html) => html.replace('<head>', `<head><meta name="release" content="${release}">`));
});

/** Leaves of a release what registers the worker: its home document runs that script alone, and the other files are removed. */
async function strip(folder: string): Promise<void> {
  const assets = join(folder, 'assets');
  const all = await readdir(assets);
  const kept = new Set(all.filter((name) => /^register-[\w-]+\.js$/.test(name)));
  const [register] = kept;
  for (const name of kept) {
    const code = await readFile(join(assets, name), 'utf8');
    for (const [, imported = ''] of code.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
      kept.add(imported);
  }
  for (const name of all) if (!kept.has(name)) await rm(join(assets, name));
  await writeFile(
    join(assets, 'home.js'),
    `import { registerApp } from './${register}';\nawait registerApp();\n`,
  );
  const home = join(folder, 'index.html');
  const html = await readFile(home, 'utf8');
  const scripts = /<script type="module".*?<\/script>|<link rel="(?:modulepreload|stylesheet)".*?>/gs;
  const script = '<script type="module" src="/assets/home.js"></script></head>';
  await writeFile(home, html.replace(scripts, '').replace('</head>', script));
}

/** Changes the home document of a release, and lists its files again. */
async function edit(release: string, change: (html: string) => string): Promise<void> {
  const home = join(folderOf(release), 'index.html');
  await writeFile(home, change(await readFile(home, 'utf8')));
  await writeFile(join(folderOf(release), `assets/only-${release}.js`), `'${release}';`);
  await writeRelease(folderOf(release), configuration);
}

beforeEach(async () => {
  served = 'one';
  changed = new Map();
  isOffline = false;
  asked = 0;
  await context?.close();
  context = await browser.newContext();
  page = await newPage();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await service?.close();
  await built?.stop();
  await rm(place, { recursive: true, force: true });
});

async function newPage(): Promise<Page> {
  const opened = await context.newPage();
  await openShadows(opened);
  return opened;
}

/** Opens the home document and resolves when the worker holds the release. */
async function install(): Promise<void> {
  await page.goto(wallet);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  await navigate();
}

/** Opens the home document with the worker, and resolves when the update that this causes has ended. */
async function navigate(where = page, path = '/'): Promise<void> {
  const before = asked;
  await where.goto('about:blank');
  await where.goto(wallet + path);
  await until(() => asked > before, { failure: 'The worker has not asked for a release.' });
  await updateEnded(where);
}

const updateEnded = (where: Page) =>
  until(() =>
    where.evaluate(async () => {
      const { held = [], pending = [] } = await navigator.locks.query();
      return [...held, ...pending].every(({ name }) => name !== 'graft:app:update');
    }),
  );

const releaseOf = (where = page): Promise<string | null | undefined> =>
  where.evaluate(() => document.querySelector('meta[name=release]')?.getAttribute('content'));

/** The names of the caches with releases, as the releases' own names. */
async function heldReleases(): Promise<string[]> {
  const held = await page.evaluate(() => caches.keys());
  const names = new Map<string, string>();
  for (const release of releases)
    names.set(
      `graft:release:${await hashOf(await readFile(join(folderOf(release), 'release.json')))}`,
      release,
    );
  return held
    .filter((name) => name !== 'graft:app')
    .map((name) => names.get(name) ?? name)
    .sort();
}

const statusOf = (path: string, where = page): Promise<number | string> =>
  where.evaluate((url) => fetch(url).then(({ status }) => status, String), path);

/** The account that the panel shows, by way of its view to receive. */
async function receivingAddress(): Promise<string> {
  await page.getByRole('button', { name: 'Receive' }).click();
  const address = await page
    .getByText(/^0x[\da-fA-F]{40}$/)
    .first()
    .textContent();
  await page.getByRole('button', { name: 'Back' }).click();
  return (address as string).toLowerCase();
}

const refused = 'TypeError: Failed to fetch';

test('the home document is installable as an app with the name of the wallet and its icons, and the site passes its check', async () => {
  served = 'whole-one';
  const [plain] = browser.contexts() as [BrowserContext];
  const home = await plain.newPage();
  await home.goto(wallet);
  const session = await plain.newCDPSession(home);
  const { data, errors, url } = await session.send('Page.getAppManifest');
  expect({ errors, url }).toEqual({ errors: [], url: `${wallet}/manifest.webmanifest` });
  const manifest = JSON.parse(data as string) as { name: string; icons: { src: string; sizes: string }[] };
  expect(manifest).toMatchObject({
    name: 'Example Wallet',
    display: 'standalone',
    start_url: '/',
    scope: '/',
  });
  expect(await session.send('Page.getInstallabilityErrors')).toEqual({ installabilityErrors: [] });
  const sizes = await home.evaluate(
    (sources) =>
      Promise.all(
        sources.map(async (src) => {
          const image = Object.assign(new Image(), { src });
          await image.decode();
          return `${image.naturalWidth}x${image.naturalHeight}`;
        }),
      ),
    manifest.icons.map(({ src }) => src),
  );
  expect(sizes).toEqual(manifest.icons.map((icon) => icon.sizes));
  await home.close();
  expect(await checkSite(wallet)).toEqual([]);
});

test('only the home document registers the worker, which no page of another origin can do or send messages to', async () => {
  served = 'whole-one';
  await page.goto(at('app'));
  await page.evaluate(() => {
    const { ethereum } = window as unknown as { ethereum: Provider };
    return ethereum.request({ method: 'eth_chainId' });
  });
  const frame = await until(() => page.frames().find((each) => each.url() === `${wallet}/frame.html`));
  const registrations = () =>
    frame.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  expect(await registrations()).toBe(0);
  const registered = await page.evaluate(
    (url) => navigator.serviceWorker.register(url).then(String, ({ name }) => name),
    `${wallet}/sw.js`,
  );
  expect(registered).toBe('SecurityError');
  expect(asked).toBe(0);
  expect(await readFile(join(folderOf(served), 'sw.js'), 'utf8')).not.toContain('message');
});

test('offline the app starts, unlocks, shows its accounts and settings, and says that the network is out of reach', async () => {
  served = 'whole-one';
  await install();
  await page.getByRole('button', { name: 'Create a wallet' }).click();
  await page.getByLabel('New password').fill(password);
  await page.getByLabel('Repeat the password').fill(password);
  await page.getByRole('button', { name: 'Create the wallet' }).click();
  await page.getByRole('button', { name: 'Later' }).click();
  const address = await receivingAddress();
  await page.close();

  isOffline = true;
  await context.setOffline(true);
  page = await newPage();
  await page.goto(wallet);
  await page.getByText('The network can’t be reached right now.').first().waitFor();
  expect(await receivingAddress()).toBe(address);
  await page.getByRole('button', { name: 'Unlock' }).first().click();
  await page.getByLabel('Wallet password').fill(password);
  await page.getByRole('button', { name: 'Unlock', exact: true }).last().click();
  await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Accounts' }).click();
  await page.getByText('Account 1').first().waitFor();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Recovery phrase' }).waitFor();
});

describe('a cached document', () => {
  test('its headers are those of the server', async () => {
    await install();
    isOffline = true;
    for (const [path, file] of [
      ['/', 'home'],
      ['/frame.html', 'frame'],
      ['/window.html', 'window'],
      ['/connect.html', 'connect'],
      ['/wallet.json', 'configuration'],
    ] as const) {
      const headers = await page.evaluate(
        async (url) => Object.fromEntries((await fetch(url)).headers),
        path,
      );
      const expected = Object.entries(headersOf(file, configuration));
      expect(headers).toMatchObject(
        Object.fromEntries(expected.map(([name, value]) => [name.toLowerCase(), value])),
      );
    }
  });

  test('its headers block an inline script offline, in a document whose only policy they are', async () => {
    const folder = folderOf('bare');
    await cp(folderOf('one'), folder, { recursive: true });
    served = 'bare';
    await edit('bare', (html) =>
      html
        .replace(/<meta\s+http-equiv[^>]*>/, '')
        .replace('<head>', '<head><script>document.title = "inline"; window.ran = true</script>'),
    );
    await install();
    isOffline = true;
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto('about:blank');
    await page.goto(wallet);
    await until(() => complaints.some((text) => /inline script/.test(text)));
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    expect(await page.content()).not.toContain('http-equiv');
  });

  test('its headers refuse a foreign frame offline, and let in a dapp of the list', async () => {
    served = 'whole-one';
    await install();
    isOffline = true;
    const complaints: string[] = [];
    const framed = async (dapp: string) => {
      const there = await newPage();
      there.on('console', (message) => complaints.push(message.text()));
      await there.goto(at(dapp));
      const element = await there.waitForSelector('iframe', { state: 'attached' });
      const frame = await element.contentFrame();
      await frame?.waitForLoadState();
      return until(() => (frame?.url() !== 'about:blank' ? frame?.url() : null));
    };
    expect(await framed('other')).toBe('chrome-error://chromewebdata/');
    expect(complaints).toEqual([expect.stringContaining(`frame-ancestors ${at('app')}`)]);
    expect(await framed('app')).toBe(`${wallet}/frame.html`);
  });
});

test('a path of the site that no release has is refused, and the service of the network is not', async () => {
  await install();
  changed.set('/planted.html', (response) => response.writeHead(200).end('planted'));
  changed.set('/assets/planted.js', (response) => response.writeHead(200).end('planted'));
  for (const path of ['/planted.html', '/assets/planted.js', '/', '/index.html'])
    expect(await statusOf(path)).toBe(path.includes('planted') ? refused : 200);
  const planted = await newPage();
  await expect(planted.goto(`${wallet}/planted.html`)).rejects.toThrow('ERR_FAILED');
  for (const path of ['/release.json', '/sw.js']) expect(await statusOf(path)).toBe(200);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const answer = await page.evaluate(
    async ([url, request]) =>
      (
        await fetch(url as string, {
          method: 'POST',
          body: request as string,
          headers: { 'content-type': 'application/json' },
        })
      ).json(),
    [service.url, body],
  );
  expect(answer).toMatchObject({ result: '0x1f' });
});

describe('releases', () => {
  test('a release is taken at the navigation after the one that found it', async () => {
    await install();
    expect([await releaseOf(), await heldReleases()]).toEqual(['one', ['one']]);
    served = 'two';
    await navigate();
    expect([await releaseOf(), await heldReleases()]).toEqual(['one', ['one', 'two']]);
    await navigate();
    expect([await releaseOf(), await heldReleases()]).toEqual(['two', ['two']]);
  });

  test('a withdrawn release gives way to the older one that the server lists again', async () => {
    served = 'two';
    await install();
    served = 'one';
    await navigate();
    await navigate();
    expect([await releaseOf(), await heldReleases()]).toEqual(['one', ['one']]);
  });

  test('a release leaves open pages their own files, which are removed after the last of them has closed', async () => {
    await install();
    const old = page;
    page = await newPage();
    served = 'two';
    await navigate();
    await navigate();
    expect([await releaseOf(old), await releaseOf()]).toEqual(['one', 'two']);
    expect(await statusOf('/assets/only-one.js', old)).toBe(200);
    expect(await heldReleases()).toEqual(['one', 'two']);
    await old.close();
    await navigate();
    expect(await statusOf('/assets/only-one.js')).toBe(refused);
    expect(await heldReleases()).toEqual(['two']);
  });

  test('a release is not taken while a dapp’s question is open, and one that was withdrawn meanwhile never is', async () => {
    served = 'whole-one';
    await install();
    const dapp = await newPage();
    await dapp.goto(at('app'));
    const opens = walletWindow(context);
    await dapp.evaluate(() => {
      const { ethereum } = window as unknown as { ethereum: Provider };
      ethereum.request({ method: 'eth_requestAccounts' }).catch(() => {});
    });
    const window = await opens;
    const question = await openDialog(window, { kind: 'onboarding' });
    served = 'whole-two';
    for (let times = 0; times < 3; times++) {
      await navigate();
      expect(await releaseOf()).toBe('whole-one');
    }
    served = 'whole-one';
    await navigate();
    served = 'whole-two';
    changed.set('/index.html', (response) => response.writeHead(503).end());
    await question.press('Escape');
    await until(() => window.isClosed());
    await navigate();
    await navigate();
    expect(await releaseOf()).toBe('whole-one');
    changed.clear();
    await navigate();
    await navigate();
    expect(await releaseOf()).toBe('whole-two');
  });

  test('a release is not taken while the wallet’s own page asks', async () => {
    served = 'whole-one';
    await install();
    await page.getByRole('button', { name: 'I already have a wallet' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Recovery phrase').fill(`${'test '.repeat(11)}junk`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('New password').fill(password);
    await page.getByLabel('Repeat the password').fill(password);
    await page.getByRole('button', { name: 'Import' }).click();
    await service.controls.faucet((await receivingAddress()) as `0x${string}`, 10n ** 18n);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('To', { exact: true }).fill(`0x${'5a'.repeat(20)}`);
    await page.getByLabel('Amount').fill('0.1');
    await page.getByRole('button', { name: 'Review and send' }).click();
    const question = await openDialog(page, { kind: 'transaction' });
    const asking = page;
    page = await newPage();
    served = 'whole-two';
    for (let times = 0; times < 3; times++) {
      await navigate();
      expect(await releaseOf()).toBe('whole-one');
    }
    // A page that dies takes its lock along.
    expect(await question.isOpen()).toBe(true);
    await asking.close();
    await navigate();
    expect(await releaseOf()).toBe('whole-two');
  });
});

/** Answers with the list of the release, changed. */
const listing =
  (change: (files: ReleaseFile[]) => unknown): Damage =>
  async () => {
    const { files } = JSON.parse(await readFile(join(folderOf('two'), 'release.json'), 'utf8')) as {
      files: ReleaseFile[];
    };
    const list = change(files) ?? { files };
    changed.set('/release.json', (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(typeof list === 'string' ? list : JSON.stringify(list)),
    );
  };
const headers = () => headersOf('frame', configuration);
/** Answers a path with other headers, and the content of the release unless `body` is another one. */
const answering =
  (path: string, status: number, change: () => Record<string, string>, body?: string): Damage =>
  async () => {
    const file = body ?? (await readFile(join(folderOf('two'), path), 'utf8'));
    changed.set(path, (response) =>
      response.writeHead(status, { 'content-type': 'text/html', ...change() }).end(file),
    );
  };
const added = (path: string) =>
  listing((files) => void files.push({ path, sha256: '0'.repeat(64), policy: "default-src 'none'" }));
/** Makes the second release one that cannot be taken. */
type Damage = () => Promise<void>;

/** Holds that none of these is taken, that nothing of them stays, and that the release is taken once it is whole. */
async function refuse(damages: Readonly<Record<string, Damage>>): Promise<void> {
  await install();
  served = 'two';
  for (const [name, damage] of Object.entries(damages)) {
    changed.clear();
    await damage();
    await navigate();
    await navigate();
    expect([name, await releaseOf(), await heldReleases()]).toEqual([name, 'one', ['one']]);
    expect([name, await statusOf('/frame.html')]).toEqual([name, 200]);
  }
  changed.clear();
  await navigate();
  await navigate();
  expect(await releaseOf()).toBe('two');
}

test('a release is not taken if a file has another hash or policy, is missing, or comes from another origin', () =>
  refuse({
    'another hash': answering('/frame.html', 200, headers, 'somebody else’s'),
    missing: answering('/frame.html', 404, headers),
    'no policy': answering('/frame.html', 200, () => ({})),
    'the policy of another list of dapps': answering('/frame.html', 200, () =>
      headersOf('frame', { ...configuration, allow: ['https://x.example'] }),
    ),
    'redirected to the same file of another origin': answering('/frame.html', 302, () => ({
      ...headers(),
      location: `${at('other')}/frame.html`,
    })),
    'connection closed': async () => void changed.set('/frame.html', ({ socket }) => socket?.destroy()),
  }));

test('a release is not taken if its list is not one, or names other files than those of the site', () =>
  refuse({
    'a file that the server does not have': added('/assets/more.js'),
    'a file above the site': added('/assets/../../secret'),
    'a file of another origin': added('//other.site.localhost/frame.html'),
    'the worker': added('/sw.js'),
    'a file twice': listing((files) => void files.push(files[0] as ReleaseFile)),
    'without a document': listing((files) => ({ files: files.filter(({ path }) => path !== '/frame.html') })),
    '10,000 files': listing((files) => ({ files: Array.from({ length: 10_000 }, () => files[0]) })),
    'a prototype': listing((files) => `{"__proto__":${JSON.stringify({ files })}}`),
    'not JSON': listing(() => '<!doctype html>'),
    absent: async () => void changed.set('/release.json', (response) => response.writeHead(404).end()),
  }));

test('a release is not taken if the browser has no room for it, until there is', async () => {
  served = 'whole-one';
  await install();
  served = 'whole-two';
  for (const room of [300_000, 0]) {
    await limitStorage(room);
    await navigate();
    await navigate();
    expect([await releaseOf(), await heldReleases()]).toEqual(['whole-one', ['whole-one']]);
  }
  await limitStorage();
  await navigate();
  await navigate();
  expect(await releaseOf()).toBe('whole-two');
});

test('a host that redirects from a document to its other name has the app under both', async () => {
  const file = await readFile(join(folderOf('one'), 'frame.html'), 'utf8');
  changed.set('/frame.html', (response) => response.writeHead(308, { location: '/frame' }).end());
  changed.set('/frame', (response) =>
    response.writeHead(200, { ...headers(), 'content-type': 'text/html' }).end(file),
  );
  await install();
  isOffline = true;
  for (const path of ['/frame.html', '/frame']) {
    // The document of somebody who has typed its address goes on to the home document.
    const response = await (await newPage()).goto(wallet + path, { waitUntil: 'commit' });
    expect(response?.fromServiceWorker()).toBe(true);
    expect(response?.headers()).toMatchObject({ 'cross-origin-resource-policy': 'same-site' });
  }
});

/** Leaves the site this many more bytes; without a number as many as it had. */
async function limitStorage(more?: number): Promise<void> {
  const session = await context.newCDPSession(page);
  const { usage } = await session.send('Storage.getUsageAndQuota', { origin: wallet });
  await session.send('Storage.overrideQuotaForOrigin', {
    origin: wallet,
    ...(more !== undefined && { quotaSize: usage + more }),
  });
}

describe('without an app', () => {
  const registrations = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);

  test.each(['/release.json', '/sw.js'])('a site that has no %s works as before', async (path) => {
    served = 'whole-one';
    let answered = 0;
    changed.set(path, (response) => response.writeHead(404).end(() => answered++));
    await page.goto(wallet);
    await page.getByRole('button', { name: 'Create a wallet' }).waitFor();
    await until(() => answered > 0);
    await until(async () => (await registrations()) === 0);
    expect(await page.evaluate(() => caches.keys())).toEqual([]);
  });

  test('a first visit that loses its network works, and a later one installs the app', async () => {
    let lost = 0;
    changed.set('/frame.html', ({ socket }) => {
      lost++;
      socket?.destroy();
    });
    await page.goto(wallet);
    await until(() => lost > 0);
    await until(async () => (await registrations()) === 0);
    isOffline = true;
    await expect(page.goto(wallet)).rejects.toThrow();
    isOffline = false;
    changed.clear();
    page = await newPage();
    await install();
    isOffline = true;
    await page.goto(wallet);
    expect(await releaseOf()).toBe('one');
  });

  test('a new version of the worker replaces the old one, and keeps its release', async () => {
    await install();
    const script = await readFile(join(folderOf('one'), 'sw.js'), 'utf8');
    changed.set('/release.json', (response) => response.writeHead(404).end());
    await replaceWorker(`${script}\n// Another version.`);
    isOffline = true;
    await page.goto('about:blank');
    await page.goto(wallet);
    expect(await releaseOf()).toBe('one');
  });

  test('the worker stays where its script is deleted, and is withdrawn by the one of the guide', async () => {
    await install();
    let missing = 0;
    changed.set('/sw.js', (response) => response.writeHead(404).end(() => missing++));
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update().catch(() => {});
    });
    expect(missing).toBeGreaterThan(0);
    expect(await registrations()).toBe(1);

    const guide = await readFile('docs/guides/bridge.md', 'utf8');
    const [, script = ''] = /```javascript\n([^`]+)```/.exec(guide) ?? [];
    changed.set('/release.json', (response) => response.writeHead(404).end());
    await page.evaluate(() => localStorage.setItem('kept', 'yes'));
    await replaceWorker(script);
    await until(async () => (await page.evaluate(() => caches.keys())).length === 0);
    served = 'two';
    await page.goto('about:blank');
    await page.goto(wallet);
    expect(await releaseOf()).toBe('two');
    expect(await page.evaluate(() => localStorage.getItem('kept'))).toBe('yes');
    await until(async () => (await registrations()) === 0);
  });
});

/**
 * Serves another worker, and opens the home document until that is active. Chromium may keep the old one as long as one of its
 * pages is open, and a navigation at the very moment of the change may get no answer while a debugger is attached.
 */
async function replaceWorker(script: string): Promise<void> {
  let isActive = false;
  changed.set('/activated', (response) => {
    isActive = true;
    response.writeHead(204).end();
  });
  changed.set('/sw.js', (response) =>
    response
      .writeHead(200, { ...headersOf('serviceWorker', configuration), 'content-type': 'text/javascript' })
      .end(`${script}\naddEventListener('activate', () => fetch('/activated'));`),
  );
  const isFound = async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration?.update().catch(() => {});
    return Boolean(registration?.waiting);
  };
  // The browser joins an update to one of its own that has begun before.
  await until(async () => isActive || (await page.evaluate(isFound)), { interval: 100 });
  await until(async () => {
    await page.goto('about:blank');
    await page.goto(wallet, { timeout: 5_000 }).catch(() => {});
    return isActive;
  });
}
