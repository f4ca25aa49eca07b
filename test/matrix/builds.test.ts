import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { recoverMessageAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createLocalService, type LocalService } from '../../packages/kit/src/local/index.js';
import { launchChromium } from '../support/chromium.js';
import { startServer } from '../support/http-server.js';
import { type Served, serveFiles } from '../support/serve.js';
import { expectRows } from './compatibility.js';
import { type Consumer, installConsumer, isWhole } from './consumer.js';

/** The packed package with every bundler and runtime: it builds, creates a wallet, unlocks in the worker, and signs. */

interface Told {
  readonly account: `0x${string}`;
  readonly signature: `0x${string}`;
  readonly head: string;
  readonly starved: number;
}

const sourceOf = (name: string) => readFile(join(import.meta.dirname, name), 'utf8');
const rows = new Map<string, string>();

let consumer: Consumer;
let service: LocalService;
let browser: Browser;

beforeAll(async () => {
  [consumer, service, browser] = await Promise.all([
    installConsumer(inject('runFolder')),
    createLocalService({ chainId: 33 }),
    launchChromium(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** One bundler. */
interface Bundler {
  /** What the table calls it, and of which package its version is. */
  readonly title: string;
  readonly package: string;
  /** Its command in a folder with `page.js` and `index.html`; the page that it makes is in `out`. */
  readonly build: readonly [command: string, ...args: string[]];
  /** The script element for a bundler that makes no page. */
  readonly script?: string;
}

const moduleScript = '<script type="module" src="/page.js"></script>';
const minimal = (script: string) =>
  `<!doctype html><title>A page</title><link rel="icon" href="data:,">${script}`;

const bundlers: readonly Bundler[] = [
  { title: 'Vite', package: 'vite', build: ['vite', 'build', '--outDir', 'out'] },
  {
    title: 'webpack',
    package: 'webpack',
    // Its minifier takes 20 s of a processor; `esbuild, one script` minifies in each run.
    build: ['node', 'webpack.mjs', 'webpack', ...(isWhole ? [] : ['--no-minimize'])],
    script: '<script defer src="/page.js"></script>',
  },
  {
    title: 'Rspack',
    package: '@rspack/core',
    build: ['node', 'webpack.mjs', '@rspack/core'],
    script: '<script defer src="/page.js"></script>',
  },
  {
    title: 'Rollup',
    package: 'rollup',
    build: ['rollup', 'page.js', '--dir', 'out', '--plugin', 'node-resolve={browser:true}'],
    script: moduleScript,
  },
  {
    title: 'esbuild, split',
    package: 'esbuild',
    build: ['esbuild', 'page.js', '--bundle', '--minify', '--splitting', '--format=esm', '--outdir=out'],
    script: moduleScript,
  },
  {
    title: 'esbuild, one script',
    package: 'esbuild',
    build: [
      'esbuild',
      'page.js',
      '--bundle',
      '--minify',
      '--format=iife',
      '--log-override:empty-import-meta=silent',
      '--outdir=out',
    ],
    script: '<script defer src="/page.js"></script>',
  },
  {
    title: 'Parcel',
    package: 'parcel',
    build: ['parcel', 'build', 'index.html', '--dist-dir', 'out', '--no-cache'],
  },
];

/** The bundlers of `npm run test:all`, beside Next; Vite builds the frameworks and kits. */
const inShort = ['webpack', 'Rollup', 'esbuild, one script'];

/** Runs the story in a page, and checks that two workers ran and the page went on. */
async function inPage(url: string): Promise<void> {
  const page = await browser.newPage();
  const errors: string[] = [];
  let workers = 0;
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => /error|warning/.test(message.type()) && errors.push(message.text()));
  page.on('worker', () => workers++);
  try {
    await page.goto(url);
    await page.waitForFunction('window.story');
    const told = await page.evaluate<Told>(`story(${JSON.stringify(service.url)}, { durable: true })`);
    expect(errors).toEqual([]);
    expect(workers).toBe(2);
    expect(told.starved).toBeLessThan(0.75);
    await signed(told);
  } finally {
    await page.close();
  }
}

async function signed({ account, signature, head }: Told): Promise<void> {
  const signer = await recoverMessageAddress({ message: 'hello', signature });
  expect(signer.toLowerCase()).toBe(account);
  expect(head).toMatch(/^0x[0-9a-f]+$/);
}

async function serving(served: Served): Promise<void> {
  try {
    await inPage(served.url);
  } finally {
    await served.stop();
  }
}

const note = async (title: string, name: string | null, what: string, worker: string) =>
  rows.set(
    title,
    `| ${title} | ${name === null ? '' : await consumer.version(name)} | ${what} | ${worker} |`,
  );

const pageFiles = async () => ({
  'story.js': await sourceOf('story.js'),
  'page.js': `import { story } from './story.js';\nwindow.story = story;\n`,
  'index.html': minimal('<script type="module" src="./page.js"></script>'),
});

describe('bundlers', () => {
  test.each(bundlers.filter(({ title }) => isWhole || inShort.includes(title)))(
    '$title',
    async ({ title, package: name, build, script }) => {
      const [command, ...args] = build;
      const folder = await consumer.project(title.replace(/\W+/g, '-').toLowerCase(), {
        ...(await pageFiles()),
        'webpack.mjs': await sourceOf('builds/webpack.mjs'),
      });
      await consumer.run(folder, command, ...args);
      const out = join(folder, 'out');
      const html = script === undefined ? await readFile(join(out, 'index.html'), 'utf8') : minimal(script);
      await serving(await serveFiles(out, { html }));
      await note(title, name, 'builds; signs', 'yes');
    },
  );

  test('Next: rendered on the server, and run in the page', async () => {
    const folder = await consumer.project('next-story', {
      'story.js': await sourceOf('story.js'),
      'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
      'app/page.js': `
        import { checksumAddress } from 'graft-wallet';
        import { Story } from './story-page.js';
        export default () => <main><p>{checksumAddress('0x' + 'ab'.repeat(20))}</p><Story /></main>;`,
      'app/story-page.js': `
        'use client';
        import { useEffect } from 'react';
        import { story } from '../story.js';
        export function Story() {
          useEffect(() => { window.story = story; }, []);
          return <p>Rendered</p>;
        }`,
    });
    await consumer.run(folder, 'next', 'build');
    const free = await startServer(() => {});
    await free.stop();
    const next = spawn(
      join(consumer.root, 'node_modules/.bin/next'),
      ['start', '-H', '127.0.0.1', '-p', `${free.port}`],
      { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'production' } },
    );
    const ended = once(next, 'exit');
    try {
      for await (const part of next.stdout) if (String(part).includes('Ready')) break;
      const html = await (await fetch(free.url)).text();
      expect(html).toContain('<p>Rendered</p>');
      expect(html).toContain('0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB');
      await inPage(free.url);
    } finally {
      next.kill();
      await ended;
    }
    await note('Next', 'next', 'builds, renders on the server, signs', 'yes');
  });
});

describe('pages without a bundler', () => {
  test('modules with an import map', async () => {
    const at = (name: string) => `/node_modules/${name}`;
    const imports = {
      'graft-wallet': at('graft-wallet/dist/index.js'),
      'graft-kit/testing': at('graft-kit/dist/testing/index.js'),
      '@noble/hashes/': at('@noble/hashes/'),
      '@noble/secp256k1': at('@noble/secp256k1/index.js'),
      '@scure/bip39': at('@scure/bip39/index.js'),
      '@scure/bip39/': at('@scure/bip39/'),
      idb: at('idb/build/index.js'),
    };
    await consumer.project('modules', await pageFiles());
    const html = minimal(
      `<script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="/projects/modules/page.js"></script>`,
    );
    await serving(await serveFiles(consumer.root, { html }));
    await note('Modules, import map', null, 'signs', 'yes');
  });

  test('the script tag, from another origin', async () => {
    const [library, kit] = await Promise.all(
      ['graft-wallet', 'graft-kit'].map((name) =>
        serveFiles(join(consumer.root, 'node_modules', name, 'dist'), { cors: true }),
      ),
    );
    const folder = await consumer.project('script-tag', {
      // The same story, with what the page has from the script tag.
      'story.js': (await sourceOf('story.js'))
        .replace(/^import .*$/gm, '')
        .replace(
          'export async function',
          'const { createMemoryStorage, createVolatileMemory, createWallet, headless } = graft; async function',
        )
        .concat('\nwindow.story = story;\n'),
    });
    const scripts = [`${library?.url}/graft.js`, `${kit?.url}/graft-testing.js`].map(
      (url) => `<script src="${url}"></script>`,
    );
    const html = minimal(`${scripts.join('')}<script src="/story.js"></script>`);
    await serving(await serveFiles(folder, { html })).finally(() =>
      Promise.all([library?.stop(), kit?.stop()]),
    );
    await note('Script tag, another origin', null, 'signs', 'yes');
  });
});

describe('runtimes', () => {
  test.each([
    ['Node', 'node', null, ['runtime.js'], 2],
    ['Deno', 'deno', 'deno', ['run', '--allow-all', 'runtime.js'], 2],
    ['Bun', 'bun', 'bun', ['run', 'runtime.js'], 2],
  ] as const)('%s', async (title, command, name, args, workers) => {
    const folder = await consumer.project(command, {
      'story.js': await sourceOf('story.js'),
      'runtime.js': await sourceOf('runtime.js'),
    });
    const output = await consumer.run(folder, command, ...args, service.url);
    const told = JSON.parse(output.trim().split('\n').at(-1) as string) as Told & { workers: number };
    expect(told.workers).toBe(workers);
    expect(told.starved).toBeLessThan(0.75);
    await signed(told);
    await note(title, name, 'signs', 'yes');
  });
});

describe('TypeScript without skipLibCheck', () => {
  const resolutions = [
    ['node10', 'CommonJS'],
    ['node16', 'Node16'],
    ['bundler', 'ESNext'],
  ] as const;
  // `package.test.ts` type-checks a page under the other two in each run.
  test.each(resolutions.filter(([name]) => isWhole || name === 'node10'))(
    'moduleResolution %s',
    async (moduleResolution, module) => {
      const compilerOptions = {
        module,
        moduleResolution,
        target: 'ES2022',
        lib: ['ES2022', 'DOM'],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      };
      const folder = await consumer.project(`types-${moduleResolution}`, {
        'types.ts': await sourceOf('builds/types.ts'),
        'tsconfig.json': JSON.stringify({ compilerOptions, files: ['types.ts'] }),
      });
      await consumer.run(folder, 'tsc', '-p', '.');
      await note(
        `TypeScript, ${moduleResolution}`,
        'typescript',
        'type-checks with `skipLibCheck: false`',
        '',
      );
    },
  );
});

test('the rows of docs/compatibility.md are those of this run', () => expectRows(rows));
