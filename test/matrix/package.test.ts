import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { transform } from 'esbuild';
import type { Browser } from 'playwright-core';
import { publint } from 'publint';
import { build, createServer } from 'vite';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { checkSite } from '../../src/site/check.js';
import { readConfiguration, type SiteConfiguration } from '../../src/site/configuration.js';
import { launchChromium } from '../support/chromium.js';
import { startServer } from '../support/http-server.js';
import { type OwnPackage, packageEntries, packages } from '../support/packages.js';
import { type Served, serveFiles } from '../support/serve.js';
import { bundledPackages } from '../support/third-party.js';
import { answerFromSite, siteOptions } from '../support/wallet-site.js';
import { type Archives, execute, packCheckout, unpack } from './consumer.js';

/**
 * The archives of `npm pack`, unpacked into a project with their peers and dependencies alone: other packages of this checkout can't
 * be imported there.
 */
let consumer = '';
let archives: Archives = {};
/** The files of each package. */
const packed = new Map<string, readonly string[]>();
let browser: Browser;

const [wallet] = packages as [OwnPackage];
const filesOf = (name: string): readonly string[] => packed.get(name) as readonly string[];
/** The text of a file of a package. */
const readPacked = (name: string, path: string): Promise<string> =>
  readFile(join(consumer, 'node_modules', name, path), 'utf8');
/** The names of the subpaths of an entry, such as `viem` and `playwright/library`. */
const subpathsOf = ({ name, entries }: OwnPackage): string[] =>
  entries.flatMap(({ specifier }) => (specifier === name ? [] : specifier.slice(name.length + 1)));

/** Peers of the test kit. */
const playwright = ['@playwright/test', 'playwright', 'playwright-core'];
/** Dependencies of the relay and of the test kit, with their own. */
const dependencies = ['ws', 'srvx', 'jose', 'redis', '@redis', 'cluster-key-slot', '@foundry-rs'];

// Compilers and servers of a whole project run in each.
vi.setConfig({ testTimeout: 120_000 });

async function install(name: string): Promise<void> {
  const place = join(consumer, 'node_modules', name);
  await mkdir(resolve(place, '..'), { recursive: true });
  await symlink(resolve('node_modules', name), place, 'dir');
}

beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'graft-consumer-'));
  archives = await packCheckout(inject('runFolder'));
  // The libraries that have an adapter, and what their types need.
  const libraries = ['viem', 'abitype', 'ox', '@wagmi/core', ...playwright];
  for (const name of [...libraries, ...dependencies, '@types/node', 'undici-types']) await install(name);
  for (const [name, archive] of Object.entries(archives)) {
    await unpack(archive, join(consumer, 'node_modules', name));
    const listed = (await execute(consumer, 'tar', ['-tzf', archive])).trim().split('\n');
    packed.set(name, listed.map((path) => path.replace('package/', '')).sort());
  }
  await writeFile(join(consumer, 'package.json'), '{ "type": "module" }\n');
  browser = await launchChromium();
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await rm(consumer, { recursive: true, force: true });
});

test('holds the built files, a folder for each subpath, examples, documents and pictures, with names that stay', () => {
  const built = /^dist\/([a-z0-9-]+\/)*[a-z0-9-]+(\.d\.ts|\.js|\.js\.map)$/;
  // The scripts of a wallet's site are named by their content.
  const site = /^dist\/wallet-site\/([a-z]+\.html|sw\.js|icon-[\w-]+\.png|assets\/[\w-]+\.(js|css))$/;
  const documents = /^(docs|demo\/screenshots|test\/(perf|soak))\/([a-z0-9-]+\/)*[A-Za-z0-9-]+\.(md|png)$/;
  const examples = /^examples\/(?!wallet-site\/)[a-z0-9-]+\/(src\/)?[A-Za-z.-]+$/;
  const folders = subpathsOf(wallet).map((path) => `${path}/package.json`);
  expect(filesOf('graft-wallet')).toEqual(expect.arrayContaining(folders));
  const others = filesOf('graft-wallet').filter(
    (path) =>
      !folders.includes(path) && ![built, site, documents, examples].some((known) => known.test(path)),
  );
  expect(others).toEqual([
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'dist/THIRD-PARTY-LICENCES.txt',
    'dist/integrity.json',
    'docs/payment-proof.schema.json',
    'package.json',
  ]);
});

