import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as exports from '../../../src/index.js';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, serveFiles } from '../../support/serve.js';

/** A page with nothing but the script tag: its button, and the panel that opens from it. */

let built: Built;
let folder: string;
let browser: Browser;
let page: Page;
let served: Served;
let errors: string[];

beforeAll(async () => {
  built = await buildPackage(['scriptTag', 'testingTag', 'bridgeTag']);
  folder = await built.writeScripts();
  browser = await launchChromium();
});

afterEach(async () => {
  await page?.close();
  await served?.stop();
});

afterAll(async () => {
  await browser?.close();
  await built?.stop();
});

async function open(attributes: string, place: 'head' | 'body' = 'body'): Promise<void> {
  const script = `<script src="/graft.js" data-chain-id="33" data-url="http://127.0.0.1:1/key" ${attributes}></script>`;
  const html = `<!doctype html><html lang="en"><head><title>A page</title><link rel="icon" href="data:,">
    ${place === 'head' ? script : ''}</head><body><p>Text</p>${place === 'body' ? script : ''}</body></html>`;
  served = await serveFiles(folder, { html });
  page = await browser.newPage({ viewport: { width: 400, height: 700 } });
  errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await openShadows(page);
  await page.goto(served.url);
}

const panel = () => page.locator('dialog section.panel');
const focused = () =>
  page.evaluate(() => {
    const host = document.activeElement;
    return [host?.getAttribute('data-graft'), host?.shadowRoot?.activeElement?.textContent];
  });

describe('data-button', () => {
  test.each(['head', 'body'] as const)(
    'shows a button that opens the panel (script in the %s)',
    async (place) => {
      await open('data-button', place);
      const button = page.getByRole('button', { name: 'Wallet' });
      const box = await button.boundingBox();
      expect(box && { right: box.x + box.width > 380, low: box.y + box.height > 670 }).toEqual({
        right: true,
        low: true,
      });
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);

      await button.focus();
      await page.keyboard.press('Enter');
      await panel().getByRole('button', { name: 'Create a wallet' }).waitFor();
      await page.keyboard.press('Escape');
      await panel().waitFor({ state: 'detached' });
      expect(await focused()).toEqual(['button', 'Wallet']);
      await button.click();
      await panel().waitFor();
      expect(errors).toEqual([]);
    },
  );

  test('stands at the other side, in the language and the colours of the script tag', async () => {
    await open('data-button="start" data-language="es" data-theme="dark"');
    const button = page.getByRole('button', { name: 'Billetera' });
    expect((await button.boundingBox())?.x).toBeLessThan(20);
    await button.click();
    await panel().getByRole('button', { name: 'Crear una billetera' }).waitFor();
    expect(await panel().getAttribute('lang')).toBe('es');
    const [red] = await panel().evaluate((element) =>
      (getComputedStyle(element.closest('dialog') as Element).backgroundColor.match(/\d+/g) ?? []).map(
        Number,
      ),
    );
    expect(red).toBeLessThan(60);
  });

  test('a page without it has no button, and graft.open() opens the panel in the same colours', async () => {
    await open('data-language="pt"');
    expect(await page.locator('[data-graft]').count()).toBe(0);
    await page.evaluate(() => void (window as unknown as { graft: exports.Wallet }).graft.open());
    await panel().getByRole('button', { name: 'Criar uma carteira' }).waitFor();
  });

  test('another value is refused by name', async () => {
    await open('data-button="left"');
    expect(errors).toEqual(['graft.js: data-button is "left"; it may be none, end, start, ']);
  });
});

describe('data-push', () => {
  test('names the WebSocket that reports new blocks', async () => {
    await open('data-push="ws://127.0.0.1:1/heads"');
    const socket = page.waitForEvent('websocket');
    await page.evaluate(() => {
      const { provider } = (window as unknown as { graft: exports.Wallet }).graft;
      provider.request({ method: 'eth_subscribe', params: ['newHeads'] }).catch(() => {});
    });
    expect((await socket).url()).toBe('ws://127.0.0.1:1/heads');
    expect(errors).toEqual([]);
  });

  test('is refused by name where it is no WebSocket', async () => {
    await open('data-push="https://127.0.0.1:1/heads"');
    expect(errors).toEqual([expect.stringContaining('networks[0].push')]);
  });
});

