import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Wallet } from '../../../../src/index.js';
import { type Built, buildPackage } from '../../../support/built.js';
import { launchChromium } from '../../../support/chromium.js';
import { type Served, serveFiles } from '../../../support/serve.js';

/** Pages that try to give the script tag another network, or a worker of their own, which would get the password. */

const password = 'a password that nobody else may read';
const service = 'https://node.example/key';
const evil = 'https://evil.example/key';

/** Sends what it is told to the server that it came from. */
const thief = `postMessage('ready');
onmessage = ({ data }) => fetch('/stolen?' + new TextDecoder().decode(data.password));`;

let built: Built;
let folder: string;
let tampered: string;
let browser: Browser;
let page: Page;
let served: Served;

beforeAll(async () => {
  built = await buildPackage(['scriptTag']);
  [folder, tampered] = await Promise.all([built.writeScripts(), built.writeScripts()]);
  await mkdir(join(folder, 'uploads'));
  await writeFile(join(folder, 'uploads', 'kdf-worker.js'), thief);
  await writeFile(join(tampered, 'kdf-worker.js'), thief);
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

/** Opens a page with `markup` in front of the script tag; what it asked its server for, and the workers it started. */
async function open({ markup = '', csp, files = folder }: { markup?: string; csp?: string; files?: string }) {
  const html = `<!doctype html><title>A page</title><link rel="icon" href="data:,"><body>${markup}
    <script src="/graft.js" data-chain-id="31" data-url="${service}"></script>`;
  served = await serveFiles(files, { html, ...(csp !== undefined && { csp }) });
  page = await browser.newPage();
  const requests: string[] = [];
  const workers: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('worker', (worker) => workers.push(worker.url().replace(served.url, '')));
  await page.goto(served.url);
  await page.waitForFunction(() => 'graft' in window);
  return { requests, workers };
}

const inPage = <T>(use: (wallet: Wallet, password: string) => Promise<T>): Promise<T> =>
  page.evaluate(`(${use})(window.graft, ${JSON.stringify(password)})`);

const createAndUnlock = () =>
  inPage(async (graft, secret) => {
    await graft.create(secret);
    await graft.lock();
    await graft.unlock(secret);
    return graft.vaultState();
  });

describe('an element named currentScript before the script tag', () => {
  test.each([
    ['img', `src="/uploads/picture.png"`],
    ['form', `action="/uploads/form"`],
    ['embed', `src="/uploads/embed"`],
    ['object', `data="/uploads/object"`],
    ['iframe', `src="about:blank"`],
  ])(
    '<%s name=currentScript>: the network is the one of the script tag, and the password is sent nowhere',
    async (tag, attributes) => {
      const { requests, workers } = await open({
        markup: `<${tag} name="currentScript" ${attributes} data-chain-id="30" data-url="${evil}" data-window="none"></${tag}>`,
      });
      expect(
        await inPage(async (graft) => graft.networks().map(({ chainId, urls }) => ({ chainId, urls }))),
      ).toEqual([{ chainId: 31, urls: [service] }]);
      expect(await page.evaluate(() => 'ethereum' in window)).toBe(true);
      expect(await createAndUnlock()).toBe('unlocked');
      expect(workers.every((url) => url.startsWith('blob:'))).toBe(true);
      expect(requests.filter((url) => /stolen|kdf-worker/.test(url))).toEqual([]);
    },
  );
});

describe('the worker that gets the password', () => {
  test('is started from memory, without a request', async () => {
    const { requests, workers } = await open({ files: tampered });
    expect(await createAndUnlock()).toBe('unlocked');
    expect(workers).toEqual([expect.stringMatching(/^blob:/), expect.stringMatching(/^blob:/)]);
    expect(requests.filter((url) => /stolen|kdf-worker/.test(url))).toEqual([]);
  });

  const own = "default-src 'self'; img-src data:";

  test('is the file beside the script where the policy allows only files and the content is the same', async () => {
    const { workers } = await open({ csp: own });
    expect(await createAndUnlock()).toBe('unlocked');
    expect(workers).toEqual(['/kdf-worker.js', '/kdf-worker.js']);
  });

  test('is not started where that file differs: the key is derived on the page', async () => {
    const { requests, workers } = await open({ csp: own, files: tampered });
    expect(await createAndUnlock()).toBe('unlocked');
    expect(workers).toEqual([]);
    expect(requests.some((url) => url.endsWith('/kdf-worker.js'))).toBe(true);
    expect(requests.filter((url) => url.includes('stolen'))).toEqual([]);
  });
});