test.each(['graft-kit', 'graft-relay'])(
  '%s holds its built files, declarations with those of the wallet, and a folder for each subpath',
  async (name) => {
    const own = packages.find((each) => each.name === name) as OwnPackage;
    const folders = subpathsOf(own).map((path) => `${path}/package.json`);
    expect(filesOf(name)).toEqual(expect.arrayContaining(folders));
    const built = /^dist\/([a-z0-9-]+\/)*[a-z0-9-]+(\.js|\.js\.map)$/;
    const types = new RegExp(`^dist/types/(src|${own.folder}/src)/([a-z0-9-]+/)*[a-z0-9-]+\\.d\\.ts$`);
    const others = filesOf(name).filter(
      (path) => !folders.includes(path) && !built.test(path) && !types.test(path),
    );
    expect(others).toEqual(['LICENSE', 'README.md', 'dist/THIRD-PARTY-LICENCES.txt', 'package.json']);
  },
);

/** Modules that only re-export others, and the bundler's runtime. */
const unmapped: Readonly<Record<string, readonly string[]>> = {
  'graft-wallet': ['dist/rolldown-runtime.js'],
  'graft-kit': ['dist/playwright/library.js'],
  'graft-relay': ['dist/index.js'],
};

test('our packages have one version', () => {
  expect(new Set(packages.map(({ manifest }) => manifest.version)).size).toBe(1);
});

test.each(packages.map(({ name }) => name))(
  'each module of %s has a source map with its sources inside, and no path of the machine that built it',
  async (name) => {
    const read = (path: string) => readPacked(name, path);
    const files = filesOf(name);
    // Scripts are minified and have none.
    const modules = files.filter(
      (path) =>
        /^dist\/(?!wallet-site\/).*\.js$/.test(path) &&
        !/\/(graft[\w-]*|kdf-worker|testing\/page)\.js$/.test(path),
    );
    const mapped = modules.filter((path) => files.includes(`${path}.map`));
    expect(files.filter((path) => path.endsWith('.map'))).toHaveLength(mapped.length);
    expect(modules.filter((path) => !mapped.includes(path))).toEqual(unmapped[name]);
    for (const path of mapped) {
      expect(await read(path)).toMatch(new RegExp(`//# sourceMappingURL=${basename(path)}\\.map\\s*$`));
      const text = await read(`${path}.map`);
      // A module of JSON has an empty map.
      const { sources, sourcesContent = [] } = JSON.parse(text) as Partial<SourceMapPayload> &
        SourceMapPayload;
      expect(sources.filter((source) => !/^(\.\.\/)+(src\/|node_modules\/)/.test(source))).toEqual([]);
      expect(sourcesContent.map((content) => typeof content)).toEqual(sources.map(() => 'string'));
      expect(text.includes(resolve('.'))).toBe(false);
    }
  },
);

test('a source map leads from a function to its source', async () => {
  const payload = JSON.parse(await readPacked('graft-wallet', 'dist/shell.js.map')) as SourceMapPayload;
  const lines = (await readPacked('graft-wallet', 'dist/shell.js')).split('\n');
  const line = lines.findIndex((each) => each.startsWith('function createWallet('));
  const found = new SourceMap(payload).findEntry(line, 'function '.length);
  if (!('originalSource' in found)) throw new Error('createWallet has no place in its source map');
  const source = payload.sourcesContent[payload.sources.indexOf(found.originalSource)];
  expect(source?.split('\n')[found.originalLine]).toContain('export function createWallet(');
});