/** A page with these scripts from a server of another origin, each with its integrity. Resolves once they have run. */
async function openFrom(files: string, scripts: readonly string[], policy?: string): Promise<Served> {
  const library = await serveFiles(files, { cors: true });
  const elements = scripts.map(async (script) => {
    const [name = '', ...attributes] = script.split(' ');
    const hash = createHash('sha384')
      .update(await readFile(join(folder, name)))
      .digest('base64');
    const integrity = `integrity="sha384-${hash}" crossorigin="anonymous"`;
    return `<script src="${library.url}/${name}" ${integrity} ${attributes.join(' ')}></script>`;
  });
  const html = `<!doctype html><title>A page</title><link rel="icon" href="data:,"><body>${(await Promise.all(elements)).join('')}`;
  const csp = policy?.replaceAll('LIBRARY', library.url);
  served = await serveFiles(folder, { html, ...(csp !== undefined && { csp }) });
  page = await browser.newPage();
  errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(served.url);
  return library;
}

/** All files, with more code in one of them. */
async function tamperWith(name: string): Promise<string> {
  const tampered = await built.writeScripts();
  const code = await readFile(join(folder, name), 'utf8');
  await writeFile(join(tampered, name), `${code};globalThis.stolen = true;`);
  return tampered;
}

const inPage = <T>(code: string): Promise<T> => page.evaluate(`(async () => { ${code} })()`);
const notLoaded =
  '-32002 A part of the wallet did not load: reload the page. Its files must be of one version, and allowed by the page.';
const tag = 'graft.js data-chain-id="31" data-url="https://node.example/key"';

describe('where a page cannot load modules at all', () => {
  /** The words of a read that the shell cannot answer, and those of the console. */
  async function readAt(url: string, frame = false): Promise<readonly string[]> {
    page = await browser.newPage();
    const failure = page.waitForEvent('pageerror');
    await page.goto(url);
    const place = frame ? (page.frames()[1] as Frame) : page;
    await place.waitForFunction('document.readyState === "complete"');
    const read = await place.evaluate(
      'ethereum.request({ method: "eth_blockNumber" }).catch(({ code, message, cause }) => [code, message, cause?.name].join(" "))',
    );
    return [read as string, (await failure).message];
  }

  test('a page opened as a file says that it must be served, in the console for the button too', async () => {
    const name = 'opened.html';
    await writeFile(
      join(folder, name),
      `<!doctype html><title>A page</title><body><script src=${tag} data-button></script>`,
    );
    const [read, console] = await readAt(pathToFileURL(join(folder, name)).href);
    expect(read).toMatch(/^-32002 .*opened as a file.* TypeError$/);
    expect(console).toMatch(/opened as a file/);
  });

  test('a sandboxed frame says which permission it lacks', async () => {
    // Relative URLs of such a frame are those of the page.
    const frame = `<iframe sandbox="allow-scripts" srcdoc='<script src=${tag} data-button></script>'></iframe>`;
    served = await serveFiles(folder, { html: `<!doctype html><title>A page</title><body>${frame}` });
    const [read, console] = await readAt(served.url, true);
    expect(read).toMatch(/^-32002 .*allow-same-origin.* TypeError$/);
    expect(console).toMatch(/allow-same-origin/);
  });
});

describe('where a file does not load', () => {
  const lose = (name: string) => page.route(`**/${name}`, (route) => route.abort());

  test('a question that could not be shown is no refusal by the person', async () => {
    await open('');
    await lose('graft-dialog.js');
    const outcome = await inPage(
      'return ethereum.request({ method: "eth_requestAccounts" }).catch(({ code, message }) => code + " " + message);',
    );
    expect(outcome).toBe(notLoaded);
  });

  test('the panel does not offer a new wallet to a person who has one', async () => {
    await open('data-button');
    await inPage('await graft.create("a password");');
    await lose('graft-core.js');
    await page.reload();
    await page.getByRole('button', { name: 'Wallet' }).click();
    await panel()
      .getByText('The wallet couldn’t be opened, and nothing was changed. Reload the page.')
      .waitFor();
    expect(await panel().getByRole('button', { name: 'Create a wallet' }).count()).toBe(0);
  });

  test('the button says that the panel did not load', async () => {
    await open('data-button');
    await lose('graft-panel-en.js');
    await page.getByRole('button', { name: 'Wallet' }).click();
    await page.getByRole('button', { name: 'Not loaded. Reload the page.' }).waitFor();
    expect(await inPage('return graft.open().catch(({ code }) => code);')).toBe(-32002);
    expect(errors).toEqual([]);
  });
});

