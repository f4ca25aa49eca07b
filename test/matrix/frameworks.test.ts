import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createLocalService, type Hex, type LocalService } from '../../packages/kit/src/local/index.js';
import { launchChromium } from '../support/chromium.js';
import { readBlocks } from '../support/docs/blocks.js';
import { answerDialog, setUpWallet } from '../support/example.js';
import { clientOf } from '../support/local-client.js';
import { type Served, serveFiles } from '../support/serve.js';
import { until } from '../support/until.js';
import { expectRows } from './compatibility.js';
import { type Consumer, installConsumer, isWhole, type Tools } from './consumer.js';
import { startProduction } from './production-server.js';

/**
 * The frameworks of docs/guides/frameworks.md: for each the least of what its `create` command makes, with the guide's code and
 * the packed package, built for production, and a person who sets a wallet up in it and pays.
 */
interface Framework {
  /** Its row in the table. */
  readonly title: string;
  /** The package whose version the row has. */
  readonly package: string;
  readonly tools: Tools;
  /** Its folder in `frameworks`: what is not in the guide. */
  readonly name: string;
  /** The path of the guide's `wallet.ts` in the project. */
  readonly wallet: string;
  /** The guide's other files, by their path in the project. */
  readonly files: readonly string[];
  readonly build: readonly [command: string, ...args: string[]];
  /** The folder of its static pages, or the command of its production server, which renders them. */
  readonly output: string | readonly [command: string, ...args: string[]];
  /** Whether a page that is loaded again is rendered as connected. Default false. */
  readonly remembers?: boolean;
}

const frameworks: readonly Framework[] = [
  {
    title: 'Vue',
    package: 'vue',
    tools: 'tools',
    name: 'vue',
    wallet: 'src/wallet.ts',
    files: ['src/App.vue'],
    build: ['vite', 'build'],
    output: 'dist',
  },
  {
    title: 'SvelteKit',
    package: '@sveltejs/kit',
    tools: 'tools',
    name: 'sveltekit',
    wallet: 'src/lib/wallet.ts',
    files: ['src/routes/+page.svelte'],
    build: ['vite', 'build'],
    output: ['node', 'build'],
  },
  {
    title: 'Angular',
    package: '@angular/core',
    tools: 'frameworks/angular',
    name: 'angular',
    wallet: 'src/app/wallet.ts',
    files: ['src/app/app.ts'],
    build: ['ng', 'build'],
    output: 'dist',
  },
  {
    title: 'Nuxt with viem',
    package: 'nuxt',
    tools: 'frameworks/nuxt',
    name: 'nuxt',
    wallet: 'app/wallet.ts',
    files: ['app/app.vue'],
    build: ['nuxt', 'build'],
    output: ['node', '.output/server/index.mjs'],
  },
  {
    title: 'Astro',
    package: 'astro',
    tools: 'frameworks/astro',
    name: 'astro',
    wallet: 'src/wallet.ts',
    files: ['src/pages/index.astro'],
    build: ['astro', 'build'],
    output: 'dist',
  },
  {
    title: 'Next with wagmi and cookies',
    package: 'next',
    tools: 'tools',
    name: 'next',
    wallet: 'app/wallet.ts',
    files: ['app/config.ts', 'app/layout.tsx', 'app/page.tsx', 'app/providers.tsx'],
    build: ['next', 'build'],
    output: ['next', 'start', '-H', '127.0.0.1', '-p', '$PORT'],
    remembers: true,
  },
];

/** The payment in the guide's code, and the node in its `wallet.ts`. */
const recipient = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const value = '0x5af3107a4000';
const node = 'https://public-node.testnet.rsk.co';

/** The guide's files, by the path that is a comment in their first line. */
const guide = new Map(
  readBlocks('docs/guides/frameworks.md').flatMap(({ code }) => {
    const [, path] = code.match(/^(?:---\n)?(?:\/\/|<!--) (\S+\.\w+)/) ?? [];
    return path === undefined ? [] : [[path, code] as const];
  }),
);

const rows = new Map<string, string>();

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('every file of the guide is in a project', () => {
  const used = frameworks.flatMap(({ files }) => files);
  expect([...guide.keys()].sort()).toEqual(['wallet.ts', ...used].sort());
  expect(guide.get('wallet.ts')).toContain(`'${node}'`);
});

const chosen = frameworks.filter(({ name }) => isWhole || name === 'vue');

