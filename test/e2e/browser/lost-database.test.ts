import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { type Served, servePage } from '../../support/serve.js';
import type { LostDatabasePage } from './lost-database-page.js';

/** A browser that closes the database by force, and aborts what is open before it says that the connection is closed. */

let served: Served;
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  const html =
    '<!doctype html><title>Database</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/lost-database-page.ts"></script>';
  [served, browser] = await Promise.all([servePage({ html }), launchChromium()]);
  page = await browser.newPage();
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(served.url);
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

const inPage = <T>(run: (page: LostDatabasePage) => T) =>
  page.evaluate(`(${run})(window.page)`) as Promise<Awaited<T>>;

test('reads and writes go on while Chromium closes the database again and again', async () => {
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(served.url);
  for (let lost = 0; lost < 8; lost++) {
    const before = await inPage((each) => each.done());
    // Each is in use again before it is lost.
    await expect.poll(() => inPage((each) => each.done())).toBeGreaterThan(before + 8);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
  }
  expect(await inPage((each) => each.end())).toEqual([]);
  expect(problems).toEqual([]);
});
