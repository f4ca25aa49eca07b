import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';
import { type Served, serveFiles } from '../../support/serve.js';

/** From where the worker that stretches the password starts, under the policies that pages have. */

let built: Built;
let folder: string;
let browser: Browser;
let page: Page;
let served: Served;

beforeAll(async () => {
  [built, browser] = await Promise.all([buildPackage(['scriptTag']), launchChromium()]);
  folder = await built.writeScripts();
  const worker = await built.read('kdf-worker.js');
  await rm(join(folder, 'kdf-worker.js'));
  await writeFile(join(folder, 'own-worker.js'), worker);
  await writeFile(join(folder, 'old-worker.js'), `${worker}\n`);
});

afterEach(async () => {
  await page?.close();
  await served?.stop();
});

afterAll(async () => {
  await browser?.close();
  await built?.stop();
});

/** Creates and unlocks a wallet: two derivations. Of the unlock: the longest times without a timer and without a frame, as parts of it. */
async function unlock(csp: string, attributes = '') {
  const html = `<!doctype html><title>A page</title><link rel="icon" href="data:,"><body>
    <script src="/graft.js" data-chain-id="31" data-url="https://node.example/key" ${attributes}></script>`;
  served = await serveFiles(folder, { html, csp });
  page = await browser.newPage();
  const workers: string[] = [];
  const said: string[] = [];
  page.on('worker', (worker) =>
    workers.push(
      worker
        .url()
        .replace(served.url, '')
        .replace(/^blob:.*/, 'blob:'),
    ),
  );
  page.on('console', (message) => said.push(message.text()));
  await page.goto(served.url);
  await page.waitForFunction(() => 'graft' in window);
  const gaps = await page.evaluate(`(async () => {
    const gaps = { timer: 0, frame: 0 };
    const watch = (kind, next) => {
      const since = performance.now();
      next(() => {
        gaps[kind] = Math.max(gaps[kind], performance.now() - since);
        watch(kind, next);
      });
    };
    await graft.create('a password');
    await graft.lock();
    const start = performance.now();
    watch('timer', setTimeout);
    watch('frame', requestAnimationFrame);
    await graft.unlock('a password');
    const took = performance.now() - start;
    return { timer: gaps.timer / took, frame: gaps.frame / took };
  })()`);
  return { workers, said, gaps: gaps as { readonly timer: number; readonly frame: number } };
}

const strict = "default-src 'self'; img-src data:";

test('a blob, where the policy allows it; the page goes on meanwhile', async () => {
  const { workers, said, gaps } = await unlock(`${strict}; worker-src blob:`);
  expect({ workers, said }).toEqual({ workers: ['blob:', 'blob:'], said: [] });
  expect(gaps.timer).toBeLessThan(0.75);
});

test('the file that data-worker-url names, before any blob that the policy would report', async () => {
  const { workers, said } = await unlock(strict, 'data-worker-url="own-worker.js"');
  expect({ workers, said }).toEqual({ workers: ['/own-worker.js', '/own-worker.js'], said: [] });
});

test('the named file runs under Trusted Types, by the policy graft', async () => {
  const types = "require-trusted-types-for 'script'; trusted-types graft";
  const { workers, said } = await unlock(`${strict}; ${types}`, 'data-worker-url="/own-worker.js"');
  expect({ workers, said }).toEqual({ workers: ['/own-worker.js', '/own-worker.js'], said: [] });
});

test('a file of another version is not used, but the blob', async () => {
  const { workers, said } = await unlock(`${strict}; worker-src blob:`, 'data-worker-url="/old-worker.js"');
  expect({ workers, said }).toEqual({ workers: ['blob:', 'blob:'], said: [] });
});

test('where none starts, the page is warned once, and still draws while the password is stretched', async () => {
  const { workers, said, gaps } = await unlock(`${strict}; worker-src 'none'`);
  const warnings = said.filter((text) => text.startsWith('graft-wallet:'));
  expect(workers).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(/no worker starts on this page.*worker-src.*workerUrl/)]);
  expect(gaps.frame).toBeLessThan(0.75);
});
