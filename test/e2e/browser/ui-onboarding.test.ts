import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { openDialog } from '../../support/dialog-driver.js';
import { phrase } from '../../support/fake-owner.js';
import * as questions from '../../support/questions.js';
import { type Served, servePage } from '../../support/serve.js';
import type { UiPage } from './ui-page.js';

/** Setting up, unlocking and recovering a wallet in the dialog, with a person's mouse and keyboard, under a strict policy. */

const csp = "default-src 'self'; style-src 'self'; require-trusted-types-for 'script'";
const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>An app</title><link rel="icon" href="/favicon.ico">
  <script type="module" src="/test/e2e/browser/ui-page.ts"></script><body><button id="open">Open</button></body></html>`;
const password = 'several words are better';
const { id, origin, network } = questions.payment;
const onboarding = { id, origin, network, locked: false, warnings: [], kind: 'onboarding', vault: 'empty' };
const locked = { ...questions.payment, locked: true };

let served: Served;
let browser: Browser;
let page: Page;
let problems: string[];

beforeAll(async () => {
  served = await servePage({ html, csp });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 900, height: 800 } });
  problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(served.url);
  await page.waitForFunction(() => 'ui' in window);
  await page.evaluate(() => (window as unknown as { ui: UiPage }).ui.wallet.change({ passkeys: [] }));
});
afterEach(async () => {
  await page.close();
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
});

const ask = (question: object) =>
  page.evaluate((asked) => (window as unknown as { ui: UiPage }).ui.ask(asked as never), question);
const calls = () => page.evaluate(() => [...(window as unknown as { ui: UiPage }).ui.calls]);
const answers = () => page.evaluate(() => [...(window as unknown as { ui: UiPage }).ui.answers]);
const fail = (name: string, code: number, data?: object) =>
  page.evaluate(
    ([method, given, more]) =>
      (window as unknown as { ui: UiPage }).ui.wallet.fail(method as never, given as number, more),
    [name, code, data] as const,
  );

describe('a person without a wallet', () => {
  test('creates one, backs it up and connects, in one sheet that never closes', async () => {
    await page.evaluate(() => {
      const hosts: string[] = [];
      new MutationObserver((changes) => {
        for (const { addedNodes, removedNodes } of changes) {
          for (const node of addedNodes) if (node instanceof HTMLElement) hosts.push('opened');
          for (const node of removedNodes) if (node instanceof HTMLElement) hosts.push('closed');
        }
      }).observe(document.body, { childList: true });
      Object.assign(window, { hosts });
    });
    await ask(onboarding);
    const sheet = await openDialog(page, { kind: 'onboarding' });
    expect(await sheet.text()).toContain('app.sovryn.example works with a wallet.');
    await sheet.click('Create a wallet');
    await expect.poll(() => sheet.focused()).toBe('New password');
    await page.keyboard.type(password);
    await sheet.fill('Repeat the password', password);
    await sheet.click('Create the wallet');
    await expect.poll(() => sheet.title()).toBe('Write down these words');
    await sheet.click('I wrote them down');
    await expect.poll(() => sheet.title()).toBe('Check your backup');
    const asked = await sheet.evaluate((dialog) =>
      Array.from(dialog.querySelectorAll('label'), (label) => label.textContent ?? ''),
    );
    for (const label of asked)
      await sheet.fill(label, phrase.split(' ')[Number(label.slice(5)) - 1] as string);
    await sheet.click('Check');
    await expect.poll(answers).toEqual([{ approved: true }]);
    await ask(questions.connect);
    const connect = await openDialog(page, { kind: 'connect' });
    await connect.click('Connect');
    await connect.closed();
    expect(await answers()).toEqual([
      { approved: true },
      { approved: true, accounts: [questions.account.address] },
    ]);
    expect(await calls()).toEqual(['create', 'persist', 'confirmBackup']);
    expect(await page.evaluate(() => (window as unknown as { hosts: string[] }).hosts)).toEqual([
      'opened',
      'closed',
    ]);
  });

  test('closing it at any step refuses, and gives the focus back', async () => {
    await page.locator('#open').focus();
    await ask(onboarding);
    const sheet = await openDialog(page, { kind: 'onboarding' });
    await sheet.click('Create a wallet');
    await expect.poll(() => sheet.title()).toBe('Choose a password');
    await sheet.press('Escape');
    await sheet.closed();
    expect(await answers()).toEqual([{ approved: false }]);
    expect(await calls()).toEqual([]);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('open');
  });

  test('a sheet that no question follows closes by itself', async () => {
    await ask(onboarding);
    const sheet = await openDialog(page, { kind: 'onboarding' });
    await sheet.click('Create a wallet');
    await sheet.fill('New password', password);
    await sheet.fill('Repeat the password', password);
    await sheet.click('Create the wallet');
    await sheet.click('Later');
    await expect.poll(answers).toEqual([{ approved: true }]);
    await sheet.closed();
  });

  test('Enter goes on where a field has the focus, and a script can press nothing', async () => {
    await ask(onboarding);
    const sheet = await openDialog(page, { kind: 'onboarding' });
    await sheet.evaluate((dialog) => {
      for (const button of dialog.querySelectorAll('button'))
        if (button.textContent !== 'Cancel') button.click();
    });
    expect(await sheet.title()).toBe('Set up your wallet');
    await sheet.click('Create a wallet');
    await sheet.fill('New password', password);
    await sheet.fill('Repeat the password', password);
    await page.waitForTimeout(1_100);
    await sheet.press('Enter');
    await expect.poll(() => sheet.title()).toBe('Write down these words');
  });

  test('an error is shown beside the button, and the input stays', async () => {
    await ask(onboarding);
    const sheet = await openDialog(page, { kind: 'onboarding' });
    await sheet.click('Create a wallet');
    await sheet.fill('New password', password);
    await sheet.fill('Repeat the password', 'another one');
    await sheet.click('Create the wallet');
    await expect.poll(() => sheet.error()).toBe('The passwords don’t match.');
    await sheet.fill('Repeat the password', password);
    await fail('create', -32002);
    await sheet.click('Create the wallet');
    await expect.poll(() => sheet.error()).toContain('couldn’t store it');
    await sheet.click('Create the wallet');
    await expect.poll(() => sheet.title()).toBe('Write down these words');
  });
});

describe('a locked wallet', () => {
  test('is unlocked with a passkey where there is one, else with the password', async () => {
    await page.evaluate(() =>
      (window as unknown as { ui: UiPage }).ui.wallet.change({
        passkeys: [{ id: 'k', name: 'Phone', createdAt: 0 }],
      }),
    );
    await ask(locked);
    const dialog = await openDialog(page, { kind: 'transaction' });
    expect(await dialog.text()).toContain('Confirming asks for your passkey.');
    await fail('unlock', 4001);
    await dialog.click('Send');
    await expect.poll(() => dialog.error()).toBe('The passkey wasn’t used. Try again, or use your password.');
    await dialog.click('Use the password');
    await dialog.fill('Wallet password', password);
    await dialog.click('Send');
    await dialog.closed();
    expect(await answers()).toEqual([{ approved: true }]);
  });

  test('a locked wallet with a forgotten password is restored with the phrase, and the payment goes on', async () => {
    await ask(locked);
    const dialog = await openDialog(page, { kind: 'transaction' });
    await dialog.click('Forgot your password?');
    await dialog.click('Restore from my backup');
    await dialog.click('Continue');
    await dialog.evaluate((element) => element.querySelector('textarea')?.focus());
    await page.keyboard.type(phrase);
    await dialog.click('Continue');
    await dialog.fill('New password', password);
    await dialog.fill('Repeat the password', password);
    await dialog.click('Continue');
    await expect.poll(() => dialog.title()).toBe('Replace the wallet?');
    await dialog.fill('Type “replace” to continue', 'replace');
    await dialog.click('Replace');
    await expect.poll(calls).toContain('discover');
    // The restored wallet has another account: the question cannot go on.
    await dialog.closed();
    expect(await answers()).toEqual([{ approved: false }]);
    expect(await calls()).toEqual(['importMnemonic', 'persist', 'discover']);
  });

  test('can be erased, which refuses the question', async () => {
    await ask(locked);
    const dialog = await openDialog(page, { kind: 'transaction' });
    await dialog.click('Forgot your password?');
    await dialog.click('Erase this wallet');
    await dialog.fill('Type “erase” to continue', 'erase');
    await dialog.click('Erase for good');
    await dialog.closed();
    expect(await calls()).toEqual(['erase']);
    expect(await answers()).toEqual([{ approved: false }]);
  });

  test('going back from the recovery shows the question again, still locked', async () => {
    await ask(locked);
    const dialog = await openDialog(page, { kind: 'transaction' });
    await dialog.click('Forgot your password?');
    await dialog.click('Cancel');
    await expect.poll(() => dialog.title()).toBe('Send tRBTC');
    await dialog.fill('Wallet password', password);
    await dialog.click('Send');
    await dialog.closed();
    expect(await answers()).toEqual([{ approved: true }]);
  });

  test('which cannot be checked is asked about before anything opens, then the payment goes on', async () => {
    const { address } = questions.account;
    const found = { accounts: [address], known: [], passkeys: ['Laptop'], losesPassword: false };
    await ask(locked);
    const dialog = await openDialog(page, { kind: 'transaction' });
    await fail('unlock', -32002, { reason: 'vault-unproven', ...found });
    await dialog.fill('Wallet password', password);
    await dialog.click('Send');
    await expect.poll(() => dialog.title()).toBe('Are these your accounts?');
    for (const part of ['These aren’t the accounts you had here', 'Laptop', 'Accounts you had here'])
      expect(await dialog.text()).toContain(part);
    expect([await calls(), await answers()]).toEqual([['unlock'], []]);
    await dialog.click('They’re mine');
    await expect.poll(() => dialog.title()).toBe('Send tRBTC');
    // It is unlocked now, and the person sees the payment once more.
    expect(await dialog.text()).not.toContain('Wallet password');
    await dialog.click('Send');
    await dialog.closed();
    expect([await calls(), await answers()]).toEqual([['unlock', 'unlock'], [{ approved: true }]]);
  });

  test('which cannot be checked and is not the own one opens nothing, and the question stays', async () => {
    const found = { accounts: [questions.recipient], known: [questions.account.address], passkeys: [] };
    await ask(locked);
    const dialog = await openDialog(page, { kind: 'transaction' });
    await fail('unlock', -32002, { reason: 'vault-unproven', losesPassword: false, ...found });
    await dialog.fill('Wallet password', password);
    await dialog.click('Send');
    await expect.poll(() => dialog.title()).toBe('Are these your accounts?');
    await dialog.click('Back');
    await expect.poll(() => dialog.title()).toBe('Send tRBTC');
    expect(await calls()).toEqual(['unlock']);
    expect(await dialog.text()).toContain('Wallet password');
  });
});
