import { readFile } from 'node:fs/promises';
import { readSettings, type WalletOptions } from './settings.js';

/**
 * The script that puts a wallet into a page, to run before the scripts of the page, for a tool other than Playwright. The
 * page needs the function `channelName` of a `createChannel` (`graft-kit/testing`).
 *
 * @throws Error for an option that is wrong, or if the package is not built
 *
 * @example
 * import { pageScript } from 'graft-kit/playwright/library';
 * import puppeteer from 'puppeteer-core';
 *
 * const browser = await puppeteer.launch({ channel: 'chrome' });
 * const page = await browser.newPage();
 * await page.evaluateOnNewDocument(await pageScript({ chain }));
 */
export async function pageScript(options: WalletOptions): Promise<string> {
  const settings = readSettings(options);
  const program = await readFile(new URL('../testing/page.js', import.meta.url), 'utf8');
  return `(() => { ${program}\n;graftTestPage.install(${JSON.stringify(settings)}); })();`;
}