test('every link of its documents to a file leads to one that it holds', async () => {
  const held = filesOf('graft-wallet');
  const files = new Set(held);
  const documents = held.filter((path) => path.endsWith('.md'));
  const links = await Promise.all(
    documents.map(async (path) =>
      [...(await readFile(path, 'utf8')).matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, link = '']) => ({
        path,
        target: join(path, '..', link),
      })),
    ),
  );
  const holds = (target: string) =>
    files.has(target) || held.some((each) => each.startsWith(`${target.replace(/\/$/, '')}/`));
  expect(links.flat().length).toBeGreaterThan(50);
  expect(links.flat().filter(({ target }) => !holds(target))).toEqual([]);
});

test.each(packages.map(({ name }) => name))(
  '%s holds the licence of each package whose code is in its files',
  async (name) => {
    const text = await readPacked(name, 'dist/THIRD-PARTY-LICENCES.txt');
    const [, ...notices] = text.split(/^-{72}$/m);
    const maps = await Promise.all(
      filesOf(name)
        .filter((path) => path.endsWith('.map'))
        .map((path) => readPacked(name, path)),
    );
    const inside = maps.flatMap((map) =>
      (JSON.parse(map) as SourceMapPayload).sources.flatMap(
        (source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
      ),
    );
    expect(inside.length).toBeGreaterThan(5);
    const listed = notices.map((notice) => notice.trim().split(' ')[0] as string);
    // The wallet and the script of the test kit have all of them.
    expect(listed).toEqual(
      name === 'graft-relay' ? [...new Set(inside)].sort() : [...bundledPackages].sort(),
    );
    expect(notices.filter((notice) => !/copyright/i.test(notice))).toEqual([]);
  },
);

test.each(packages)(
  'the files of $name import no package but peers and dependencies',
  async ({ name, manifest }) => {
    const peers = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const isKnown = (specifier: string) =>
      /^(\.|node:|cloudflare:)/.test(specifier) ||
      peers.some((peer) => specifier === peer || specifier.startsWith(`${peer}/`));
    const importing = /(?:^|[;\s}])(?:import|export)(?:[\w\s{},*$]*\bfrom)?\s*\(?\s*["']([^"'\n]+)["']/g;
    const found = await Promise.all(
      filesOf(name)
        .filter((path) => /^dist\/.*\.js$/.test(path))
        .map(async (path) => {
          const source = await readPacked(name, path);
          // Without the examples that are in comments.
          const { code } = await transform(source, { minifyWhitespace: true, legalComments: 'none' });
          return [...code.matchAll(importing)].map(([, specifier = '']) => ({ path, specifier }));
        }),
    );
    const example = { 'graft-wallet': 'viem', 'graft-kit': 'node:fs/promises', 'graft-relay': 'ws' }[name];
    expect(new Set(found.flat().map(({ specifier }) => specifier))).toContain(example);
    expect(found.flat().filter(({ specifier }) => !isKnown(specifier))).toEqual([]);
  },
);

test('a page chooses the versions of the packages that the wallet names', () => {
  expect(wallet.manifest.dependencies).toBeUndefined();
});

test('none of its imports is destructured after a then, which Vite 5 and 6 read as names of the file itself', async () => {
  const destructured = /\}\s*=\s*await\s+import\([^)]+\)\s*\.then/;
  const files = filesOf('graft-wallet').filter((path) => /^dist\/.*\.js$/.test(path));
  const sources = await Promise.all(files.map((path) => readPacked('graft-wallet', path)));
  expect(sources.filter((source) => /await import\(/.test(source)).length).toBeGreaterThan(10);
  expect(files.filter((_, at) => destructured.test(sources[at] as string))).toEqual([]);
});

test('SECURITY.md names the versions of the cryptography that is in its files', async () => {
  const text = await readFile('SECURITY.md', 'utf8');
  for (const name of bundledPackages.filter((each) => each.startsWith('@')))
    expect(text).toContain(`\`${name}\` ${wallet.manifest.devDependencies?.[name]}`);
});

