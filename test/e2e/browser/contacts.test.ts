import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address, Wallet } from '../../../src/index.js';
import { launchChromium } from '../../support/chromium.js';
import { type DialogDriver, openDialog } from '../../support/dialog-driver.js';
import { alice, bob, clientOf } from '../../support/local-client.js';
import { openShadows } from '../../support/open-shadows.js';
import { type Served, servePage } from '../../support/serve.js';
import { until } from '../../support/until.js';

/** A person names addresses and looks at the account of another wallet: over HTTP, with a real vault, across reloads. */

const password = 'correct horse';
/** The account of key 1. */
const account: Address = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const coin = 10n ** 18n;
const carol = alice.address.toLowerCase() as Address;
const cold = bob.address.toLowerCase() as Address;
/** Begins and ends like Carol's. */
const alike: Address = `0x${carol.slice(2, 6)}${'5a'.repeat(16)}${carol.slice(-4)}`;

let served: Served;
let browser: Browser;
let local: LocalService;
let page: Page;

beforeAll(async () => {
  const html =
    '<!doctype html><title>Contacts</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/panel-page.ts"></script>';
  [served, browser] = await Promise.all([servePage({ html }), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});
beforeEach(async () => {
  local = await createLocalService({ chainId: 31 });
  await local.controls.faucet(account, 10n * coin);
  await local.controls.faucet(cold, 7n * coin);
  page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  await openShadows(page);
  await openPage();
  await inWallet((wallet, secret) =>
    wallet.importPrivateKey(`0x${'1'.padStart(64, '0')}`, { password: secret }),
  );
});
afterEach(async () => {
  await page.close();
  await local.close();
});

async function openPage() {
  await page.goto(`${served.url}/?service=${encodeURIComponent(local.url)}`);
  await page.waitForFunction(() => 'wallet' in window);
}
const inWallet = (run: (wallet: Wallet, password: string) => unknown) =>
  page.evaluate(`(${run})(window.wallet, ${JSON.stringify(password)})`);
const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
const press = async (name: string | RegExp) => {
  const button = page
    .locator('.panel')
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first();
  await until(async () => (await button.getAttribute('aria-disabled')) !== 'true');
  await button.click();
};
const fill = (label: string, text: string) =>
  page.locator('.panel').getByLabel(label, { exact: true }).fill(text);
const closePanel = async () => {
  await press('Close');
  await page.locator('dialog').waitFor({ state: 'detached' });
};

async function saveCarol() {
  await inWallet((wallet) => void wallet.open('contacts'));
  await press('Add a contact');
  await fill('Address', carol);
  await fill('Name', 'Carol');
  await press('Save the contact');
  await page.locator('.panel li .name').getByText('Carol').waitFor();
}

async function watch() {
  await inWallet((wallet) => void wallet.open('accounts'));
  await press('Look at an account');
  await fill('Address', cold);
  await fill('Name', 'Cold wallet');
  await press('Look at this account');
  await page.locator('.panel li .name').getByText('Cold wallet').waitFor();
}

const hasDanger = (dialog: DialogDriver) =>
  dialog.evaluate((element) => element.querySelector('[data-severity=danger]') !== null);

test('a contact is paid by name, and an address that looks like theirs is a danger that names them', async () => {
  await saveCarol();
  await press('Home');
  await press('Send');
  await page.locator('.suggestions').getByText('Carol').waitFor();
  await page.locator('.panel').getByLabel('To', { exact: true }).press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('#recipient-note .name').getByText('Carol').waitFor();
  await fill('Amount', '0.25');
  await press('Review and send');
  const question = await openDialog(page, { kind: 'transaction' });
  expect(await question.text()).toContain('Carol');
  expect(await hasDanger(question)).toBe(false);
  await question.click('Send');
  await question.closed();
  await shows('Hash');
  await page.locator('.panel .party .name').getByText('Carol').waitFor();
  expect(await page.getByText('Save as a contact').count()).toBe(0);
  await until(async () => {
    await local.controls.mine();
    return BigInt(await clientOf(local).call('eth_getBalance', carol, 'latest')) === coin / 4n;
  });

  await press('Home');
  await press('Send');
  await fill('To', alike);
  await fill('Amount', '0.5');
  await press('Review and send');
  const dangerous = await openDialog(page, { kind: 'transaction' });
  expect(await hasDanger(dangerous)).toBe(true);
  expect(await dangerous.text()).toContain('Carol');
  await dangerous.press('Escape');
  await dangerous.closed();
  await shows('Not sent.');

  await press('Settings');
  await press('Contacts');
  await press('Add a contact');
  await fill('Address', alike);
  await fill('Name', 'Caroline');
  await press('Save the contact');
  await shows('It looks like an address you know');
  expect(await page.locator('.panel .warnings .name').allInnerTexts()).toEqual(['Carol']);
});

test('an account to look at has a balance, is shared only when it is ticked, and pays by a code for another wallet', async () => {
  await watch();
  await press(/^Cold wallet/);
  await press('Home');
  await page.locator('.panel .hero').getByText('7', { exact: true }).waitFor();
  await press('Send');
  await fill('To', carol);
  await fill('Amount', '0.5');
  await press('Show the code');
  await page.locator('.panel .qr').waitFor();
  await closePanel();

  const connect = async (tick: boolean): Promise<readonly Address[]> => {
    await inWallet((wallet) => {
      Object.assign(window, { shared: wallet.provider.request({ method: 'eth_requestAccounts' }) });
    });
    const question = await openDialog(page, { kind: 'connect' });
    const ticks = await question.evaluate((dialog) =>
      Array.from(dialog.querySelectorAll('input'), ({ checked }) => checked),
    );
    expect(ticks).toEqual([true, false]);
    expect(await question.text()).toContain('Only to look at');
    if (tick) await page.getByRole('checkbox', { name: /Cold wallet/ }).check();
    await question.click('Connect');
    await question.closed();
    return page.evaluate('window.shared');
  };
  expect(await connect(false)).toEqual([account]);
  await inWallet((wallet) => wallet.disconnect());
  expect([...(await connect(true))].sort()).toEqual([account, cold].sort());

  await page.evaluate(
    `void (window.refused = window.wallet.provider
      .request({ method: 'eth_sendTransaction', params: [${JSON.stringify({ from: cold, to: carol, value: '0x1' })}] })
      .then(() => null, ({ code }) => code))`,
  );
  const question = await openDialog(page, { kind: 'pay-elsewhere' });
  await page.locator('dialog .qr').waitFor();
  expect(await question.text()).toContain('Scan this code with the wallet that has its key.');
  await question.click('Close');
  await question.closed();
  expect(await page.evaluate('window.refused')).toBe(4100);
  expect(BigInt(await clientOf(local).call('eth_getTransactionCount', cold, 'latest'))).toBe(0n);
});

test('contacts and accounts to look at are there after a reload', async () => {
  await saveCarol();
  await closePanel();
  await watch();
  await openPage();
  await inWallet((wallet) => void wallet.open('accounts'));
  await page.locator('.panel li .name').getByText('Cold wallet').waitFor();
  await press('Home');
  await press('Send');
  await press('Unlock to see your contacts');
  await fill('Wallet password', password);
  await press('Unlock');
  await page.locator('.suggestions').getByText('Carol').waitFor();
  await press('Contacts');
  await page.locator('.panel li .name').getByText('Carol').waitFor();
  expect(await page.locator('.panel li .name').allInnerTexts()).toEqual(['Carol', 'Cold wallet']);
});