test.concurrent.each(chosen)('$title: a production build pays', { timeout: 600_000 }, async (framework) => {
  const { title, name, tools, build, output, remembers = false } = framework;
  const [consumer, service] = await Promise.all([
    installConsumer(inject('runFolder'), tools),
    createLocalService({ chainId: 31 }),
  ]);
  const folder = await consumer.project(name, await filesOf(framework, service.url));
  await inTurn(() => consumer.run(folder, ...build));
  const served = await serve(consumer, folder, output);
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const response = await page.goto(served.url);
    expect(response?.status()).toBe(200);
    const html = (await response?.text()) ?? '';
    if (typeof output !== 'string') expect(html).toContain('>Connect</button>');
    // Before that a click on what the server has rendered does nothing.
    if (html.includes('>Connect</button>')) await page.waitForFunction(hasListener);
    const account = await connect(page);
    await pay(page, account, service);
    if (remembers) {
      const again = await page.reload();
      expect(again?.status()).toBe(200);
      expect(await again?.text()).toContain(account);
      await textOf(page, '#status', /^connected$/);
    }
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
    await served.stop();
    await service.close();
  }
  const what = [
    ...(typeof output === 'string' ? [] : ['renders on the server']),
    'pays',
    ...(remembers ? ['is connected after a reload'] : []),
  ];
  rows.set(title, `| ${title} | ${await consumer.version(framework.package)} | ${what.join(', ')} |  |`);
});

let turn: Promise<unknown> = Promise.resolve();
/** Builds one project at a time, while the pages of those before are driven. */
function inTurn<T>(build: () => Promise<T>): Promise<T> {
  const built = turn.then(build);
  turn = built.catch(() => undefined);
  return built;
}

test('the rows of docs/compatibility.md are those of this run', () => expectRows(rows));

/** The files of the project by their path: the guide's, with the local service, and those that are kept for it. */
async function filesOf({ name, wallet, files }: Framework, serviceUrl: string) {
  const kept = join(import.meta.dirname, 'frameworks', name);
  const entries = await readdir(kept, { recursive: true, withFileTypes: true });
  const read = entries
    .filter((entry) => entry.isFile() && !/^package(-lock)?\.json$/.test(entry.name))
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(kept, path), await readFile(path, 'utf8')] as const;
    });
  const inGuide = files.map((path) => [path, guide.get(path) as string] as const);
  const walletCode = (guide.get('wallet.ts') as string).replace(node, serviceUrl);
  return Object.fromEntries([...(await Promise.all(read)), ...inGuide, [wallet, walletCode]]);
}

async function serve(consumer: Consumer, folder: string, output: Framework['output']): Promise<Served> {
  if (typeof output !== 'string') {
    const [command, ...args] = output;
    const path = command === 'node' ? process.execPath : join(consumer.root, 'node_modules/.bin', command);
    return startProduction(folder, [path, ...args]);
  }
  const pages = join(folder, output);
  return serveFiles(pages, { html: await readFile(join(pages, 'index.html'), 'utf8') });
}

/** The errors and warnings of a page, to which it adds: a page that hydrates wrongly has one. */
function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/error|warning/.test(message.type())) complaints.push(message.text());
  });
  return complaints;
}

/** Whether the page's script has its listener on the button: `onclick`, or by a property of its framework. */
const hasListener = `(() => {
  const button = document.querySelector('button');
  return button.onclick !== null || Reflect.ownKeys(button).length > 0;
})()`;

/** The text of an element, once it matches. */
async function textOf(page: Page, selector: string, pattern: RegExp): Promise<string> {
  const element = page.locator(selector, { hasText: pattern });
  return (await element.textContent()) as string;
}

/** Connects by setting a wallet up. Returns the account. */
async function connect(page: Page): Promise<Hex> {
  await page.getByRole('button', { name: 'Connect' }).click();
  await setUpWallet(page, 'a password for frameworks');
  await answerDialog(page, 'connect', 'Connect');
  return (await textOf(page, '#account', /^0x[\da-f]{40}$/i)) as Hex;
}

/** Pays, and checks what the chain has of it. */
async function pay(page: Page, account: Hex, service: LocalService): Promise<void> {
  await service.controls.faucet(account, 10n ** 18n);
  await page.getByRole('button', { name: 'Pay' }).click();
  await answerDialog(page, 'transaction', 'Send');
  const hash = await textOf(page, '#hash', /^0x[\da-f]{64}$/);
  const { call } = clientOf(service);
  const receipt = await until(() => call('eth_getTransactionReceipt', hash));
  expect(receipt).toMatchObject({ status: '0x1', from: account.toLowerCase(), to: recipient });
  expect(await call('eth_getBalance', recipient, 'latest')).toBe(value);
}