test.each(packages)(
  'the folder of a subpath of $name leads where exports does',
  async ({ name, entries }) => {
    const root = join(consumer, 'node_modules', name);
    for (const { specifier, file, types } of entries) {
      if (specifier === name) continue;
      const path = specifier.slice(name.length + 1);
      const folder = JSON.parse(await readPacked(name, `${path}/package.json`));
      expect(resolve(root, path, folder.main)).toBe(resolve(root, file));
      expect(resolve(root, path, folder.types)).toBe(resolve(root, types));
    }
  },
);

test.each(packages)('package.json of $name says what is there (publint)', async ({ name }) => {
  const { buffer, byteOffset, byteLength } = await readFile(archives[name] as string);
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  const { messages } = await publint({ pack: { tarball }, strict: true });
  expect(messages).toEqual([]);
});

// CommonJS gets modules, which Node 20.19 can require.
test.each(packages)('types of $name resolve in every way (attw)', async ({ name }) => {
  const archive = await readFile(archives[name] as string);
  const checked = await checkPackage(createPackageFromTarballData(archive));
  const problems = checked.types === false ? ['no types'] : checked.problems.map(({ kind }) => kind);
  expect(problems.filter((kind) => kind !== 'CJSResolvesToESM')).toEqual([]);
});

test('they export what they say, and nothing by accident', async () => {
  // A worker's modules are there in its runtime alone.
  const specifiers = packageEntries
    .map((entry) => entry.specifier)
    .filter((name) => !name.endsWith('/worker'));
  const script = `
    const surface = {};
    for (const entry of ${JSON.stringify(specifiers)})
      surface[entry] = Object.keys(await import(entry)).sort();
    console.log(JSON.stringify(surface));
  `;
  const output = await execute(consumer, process.execPath, ['--input-type=module', '--eval', script]);
  expect(JSON.parse(output)).toMatchInlineSnapshot(`
    {
      "graft-kit/local": [
        "EngineError",
        "assumptions",
        "createLocalService",
        "dialects",
      ],
      "graft-kit/playwright": [
        "addressesOf",
        "expect",
        "installWallet",
        "openTape",
        "pageScript",
        "startChain",
        "test",
      ],
      "graft-kit/playwright/library": [
        "addressesOf",
        "installWallet",
        "openTape",
        "pageScript",
        "startChain",
      ],
      "graft-kit/testing": [
        "channelName",
        "createChannel",
        "factsOf",
        "headless",
        "scripted",
      ],
      "graft-relay": [
        "createRelay",
      ],
      "graft-relay/node": [
        "serveRelay",
      ],
      "graft-wallet": [
        "ProviderRpcError",
        "abiCalls",
        "announce",
        "checksumAddress",
        "clearSigning",
        "createMemoryStorage",
        "createVolatileMemory",
        "createWallet",
        "errorCode",
        "isProviderRpcError",
        "mergeDescriptors",
        "solidityErrors",
      ],
      "graft-wallet/bridge": [
        "connectBridge",
      ],
      "graft-wallet/host": [
        "serveBridge",
      ],
      "graft-wallet/inspect": [
        "inspect",
        "inspector",
      ],
      "graft-wallet/proof": [
        "verifyPayment",
      ],
      "graft-wallet/rainbowkit": [
        "graftWallet",
      ],
      "graft-wallet/ui": [
        "dialog",
        "languages",
        "loadWords",
        "openPanel",
        "panel",
      ],
      "graft-wallet/viem": [
        "graftAccount",
        "graftTransport",
        "permissionActions",
        "rootstock",
        "rootstockRegtest",
        "rootstockTestnet",
      ],
      "graft-wallet/wagmi": [
        "getGrantedExecutionPermissions",
        "getSupportedExecutionPermissions",
        "graft",
        "requestExecutionPermissions",
        "revokeExecutionPermission",
      ],
    }
  `);
});

