import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';
import { documents, readBlocks } from '../../support/docs/blocks.js';
import { serveFiles } from '../../support/serve.js';

/** Pages of the documents, with the files of the package beside them. */
let built: Built;
let browser: Browser;
beforeAll(async () => {
  built = await buildPackage();
  browser = await launchChromium();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await built?.stop();
});

const pages = documents()
  .flatMap(readBlocks)
  .filter(({ language }) => language === 'html');

test.each(pages.map((block) => [`${block.path}:${block.line}`, block] as const))(
  '%s has the wallet when it has loaded, and asks within a click',
  async (_, { code }) => {
    const files = new Map((await built.scriptTag()).map(({ name, body }) => [name, body]));
    const hash = createHash('sha384')
      .update(files.get('graft.js') as string)
      .digest('base64');
    const html = `<!doctype html>${code.replace('sha384-…', `sha384-${hash}`)}`;
    const served = await serveFiles(dirname(fileURLToPath(built.entry)), { html });
    const page = await browser.newPage({ viewport: { width: 390, height: 844 }, isMobile: true });
    // The site of files in the documents, on another origin than the page.
    await page.route('https://cdn.example/graft-wallet@*/dist/*', (route) =>
      route.fulfill({
        body: files.get(basename(route.request().url())) ?? '',
        contentType: 'text/javascript',
        headers: { 'access-control-allow-origin': '*' },
      }),
    );
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    try {
      await page.goto(served.url);
      await page.waitForFunction('window.graft');
      expect(await page.evaluate('window.graft.provider === window.ethereum')).toBe(true);
      if (code.includes('id="pay"')) {
        await page.locator('#pay').click();
        await page.locator('[data-graft="onboarding"]').waitFor({ state: 'attached' });
        // With a hash in it the page still fits a phone.
        await page.locator('#result').evaluate((result) => {
          result.textContent = `0x${'a'.repeat(64)}`;
        });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      }
      expect(errors).toEqual([]);
    } finally {
      await page.close();
      await served.stop();
    }
  },
  60_000,
);

test('there is a page for each script of the package', () => {
  const sources = pages.flatMap(({ code }) => [...code.matchAll(/<script src="([\w-]+\.js)"/g)]);
  expect(new Set(sources.map(([, name]) => name))).toEqual(new Set(['graft.js', 'graft-bridge.js']));
});
