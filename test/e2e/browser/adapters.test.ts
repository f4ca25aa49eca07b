import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';
import { answerDialog, setUpWallet } from '../../support/example.js';
import { clientOf } from '../../support/local-client.js';
import { projectRoot } from '../../support/packages.js';
import { type Served, serveFiles } from '../../support/serve.js';
import { until } from '../../support/until.js';
import type { AdaptersPage } from './adapters-page.js';

/** The adapters as published, in React's StrictMode with RainbowKit, in a real browser. */

let built: Built;
let browser: Browser;
let testnet: LocalService;
let regtest: LocalService;
let folder: string;
let served: Served;
let page: Page;

beforeAll(async () => {
  [built, browser, testnet, regtest] = await Promise.all([
    buildPackage(['library', 'adapters']),
    launchChromium(),
    createLocalService({ chainId: 31 }),
    createLocalService({ chainId: 33 }),
  ]);
  const code = `import '@rainbow-me/rainbowkit/styles.css';
    import { startPage } from '${projectRoot}test/e2e/browser/adapters-page.ts'; startPage();`;
  folder = await mkdtemp(join(tmpdir(), 'graft-adapters-'));
  for (const { name, body } of (await built.bundle(code, { html: true })).values())
    await writeFile(join(folder, name), body);
  served = await serveFiles(folder);
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
  // Fonts and statistics are elsewhere: nothing leaves this machine.
  await context.route(
    ({ protocol, hostname }) => protocol.startsWith('http') && hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const urls = new URLSearchParams({ testnet: testnet.url, regtest: regtest.url });
  await page.goto(`${served.url}/index.html?${urls}`);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await served?.stop();
  await Promise.all([testnet?.close(), regtest?.close()]);
  await built?.stop();
  await rm(folder, { recursive: true, force: true });
});

const seen = <T>(look: string) => page.evaluate<T>(`seen.${look}`);
/** The text of an element, once it matches. */
const shows = (selector: string, pattern: RegExp): Promise<RegExpMatchArray> =>
  until(async () => ((await page.locator(selector).textContent()) ?? '').match(pattern), {
    ...{ timeout: 30_000, interval: 40, failure: `${selector} does not show ${pattern}` },
  });

async function connect(): Promise<void> {
  await page.getByRole('button', { name: 'Connect Wallet' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Graft' }).click();
}

test('StrictMode runs effects twice, and the wallet is listed once', async () => {
  await until(async () => (await seen<number>('effects')) === 2);
  expect(await seen<AdaptersPage['connectors']>('connectors()')).toEqual(['graft']);
  await page.getByRole('button', { name: 'Connect Wallet' }).click();
  const wallets = page.getByRole('dialog').getByRole('button', { name: 'Graft' });
  await wallets.first().waitFor();
  expect(await wallets.count()).toBe(1);
  await page.keyboard.press('Escape');
});

test('connecting sets a wallet up first, and paying takes one dialog', async () => {
  await connect();
  await setUpWallet(page, 'a password for the adapters');
  await answerDialog(page, 'connect', 'Connect');
  const [, account] = await shows('#account', /(0x[\da-fA-F]{40}) on 31/);
  await testnet.controls.faucet(account as Hex);
  await page.click('#pay');
  await answerDialog(page, 'transaction', 'Send');
  const [hash] = await shows('#hash', /0x[\da-f]{64}/);
  const receipt = await until(() => clientOf(testnet).call('eth_getTransactionReceipt', hash));
  expect(receipt).toMatchObject({ status: '0x1', from: (account as string).toLowerCase() });
});

test('a switch of the chain is asked once, and adds no listener', async () => {
  const before = await seen<AdaptersPage['listeners']>('listeners()');
  await page.click('#switch');
  await answerDialog(page, 'switch-chain', 'Switch');
  await shows('#account', / on 33$/);
  expect(await seen('listeners()')).toEqual(before);
});

test('a reload reconnects without a dialog, and listens once', async () => {
  const before = await seen<AdaptersPage['listeners']>('listeners()');
  await page.reload();
  await shows('#account', / on 33$/);
  expect(await page.locator('[data-graft]').count()).toBe(0);
  expect(await seen<AdaptersPage['connectors']>('connectors()')).toEqual(['graft']);
  expect(await seen('listeners()')).toEqual(before);
});