test('graft-host builds a wallet’s site from nothing but the package, finds nothing missing in it, and it opens', async () => {
  let configuration: SiteConfiguration;
  const folder = join(consumer, 'dist-wallet');
  const server = await startServer(
    (request, response) => void answerFromSite(folder, configuration, request, response),
  );
  const origin = `http://wallet.site.localhost:${server.port}`;
  const text = JSON.stringify(siteOptions(origin));
  configuration = readConfiguration(text);
  await writeFile(join(consumer, 'my-wallet.json'), text);
  const cli = join(consumer, 'node_modules/graft-wallet/dist/site/cli.js');
  const page = await browser.newPage();
  try {
    const built = await execute(consumer, process.execPath, [cli, 'build', 'my-wallet.json']);
    expect(built).toContain(`graft-host check ${origin}`);
    expect(await checkSite(origin)).toEqual([]);
    await page.goto(origin);
    await page.locator('#panel > *').first().waitFor({ state: 'attached' });
    expect(await page.title()).toBe('Example Wallet');
  } finally {
    await page.close();
    await server.stop();
  }
});

/** A page, as the README has it, and tests that use the local service and the test kit: all must type-check for our users. */
const page = `
import { createWallet } from 'graft-wallet';
import * as ui from 'graft-wallet/ui';
import * as testing from 'graft-kit/testing';
import { inspect } from 'graft-wallet/inspect';
import { connectBridge, type BridgeState } from 'graft-wallet/bridge';
import { serveBridge } from 'graft-wallet/host';

const networks = [{ chainId: 31, url: 'https://node.example/key' }];
const wallet = createWallet({ networks });
const state: BridgeState = connectBridge({ host: 'https://wallet.example' }).state();
const role: 'frame' | 'window' | 'page' = serveBridge({
  allow: ['https://app.example'],
  wallet: (origin, approver) => createWallet({ networks, origin, approver }),
}).role;
const stop: () => void = wallet.announce({ window: true });
const blockNumber: string = await wallet.provider.request({ method: 'eth_blockNumber' });
const sent: number = inspect(wallet).snapshot().http.requests;
export { stop, blockNumber, ui, testing, state, role, sent };
`;
const service = `
import { createLocalService } from 'graft-kit/local';
const service = await createLocalService({ chainId: 33 });
const url: string = service.url;
await service.close();
export { url };
`;
const spec = `
import { expect, test } from 'graft-kit/playwright';
import { installWallet, openTape } from 'graft-kit/playwright/library';
test('pays', async ({ page, wallet, chain }) => {
  await chain.fund(wallet.accounts[0]!);
  const asked: string = (await wallet.approve({ kind: 'transaction', value: 1n })).origin;
  await wallet.call('switchChain', 31);
  await expect(page).toHaveTitle(asked);
});
export { installWallet, openTape };
`;

/** wagmi over the wallet. */
const dapp = `
import { createConfig, type Config } from '@wagmi/core';
import { createWallet } from 'graft-wallet';
import { graftWallet } from 'graft-wallet/rainbowkit';
import { graftAccount, graftTransport, rootstockTestnet } from 'graft-wallet/viem';
import { graft } from 'graft-wallet/wagmi';

const wallet = createWallet({ networks: [{ chainId: 31, url: 'https://node.example/key' }] });
const config: Config = createConfig({
  chains: [rootstockTestnet],
  connectors: [graft({ wallet }), graftWallet({ wallet })().createConnector({})],
  transports: { [rootstockTestnet.id]: graftTransport(wallet) },
});
const signature: Promise<string> = graftAccount(wallet, '0x5afe51de5afe51de5afe51de5afe51de5afe51de').signMessage({
  message: 'Hello',
});
export { config, signature };
`;

