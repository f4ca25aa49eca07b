import type { Browser, BrowserContext, Page } from 'playwright-core';
import { recoverMessageAddress } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type BridgeSite, startBridgeSite } from '../../support/bridge-site.js';
import { launchPlainChromium } from '../../support/chromium.js';
import { openDialog } from '../../support/dialog-driver.js';
import { until } from '../../support/until.js';
import { walletWindow } from '../../support/wallet-window.js';
import type { BridgeAppPage } from './bridge-app-page.js';
import type { BridgeWalletPage } from './bridge-wallet-page.js';
import { newerApis } from './newer-apis.js';

/**
 * The wallet without what it uses only where a browser has it, and what one of Chrome 109, Firefox 115 and Safari 16.4 lacks.
 * That it uses nothing else which they lack is shown by `test/e2e/package/floor.test.ts`.
 */

const mnemonic = 'test test test test test test test test test test test junk';
const password = 'Tr0ub4dor and a horse';

let site: BridgeSite;
let browser: Browser;
let context: BrowserContext;
/** Of the pages of one test. */
let errors: string[];

beforeAll(async () => {
  [site, browser] = await Promise.all([startBridgeSite(), launchPlainChromium()]);
});
afterEach(() => context?.close());
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

/** From here on pages do not find these members of the window. */
async function remove(...members: readonly string[]): Promise<void> {
  errors = [];
  context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(30_000);
  await context.addInitScript((paths) => {
    for (const path of paths) {
      const names = path.split('.');
      const last = names.pop() as string;
      const holder = names.reduce<object>((object, name) => Reflect.get(object, name), window);
      // What Chromium has not, or does not let go, would show nothing.
      if (!(last in holder) || !Reflect.deleteProperty(holder, last) || last in holder)
        throw new Error(`${path} cannot be taken away.`);
    }
  }, members);
}

async function visit(url: string): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  await page.waitForFunction(() => 'page' in window);
  return page;
}

/** Makes a wallet on the wallet's own site. */
const importWallet = (page: Page) =>
  page.evaluate(
    async ([phrase, secret]) => {
      const wallet = (window as never as { page: BridgeWalletPage }).page.make({});
      return (await wallet.importMnemonic(phrase, { password: secret })).address;
    },
    [mnemonic, password] as const,
  );

test.each([
  ['Firefox, Safari or all of the oldest browsers lack', newerApis.ofWallet],
  ['WebKitGTK lacks', newerApis.ofStorageAndKeys],
])(
  'without what %s, a wallet is there after a reload, opens by its password and signs',
  async (_, members) => {
    await remove(...members);
    const page = await visit(site.wallet);
    const account = await importWallet(page);
    await page.reload();
    await page.waitForFunction(() => 'page' in window);
    const signing = page.evaluate(async () => {
      const { provider } = (window as never as { page: BridgeWalletPage }).page.make({});
      const [from] = await provider.request({ method: 'eth_requestAccounts' });
      return provider.request({ method: 'personal_sign', params: ['0x68656c6c6f', from as `0x${string}`] });
    });
    // A test that fails before has closed the page.
    signing.catch(() => {});
    const connecting = await openDialog(page, { kind: 'connect' });
    await connecting.click('Connect');
    const dialog = await openDialog(page, { kind: 'message' });
    await dialog.fill('Wallet password', password);
    await dialog.click('Sign');
    const signature = await signing;
    expect((await recoverMessageAddress({ message: 'hello', signature })).toLowerCase()).toBe(account);
    expect(errors).toEqual([]);
  },
);

test('without idle callbacks, as Safari, and user activation, as Firefox, the bridge asks in a window', async () => {
  await remove(...newerApis.ofBridge);
  const account = await importWallet(await visit(site.wallet));
  const app = await visit(site.other);
  const answer = app.evaluate(() =>
    (window as never as { page: BridgeAppPage }).page.ask('eth_requestAccounts'),
  );
  const frame = await until(() => app.frames().find((each) => each.url().endsWith('/frame.html')));
  const button = await openDialog(frame, { kind: 'continue' });
  const [popup] = await Promise.all([walletWindow(context), button.click('Continue in the wallet')]);
  await (await openDialog(popup, { kind: 'connect' })).click('Connect');
  expect(await answer).toEqual({ result: [account] });
  expect(errors).toEqual([]);
});
