import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Provider } from '../../../src/index.js';
import { checkSite } from '../../../src/site/check.js';
import { launchChromium } from '../../support/chromium.js';
import { type Demo, startDemo } from '../../support/demo.js';
import { openDialog } from '../../support/dialog-driver.js';
import { walletWindow } from '../../support/wallet-window.js';

/** The switch of the demo between a wallet in the page and one on its own site, both of which `npm start` serves. */

const password = 'a password nobody else has';

let demo: Demo;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), launchChromium()]);
  page = await browser.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
});

afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

const port = () => new URL(demo.url).port;
const current = () => page.locator('#places a[aria-current=page]').textContent();
const note = () => page.locator('#place-note').textContent();

/** A click opens a window for 5 s at most, and the first answers of a development server may take longer. */
const walletAnswers = () =>
  page.evaluate(
    () =>
      new Promise<unknown>((resolve) => {
        addEventListener('eip6963:announceProvider', (event) => {
          const { provider } = (event as unknown as { detail: { provider: Provider } }).detail;
          resolve(provider.request({ method: 'eth_accounts' }));
        });
        dispatchEvent(new Event('eip6963:requestProvider'));
      }),
  );

test('the same dapp works with a wallet in the page and one on its own site', async () => {
  await page.goto(demo.url);
  expect(await current()).toBe('In this page');
  expect(await note()).toBe('The wallet shares this page, so any script of the page could take its keys.');
  expect(await page.locator('#panel').isVisible()).toBe(true);

  await page.click('#place-own-site');
  await page.waitForURL(`http://app.site.localhost:${port()}/?wallet=own-site`);
  expect(await current()).toBe('On its own site');
  expect(await note()).toContain('it cannot take them or answer for you');
  expect(await page.locator('#panel').isVisible()).toBe(false);

  await walletAnswers();
  const [window] = await Promise.all([walletWindow(page.context()), page.click('.wallet-choice')]);
  expect(new URL(window.url()).host).toBe(`wallet.site.localhost:${port()}`);
  const setup = await openDialog(window, { kind: 'onboarding' });
  await setup.click('Create a wallet');
  await setup.fill('New password', password);
  await setup.fill('Repeat the password', password);
  await setup.click('Create the wallet');
  await setup.click('Later');
  const connect = await openDialog(window, { kind: 'connect' });
  expect(await connect.text()).toContain('app.site.localhost');
  await connect.click('Connect');
  await page.locator('#step-connect[data-done]').waitFor();
  await page.click('#faucet');
  await page.locator('#dapp-balance', { hasText: '10 tRBTC' }).waitFor();
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('graft'))),
  ).toEqual([]);

  await page.click('#place-page');
  await page.waitForURL(`http://app.site.localhost:${port()}/`);
  expect(await current()).toBe('In this page');
  await page.locator('#panel').waitFor();
  expect(complaints).toEqual([]);
});

// Last: the first answers of a development server may take longer than a check waits.
test('the development server sends the headers of a deployment, and is no app, since it has no release', async () => {
  const findings = await checkSite(`http://wallet.site.localhost:${port()}`);
  expect(findings.map(({ path, problem }) => `${path} ${problem}`)).toEqual([
    '/sw.js missing',
    '/release.json missing',
  ]);
});