test.each(['NodeNext', 'Bundler'])('types check under %s resolution', async (moduleResolution) => {
  const compilerOptions = {
    module: moduleResolution === 'NodeNext' ? 'NodeNext' : 'ESNext',
    moduleResolution,
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  const check = async (files: Readonly<Record<string, string>>, types: string[]) => {
    const names = Object.keys(files);
    for (const [name, code] of Object.entries(files)) await writeFile(join(consumer, name), code);
    const project = join(consumer, `${names[0]}.${moduleResolution}.json`);
    await writeFile(
      project,
      JSON.stringify({ compilerOptions: { ...compilerOptions, types }, files: names }),
    );
    await execute(consumer, process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', project]);
  };
  // A page that imports no library of others needs none of their types.
  await check({ 'page.ts': page, 'local.ts': service }, []);
  await check({ 'dapp.ts': dapp }, []);
  await check({ 'service.ts': service + spec }, ['node']);
});

interface Page {
  readonly window: {
    ethereum: { request(request: { method: string }): Promise<unknown> };
    graft: Page['window']['wallet'];
    announced: unknown[];
    wallet: {
      provider: Page['window']['ethereum'];
      create(password: string): Promise<unknown>;
      lock(): Promise<void>;
      unlock(password: string): Promise<void>;
    };
  };
}

/** Opens a page and has `act` do something in it. What it tells besides: errors and the workers it started. */
async function inPage<Result>(url: string, act: (page: Page) => Promise<Result>) {
  const page = await browser.newPage();
  const errors: string[] = [];
  const workers: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('worker', (worker) => workers.push(new URL(worker.url()).protocol));
  await page.goto(url);
  await page.waitForFunction('window.ethereum');
  const result = await page.evaluate(`(${act})({ window })`);
  await page.close();
  return { result: result as Result, errors, workers };
}

test('the script-tag file is window.ethereum, as its data- attributes say', async () => {
  const html = `<!doctype html><title>Script tag</title>
    <script>
      announced = [];
      addEventListener('eip6963:announceProvider', ({ detail }) => announced.push(detail.provider));
    </script>
    <script src="/graft.js" data-chain-id="31" data-url="https://node.example/key"></script>`;
  const served = await serveFiles('dist', { html });
  const seen = await inPage(served.url, async ({ window: { ethereum, graft, announced } }) => {
    await graft.create('a password');
    await graft.lock();
    await graft.unlock('a password');
    return {
      same: [graft.provider, ...announced].map((provider) => provider === ethereum),
      chainId: await ethereum.request({ method: 'eth_chainId' }),
      accounts: await ethereum.request({ method: 'eth_accounts' }),
    };
  });
  await served.stop();
  expect(seen).toEqual({
    result: { same: [true, true], chainId: '0x1f', accounts: [] },
    errors: [],
    workers: ['blob:', 'blob:'],
  });
});

test.each(['build', 'dev'])(
  'with Vite (%s) a page loads the shell first, the rest when needed, and its worker runs',
  async (mode) => {
    const root = join(consumer, mode);
    await mkdir(root);
    await writeFile(
      join(root, 'index.html'),
      '<!doctype html><title>Vite</title><script type="module" src="/page.js"></script>',
    );
    await writeFile(
      join(root, 'page.js'),
      `import { createWallet } from 'graft-wallet';
       window.wallet = createWallet({ networks: [{ chainId: 31, url: 'https://node.example/key' }] });
       wallet.announce({ window: true });`,
    );
    const served = await serveWithVite(root, mode);
    const seen = await inPage(served.url, async ({ window: { wallet } }) => {
      const scripts = () => performance.getEntriesByType('resource').map(({ name }) => name);
      const before = scripts().filter((name) => /dialog|core|unlock|bip39|english/.test(name));
      await wallet.create('a password');
      await wallet.lock();
      await wallet.unlock('a password');
      return { before, after: scripts().some((name) => name.includes('unlock')) };
    });
    await served.stop();
    expect({ ...seen, workers: seen.workers.length }).toEqual({
      result: { before: [], after: true },
      errors: [],
      workers: 2,
    });
  },
);

/** As one of our users has it: their project, no configuration. */
async function serveWithVite(root: string, mode: string): Promise<Served> {
  const quiet = { root, configFile: false, logLevel: 'error' } as const;
  if (mode === 'build') {
    await build(quiet);
    return serveFiles(join(root, 'dist'), { html: await readFile(join(root, 'dist/index.html'), 'utf8') });
  }
  const server = await createServer({ ...quiet, server: { host: '127.0.0.1', port: 0 } });
  await server.listen();
  return { url: server.resolvedUrls?.local[0] ?? '', stop: () => server.close() };
}