describe('from another origin, with integrity', () => {
  test('the wallet works under a policy that names that origin', async () => {
    const library = await openFrom(folder, [tag], "script-src LIBRARY; worker-src blob:; connect-src 'none'");
    expect(
      await inPage(
        'await graft.create("a password"); await graft.lock(); await graft.unlock("a password"); return graft.vaultState();',
      ),
    ).toBe('unlocked');
    expect(errors).toEqual([]);
    await library.stop();
  });

  test.each(['graft-core.js', 'graft-core-errors.js', 'graft-files.js'])(
    'nothing runs once %s differs from that of the build',
    async (name) => {
      const tampered = await tamperWith(name);
      const library = await openFrom(tampered, [tag]);
      const outcome = await inPage(
        'return graft.create("a password").then(() => "created", ({ code, message }) => code + " " + message);',
      );
      expect(outcome).toBe(notLoaded);
      expect(await inPage('return "stolen" in window;')).toBe(false);
      await library.stop();
    },
  );
});

describe('graft-bridge.js from another origin, with integrity', () => {
  const bridge = 'graft-bridge.js data-wallet="https://wallet.example.com"';

  test('loads the frame of the wallet under a policy that names both origins', async () => {
    const library = await openFrom(
      folder,
      [bridge],
      "default-src 'none'; script-src LIBRARY; frame-src https://wallet.example.com",
    );
    await expect.poll(() => page.frames().length).toBe(2);
    expect(errors).toEqual([]);
    await library.stop();
  });

  test.each(['graft-bridge-remote.js', 'graft-bridge-files.js'])(
    'nothing runs once %s differs from that of the build',
    async (name) => {
      const tampered = await tamperWith(name);
      const library = await openFrom(tampered, [bridge]);
      const outcome = await inPage(
        `return graft.provider.request({ method: 'eth_requestAccounts' }).then(String, ({ code, message }) => code + ' ' + message);`,
      );
      expect(outcome).toBe(notLoaded);
      expect(await inPage('return "stolen" in window;')).toBe(false);
      expect(page.frames()).toHaveLength(1);
      await library.stop();
    },
  );
});

describe('window.graft', () => {
  test('has what the package exports: at once what makes a wallet, and all of it from graft.module()', async () => {
    const library = await openFrom(folder, ['graft.js']);
    const [atOnce, later] = await inPage<[string[], string[]]>(
      'return [Object.keys(graft), Object.keys(await graft.module())];',
    );
    const exported = Object.keys(exports);
    expect(later.sort()).toEqual(exported.sort());
    expect(exported.filter((name) => !atOnce.includes(name))).toEqual([
      'abiCalls',
      'announce',
      'checksumAddress',
      'clearSigning',
      'createMemoryStorage',
      'createVolatileMemory',
      'mergeDescriptors',
      'solidityErrors',
    ]);
    expect(
      await inPage(`const { abiCalls, checksumAddress } = await graft.module();
        let isOurs;
        try { abiCalls(['nothing']); } catch (error) { isOurs = graft.isProviderRpcError(error); }
        return [isOurs, checksumAddress('0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 30)];`),
    ).toEqual([true, exports.checksumAddress('0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', 30)]);
    expect(errors).toEqual([]);
    await library.stop();
  });

  test('is the first wallet, also where the script is there twice', async () => {
    const library = await openFrom(folder, [tag, tag.replace('31', '30')]);
    expect(await inPage('return graft.provider.request({ method: "eth_chainId" });')).toBe('0x1f');
    expect(errors).toEqual([]);
    await library.stop();
  });

  test('without attributes it has the functions only; graft-testing.js adds headless() and what keeps a wallet in memory', async () => {
    const library = await openFrom(folder, ['graft.js', 'graft-testing.js']);
    const names = await inPage<string[]>('return Object.keys(graft).sort();');
    expect(names).toEqual([
      'ProviderRpcError',
      'createMemoryStorage',
      'createVolatileMemory',
      'createWallet',
      'errorCode',
      'headless',
      'isProviderRpcError',
      'module',
    ]);
    const accounts = await inPage<string[]>(`
      const networks = [{ chainId: 31, url: 'https://node.example/key' }];
      const wallet = graft.createWallet({ networks, approver: () => graft.headless() });
      await wallet.create('a password');
      return wallet.provider.request({ method: 'eth_requestAccounts' });`);
    expect(accounts).toEqual([expect.stringMatching(/^0x[0-9a-f]{40}$/)]);
    expect(errors).toEqual([]);
    await library.stop();
  });

  test('graft-testing.js alone says what is missing', async () => {
    const library = await openFrom(folder, ['graft-testing.js']);
    expect(errors).toEqual(['graft-testing.js: load graft.js before it']);
    await library.stop();
  });
});
