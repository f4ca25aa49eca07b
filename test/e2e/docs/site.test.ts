import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService } from '../../../packages/kit/src/local/index.js';
import { launchChromium } from '../../support/chromium.js';
import { writeReference } from '../../support/docs/write-reference.js';
import { serveFiles } from '../../support/serve.js';

/** The site of the documentation, as `npm run docs build` makes it. A link to a page that is not there fails the build. */
let folder = '';
let pages: Map<string, string>;
let printed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graft-docs-'));
  await writeReference();
  const cli = 'node_modules/vitepress/bin/vitepress.js';
  const args = [cli, 'build', 'docs', '--outDir', folder];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  printed = stdout + stderr;
  const files = await readdir(folder, { recursive: true });
  const paths = files.filter((path) => path.endsWith('.html')).map((path) => path.replaceAll('\\', '/'));
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  pages = new Map(paths.map((path, at) => [`/${path}`, texts[at] as string]));
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('its build prints no error and no stack trace', () => {
  expect(printed).toContain('build complete');
  expect(printed).not.toMatch(/fail|error|^\s+at /im);
});

test('has a page for each document, and none that its menu does not lead to', () => {
  const menu = linksOf('/contents.html', pages.get('/contents.html') as string).map(({ path }) => path);
  const isGuide = (path: string) => /^\/(guides|start)\//.test(path);
  const guides = [...pages.keys()].filter(isGuide);
  expect(guides.length).toBeGreaterThan(15);
  expect([...new Set(menu.filter(isGuide))].sort()).toEqual(guides.sort());
});

test('begins with the line that installs the package, a picture, and the demo', () => {
  const first = pages.get('/index.html') as string;
  expect(first.replace(/<[^>]+>/g, '')).toContain('npm install graft-wallet');
  expect(first).toMatch(/<img\b[^>]*src="[^"]*demo\.[\w-]*\.?png"/);
  expect(linksOf('/index.html', first).map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/demo/index.html', '/guides/getting-started.html', '/contents.html']),
  );
});

test('the list of documents has each guide and quick start', () => {
  const [, main = ''] = (pages.get('/contents.html') as string).split('<main');
  const listed = linksOf('/contents.html', main).map(({ path }) => path);
  const guides = [...pages.keys()].filter((path) => /^\/(guides|start)\//.test(path));
  expect(guides.filter((path) => !listed.includes(path))).toEqual([]);
});

test('every link leads to a page and a heading of it', () => {
  const links = [...pages]
    .filter(([path]) => isDocument(path))
    .flatMap(([from, text]) => linksOf(from, text).map((link) => ({ from, ...link })));
  expect(links.filter(({ anchor }) => anchor !== '').length).toBeGreaterThan(500);
  const wrong = links
    .filter(({ path, anchor }) => {
      const page = pages.get(path);
      return page === undefined || (anchor !== '' && !page.includes(` id="${anchor}"`));
    })
    .map(({ from, path, anchor }) => `${from} links to ${path}#${anchor}`);
  expect([...new Set(wrong)]).toEqual([]);
});

test('each page is there as Markdown too, in a list for programs with a sentence each, and its links lead to such files', async () => {
  const list = await readFile(join(folder, 'llms.txt'), 'utf8');
  const listed = Array.from(
    list.matchAll(/^- \[.+\]\(\/(\S+\.md)\): [\w`].{10,}\.$/gm),
    ([, path = '']) => path,
  );
  const expected = [...pages.keys()].filter(isDocument).map((path) => path.slice(1));
  expect(listed.map((path) => path.replace(/\.md$/, '.html')).sort()).toEqual(expected.sort());
  for (const from of listed) {
    const text = (await readFile(join(folder, from), 'utf8')).replace(/^```[\s\S]*?^```$/gm, '');
    for (const [, path = ''] of text.matchAll(/\]\((?!\w+:|\/)([^)#]+\.md)/g))
      expect(listed, `${from} links to ${path}`).toContain(
        posix.resolve('/', posix.dirname(from), path).slice(1),
      );
  }
});

test('declarations of the reference link to the types that they name', () => {
  const blocks = [...pages]
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([, text]) => text.match(/<pre\b[\s\S]*?<\/pre>/g) ?? []);
  const [first = ''] = (pages.get('/api/create-wallet.html') as string).match(/<pre\b[\s\S]*?<\/pre>/) ?? [];
  expect(first.replace(/<(?!\/?a\b)[^>]*>| style="[^"]*"/g, '')).toBe(
    'function createWallet(given: <a href="/api/create-wallet.html#createwalletoptions">createWallet.Options</a>): <a href="/api/wallet.html#wallet">Wallet</a>',
  );
  expect(blocks.filter((block) => /<a\b[^>]*\shref="\/api\//.test(block)).length).toBeGreaterThan(150);
});

test('a reader finds a page by a word of it, and nothing is loaded from elsewhere', async () => {
  const served = await serveFiles(folder, { html: pages.get('/index.html') as string });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const elsewhere: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => request.url().startsWith(served.url) || elsewhere.push(request.url()));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(served.url);
    await page.locator('.VPNavBarSearch button').first().click();
    await page.locator('#localsearch-input').fill('burner-connector');
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    const found = await page.locator('.VPLocalSearchBox .result').allInnerTexts();
    expect(found.join('\n')).toContain('From burner-connector');
    expect({ elsewhere: elsewhere.filter((url) => /^https?:/.test(url)), errors }).toEqual({
      elsewhere: [],
      errors: [],
    });
  } finally {
    await browser.close();
    await served.stop();
  }
}, 120_000);

test('the demo on the site shows the testnet, through its public node', async () => {
  const service = await createLocalService({ chainId: 31 });
  const served = await serveFiles(folder, { html: pages.get('/index.html') as string });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    // The public node of the testnet, played by the local service.
    await page.route('https://public-node.testnet.rsk.co/', async (route) => {
      const response = await route.fetch({ url: service.url });
      const headers = { ...response.headers(), 'access-control-allow-origin': '*' };
      await route.fulfill({ response, headers });
    });
    await page.goto(served.url);
    await page.getByRole('link', { name: 'Try the demo' }).click();
    await page.locator('#network-block', { hasText: /^\d/ }).waitFor();
    expect(await page.locator('#network-name').textContent()).toBe('Rootstock Testnet');
    expect(errors).toEqual([]);
    // The page goes on asking until it is closed.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  } finally {
    await browser.close();
    await served.stop();
    await service.close();
  }
}, 120_000);

/** Whether a page is one of the documents, and not of the demo. */
const isDocument = (path: string): boolean => path !== '/404.html' && !path.startsWith('/demo/');

/** The links of a page within the site. */
function linksOf(from: string, text: string): { readonly path: string; readonly anchor: string }[] {
  return [...text.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)]
    .map(([, href = '']) => href)
    .filter((href) => !/^[a-z]+:/.test(href))
    .map((href) => {
      const [path = '', anchor = ''] = href.split('#');
      const absolute = path === '' ? from : posix.resolve(posix.dirname(from), path);
      const page = /\.\w+$/.test(absolute) ? absolute : posix.join(absolute, 'index.html');
      return { path: page, anchor: decodeURIComponent(anchor) };
    });
}
