import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Wallet } from '../../../src/index.js';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';
import { type DialogDriver, openDialog } from '../../support/dialog-driver.js';
import { type Served, serveFiles } from '../../support/serve.js';
import { until } from '../../support/until.js';

/** A page with the script tag alone, and a person who has nothing: all they need opens with the page's request. */

const password = 'a password nobody else has';
const phrase = 'test test test test test test test test test test test junk';

let built: Built;
let browser: Browser;
let service: LocalService;
let served: Served;
let page: Page;
let session: CDPSession;

beforeAll(async () => {
  [built, browser, service] = await Promise.all([
    buildPackage(),
    launchChromium(),
    createLocalService({ chainId: 31 }),
  ]);
  const folder = await built.writeScripts();
  const html = `<!doctype html><title>A page</title><link rel="icon" href="data:,"><body>
    <script src="/graft.js" data-chain-id="31" data-url="${service.url}"></script>`;
  served = await serveFiles(folder, { html });
});

beforeEach(async () => {
  const context = await browser.newContext();
  page = await context.newPage();
  session = await context.newCDPSession(page);
  await open();
});

afterEach(async () => {
  // The page goes on asking until it is closed.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});

afterAll(async () => {
  await browser?.close();
  await served?.stop();
  await service?.close();
  await built?.stop();
});

/** Passkeys need a host name: `localhost`, not an address. */
async function open(): Promise<void> {
  await page.goto(served.url.replace('127.0.0.1', 'localhost'));
  await page.waitForFunction(() => 'graft' in window);
}

const inPage = <T>(use: (wallet: Wallet) => Promise<T> | T): Promise<T> =>
  page.evaluate(`(${use})(window.graft)`) as Promise<T>;

interface Outcome {
  readonly accounts?: readonly string[];
  readonly code?: number;
}

/** Requests accounts as a dapp does. */
async function connect(): Promise<{ readonly outcome: () => Promise<Outcome> }> {
  await page.evaluate(() => {
    const { ethereum } = window as unknown as Wallet['provider'] & {
      ethereum: { request(of: object): Promise<string[]> };
    };
    Object.assign(window, { outcome: undefined });
    ethereum.request({ method: 'eth_requestAccounts' }).then(
      (accounts) => Object.assign(window, { outcome: { accounts } }),
      ({ code }) => Object.assign(window, { outcome: { code } }),
    );
  });
  const read = () => page.evaluate(() => (window as unknown as { outcome?: Outcome }).outcome);
  return { outcome: () => until(read, { failure: 'eth_requestAccounts is still open.' }) };
}

const titled = (dialog: DialogDriver, title: string) =>
  until(async () => (await dialog.title()) === title, { failure: `The dialog does not show "${title}".` });

/** The words of the recovery phrase, once the dialog shows them: what makes them may have to load first. */
const wordsOf = (dialog: DialogDriver): Promise<string[]> =>
  until(
    async () => {
      const words = await dialog.evaluate((shown) =>
        Array.from(shown.querySelectorAll('ol.phrase li'), (item) => item.textContent ?? ''),
      );
      return words.length > 0 ? words : null;
    },
    { failure: 'The dialog shows no words.' },
  );

async function repeatWords(dialog: DialogDriver, words: readonly string[]): Promise<void> {
  await dialog.click('I wrote them down');
  await titled(dialog, 'Check your backup');
  const asked = [...(await dialog.text()).matchAll(/Word (\d+)/g)].map(([, number]) => Number(number));
  expect(asked).toHaveLength(3);
  for (const number of asked) await dialog.fill(`Word ${number}`, words[number - 1] as string);
  await dialog.click('Check');
}

async function createWithPassword(dialog: DialogDriver): Promise<void> {
  await dialog.click('Create a wallet');
  await dialog.fill('New password', password);
  await dialog.fill('Repeat the password', password);
  await dialog.click('Create the wallet');
  await titled(dialog, 'Write down these words');
}

/** Shares the account, in the same sheet as before; then the page is free again. */
async function agree(): Promise<void> {
  const dialog = await openDialog(page, { kind: 'connect' });
  expect(await page.locator('[data-graft]').count()).toBe(1);
  await dialog.click('Connect');
  await dialog.closed();
  expect(await page.locator('[data-graft]').count()).toBe(0);
}

test('create with a password, back up, connect: one sheet, and the accounts come back', async () => {
  const { outcome } = await connect();
  const dialog = await openDialog(page, { kind: 'onboarding' });
  await createWithPassword(dialog);
  const words = await wordsOf(dialog);
  expect(words).toHaveLength(12);
  await repeatWords(dialog, words);
  await agree();
  const { accounts } = await outcome();
  expect(accounts).toEqual([await inPage((wallet) => wallet.state().accounts[0]?.address)]);
  expect(await inPage((wallet) => wallet.state().backup)).toBe('done');
});

test('the backup can wait, and stays due after a reload', async () => {
  const { outcome } = await connect();
  const dialog = await openDialog(page, { kind: 'onboarding' });
  await createWithPassword(dialog);
  await dialog.click('Later');
  await agree();
  expect((await outcome()).accounts).toHaveLength(1);
  await open();
  expect(await inPage((wallet) => wallet.state().backup)).toBe('needed');
});

test('closing the sheet refuses the request with 4001, and nothing was made', async () => {
  const { outcome } = await connect();
  const dialog = await openDialog(page, { kind: 'onboarding' });
  await dialog.press('Escape');
  expect(await outcome()).toEqual({ code: 4001 });
  expect(await inPage((wallet) => wallet.vaultState())).toBe('empty');
});

test('a passkey alone opens the wallet, once the words were repeated', async () => {
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
  const { outcome } = await connect();
  const dialog = await openDialog(page, { kind: 'onboarding' });
  await dialog.click('Create a wallet');
  await dialog.click('Use a passkey instead');
  await dialog.click('Continue');
  await repeatWords(dialog, await wordsOf(dialog));
  await dialog.click('Create the wallet');
  await agree();
  const { accounts } = await outcome();
  expect(await inPage(async (wallet) => (await wallet.passkeys()).length)).toBe(1);
  expect(await inPage((wallet) => wallet.state().backup)).toBe('done');
  await open();
  expect(await inPage((wallet) => wallet.vaultState())).toBe('locked');
  await inPage((wallet) => wallet.unlock({ passkey: true }));
  expect(await inPage((wallet) => wallet.vaultState())).toBe('unlocked');
  expect(await inPage((wallet) => wallet.state().accounts.map(({ address }) => address))).toEqual(accounts);
});

test('a wallet that somebody has: the phrase is imported, and a wrong word is named', async () => {
  const { outcome } = await connect();
  const dialog = await openDialog(page, { kind: 'onboarding' });
  await dialog.click('I already have a wallet');
  await dialog.click('Continue');
  await dialog.fill('Recovery phrase', phrase.replace('junk', 'jung'));
  await dialog.click('Continue');
  await until(async () => (await dialog.error()) !== '');
  expect(await dialog.error()).toContain('Word 12');
  await dialog.fill('Recovery phrase', phrase);
  await dialog.click('Continue');
  await dialog.fill('New password', password);
  await dialog.fill('Repeat the password', password);
  await dialog.click('Import');
  await agree();
  expect((await outcome()).accounts).toHaveLength(1);
});

test('a forgotten password: the phrase replaces the wallet, after a typed word', async () => {
  await inPage((wallet) =>
    wallet.importMnemonic('test test test test test test test test test test test junk', {
      password: 'forgotten by everybody',
    }),
  );
  const before = await inPage((wallet) => wallet.state().accounts[0]?.address);
  await inPage((wallet) => wallet.lock());
  const { outcome } = await connect();
  await agree();
  expect((await outcome()).accounts).toEqual([before]);
  await page.evaluate(() => {
    const { ethereum, graft } = window as unknown as {
      ethereum: { request(of: object): Promise<unknown> };
      graft: Wallet;
    };
    const from = graft.state().accounts[0]?.address;
    ethereum.request({ method: 'personal_sign', params: ['0x68656c6c6f', from] }).then(
      (signature) => Object.assign(window, { signature }),
      ({ code }) => Object.assign(window, { signature: code }),
    );
  });
  const dialog = await openDialog(page, { kind: 'message' });
  await dialog.click('Forgot your password?');
  await titled(dialog, 'Forgot your password?');
  await dialog.click('Restore from my backup');
  await dialog.click('Continue');
  await dialog.fill('Recovery phrase', phrase);
  await dialog.click('Continue');
  await dialog.fill('New password', password);
  await dialog.fill('Repeat the password', password);
  await dialog.click('Continue');
  await dialog.fill('Type “replace” to continue', 'replace');
  await dialog.click('Replace');
  await until(async () => (await inPage((wallet) => wallet.vaultState())) === 'unlocked');
  await inPage((wallet) => wallet.lock());
  await page.evaluate((secret) => (window as unknown as { graft: Wallet }).graft.unlock(secret), password);
  expect(await inPage((wallet) => wallet.state().accounts[0]?.address)).toBe(before);
});

test('a page over plain http from another machine says at once that it needs HTTPS, and rejects with -32002', async () => {
  await page.route('http://phone.example/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: new URL(pathname, served.url).href }) });
  });
  await page.goto('http://phone.example/');
  await page.waitForFunction(() => 'graft' in window);
  expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
  const { outcome } = await connect();
  const sheet = await openDialog(page, { kind: 'onboarding' });
  expect(await sheet.title()).toBe('This page isn’t secure');
  expect(await sheet.text()).toContain('HTTPS');
  expect(await sheet.evaluate((dialog) => dialog.querySelector('input'))).toBeNull();
  await sheet.click('Close');
  expect(await outcome()).toMatchObject({ code: -32002 });
});
