import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { publint } from 'publint';
import { build, createServer } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { type Served, serveFiles } from '../../support/serve.js';

/**
 * What our users get: the tarball of `npm pack`, unpacked into a project that has our dependencies and nothing
 * else of what happens to be installed here.
 */
let consumer = '';
let packed: string[] = [];
let browser: Browser;

const manifest = JSON.parse(await readFile('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};

async function run(command: string, args: readonly string[], cwd = '.'): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', npm_config_loglevel: 'error' };
  try {
    return (await promisify(execFile)(command, args, { cwd, env })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} fails:\n${stdout}${stderr}`);
  }
}

async function install(name: string): Promise<void> {
  const place = join(consumer, 'node_modules', name);
  await mkdir(resolve(place, '..'), { recursive: true });
  await symlink(resolve('node_modules', name), place, 'dir');
}

beforeAll(async () => {
  await run('npm', ['run', 'build']);
  consumer = await mkdtemp(join(tmpdir(), 'graft-consumer-'));
  const [pack] = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', consumer])) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = pack.files.map(({ path }) => path);
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'undici-types'])
    await install(name);
  const place = join(consumer, 'node_modules', 'graft-wallet');
  await mkdir(place);
  await run('tar', ['-xzf', pack.filename, '-C', place, '--strip-components=1'], consumer);
  await writeFile(join(consumer, 'package.json'), '{ "type": "module" }\n');
  browser = await launchChromium();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await rm(consumer, { recursive: true, force: true });
});

test('holds the built files, the licence and the notes, with names that stay', () => {
  const names = packed.filter((path) => !/^dist\/([a-z0-9-]+\/)*[a-z0-9-]+(\.d\.ts|\.js)$/.test(path));
  expect(names).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']);
});

test('package.json says what is there (publint)', async () => {
  const { messages } = await publint({ pkgDir: '.', strict: true });
  expect(messages).toEqual([]);
});

test('exports what it says, and nothing by accident', async () => {
  const script = `
    const surface = {};
    for (const entry of ['graft-wallet', 'graft-wallet/ui', 'graft-wallet/testing', 'graft-wallet/local'])
      surface[entry] = Object.keys(await import(entry)).sort();
    console.log(JSON.stringify(surface));
  `;
  const output = await run(process.execPath, ['--input-type=module', '--eval', script], consumer);
  expect(JSON.parse(output)).toMatchInlineSnapshot(`
    {
      "graft-wallet": [
        "ProviderRpcError",
        "abiCalls",
        "announce",
        "checksumAddress",
        "createMemoryStorage",
        "createVolatileMemory",
        "createWallet",
        "errorCode",
        "isProviderRpcError",
        "solidityErrors",
      ],
      "graft-wallet/local": [
        "EngineError",
        "assumptions",
        "createLocalService",
        "dialects",
      ],
      "graft-wallet/testing": [
        "headless",
      ],
      "graft-wallet/ui": [
        "dialog",
        "english",
      ],
    }
  `);
});

/** A page, as the README has it, and a test that uses the local service: both must type-check for our users. */
const page = `
import { createWallet } from 'graft-wallet';
import * as ui from 'graft-wallet/ui';
import * as testing from 'graft-wallet/testing';

const wallet = createWallet({ networks: [{ chainId: 31, url: 'https://node.example/key' }] });
const stop: () => void = wallet.announce({ window: true });
const blockNumber: string = await wallet.provider.request({ method: 'eth_blockNumber' });
export { stop, blockNumber, ui, testing };
`;
const service = `
import { createLocalService } from 'graft-wallet/local';
const service = await createLocalService({ chainId: 33 });
const url: string = service.url;
await service.close();
export { url };
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
  const check = async (file: string, code: string, types: string[]) => {
    await writeFile(join(consumer, file), code);
    const project = join(consumer, `${file}.${moduleResolution}.json`);
    await writeFile(
      project,
      JSON.stringify({ compilerOptions: { ...compilerOptions, types }, files: [file] }),
    );
    await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', project], consumer);
  };
  await check('page.ts', page, []);
  await check('service.ts', service, ['node']);
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
      const before = scripts().filter((name) => /dialog|core|signing|bip39|english/.test(name));
      await wallet.create('a password');
      await wallet.lock();
      await wallet.unlock('a password');
      return { before, after: scripts().some((name) => name.includes('signing')) };
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
