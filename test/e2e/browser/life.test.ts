import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { RecordedTransaction, Wallet } from '../../../src/index.js';
import type { Address, Hash, Hex } from '../../../src/rpc/schema.js';
import { type Built, buildPackage } from '../../support/built.js';
import { launchChromium } from '../../support/chromium.js';
import { type DialogDriver, openDialog } from '../../support/dialog-driver.js';
import { alice, clientOf, sign } from '../../support/local-client.js';
import { projectRoot } from '../../support/packages.js';
import { type Served, serveFiles } from '../../support/serve.js';
import { until } from '../../support/until.js';

/**
 * A person's life with the wallet, from nothing to nothing, on pages that know only their own client library. Every act
 * is made with mouse and keyboard in the dialog and the panel, whose shadow roots are closed as always, and ends with a look
 * at the chain or at the browser's storage.
 */

const password = 'a password that is forgotten';
const laterPassword = 'another one, kept on paper';
const shop = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';
const coin = 10n ** 18n;
/** What takes a second alone takes many on a busy machine. */
const patience = { timeout: 30_000, interval: 40 };

let built: Built;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  [built, browser] = await Promise.all([buildPackage(), launchChromium()]);
  folder = await mkdtemp(join(tmpdir(), 'graft-life-'));
});
afterAll(async () => {
  await browser?.close();
  await built?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A page, and what a person does in it besides the wallet's own dialog and panel. */
interface Dapp {
  /** Writes the files of the page, `index.html` among them, into a folder. */
  write(folder: string, serviceUrl: string): Promise<void>;
  /** Presses what the page has for connecting, up to the wallet's dialog. */
  connect(page: Page): Promise<void>;
  /** The account that the page shows; `null` while it shows none. */
  account(page: Page): Promise<string | null>;
  openPanel(page: Page): Promise<void>;
}

const testDapp: Dapp = {
  async write(to, url) {
    const dist = fileURLToPath(new URL('../../../node_modules/@metamask/test-dapp/dist', import.meta.url));
    await cp(dist, to, { recursive: true });
    await built.writeScripts(to);
    const script = `<script src="graft.js" data-chain-id="31" data-url="${url}" data-button></script>`;
    const html = await readFile(join(dist, 'index.html'), 'utf8');
    await writeFile(join(to, 'index.html'), html.replace('<head>', `<head>${script}`));
  },
  connect: (page) => page.click('#connectButton'),
  account: (page) => page.locator('#accounts').textContent(),
  async openPanel(page) {
    const { width, height } = page.viewportSize() as { width: number; height: number };
    await page.mouse.click(width - 60, height - 40);
  },
};

const rainbowKit: Dapp = {
  async write(to) {
    const page = `${projectRoot}test/e2e/browser/rainbowkit-page.ts`;
    const code = `import '@rainbow-me/rainbowkit/styles.css'; import { startPage } from '${page}'; startPage();`;
    const bundle = await built.bundle(code, { html: true });
    for (const { name, body } of bundle.values()) await writeFile(join(to, name), body);
  },
  async connect(page) {
    await page.getByRole('button', { name: 'Connect Wallet' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Graft' }).click();
  },
  account: (page) => page.locator('#account').textContent(),
  openPanel: (page) => page.click('#wallet'),
};

describe.each([
  ['MetaMask’s test dapp with the script tag', testDapp],
  ['a RainbowKit page', rainbowKit],
] as const)('%s', (_, dapp) => {
  let service: LocalService;
  let served: Served;
  let page: Page;
  let session: CDPSession;
  let authenticatorId: string;
  let node: ReturnType<typeof clientOf>;
  let words: readonly string[];
  let account: Address;
  let payment: Hash;
  const errors: string[] = [];

  beforeAll(async () => {
    service = await createLocalService({ chainId: 31 });
    node = clientOf(service);
    const files = await mkdtemp(join(folder, 'page-'));
    await dapp.write(files, service.url);
    served = await serveFiles(files);
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
    // Fonts, statistics and lists of wallets are elsewhere: nothing leaves this machine.
    await context.route(
      ({ protocol, hostname }) =>
        protocol.startsWith('http') && !['localhost', '127.0.0.1'].includes(hostname),
      (route) => route.abort(),
    );
    await context.routeWebSocket(/./, () => {});
    page = await context.newPage();
    page.setDefaultTimeout(patience.timeout);
    page.on('pageerror', (error) => errors.push(error.message));
    session = await context.newCDPSession(page);
    await session.send('WebAuthn.enable');
    ({ authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf: true },
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      },
    }));
    await open();
  });
  afterAll(async () => {
    await page?.context().close();
    await served?.stop();
    await service?.close();
  });

  // One act leads to the next: the story ends where one fails.
  let hasFailed = false;
  beforeEach(() => {
    if (hasFailed) throw new Error('An act before this one has failed.');
  });
  afterEach(({ task }) => {
    hasFailed ||= task.result?.state === 'fail';
  });

  /** Passkeys need a host name: `localhost`, not an address. */
  async function open(): Promise<void> {
    const address = served.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${address}/index.html?service=${encodeURIComponent(service.url)}`);
    await page.waitForFunction(() => 'graft' in window);
  }

  /** Looks at the wallet from the page: nothing is changed by it. */
  const look = <T, Args extends readonly unknown[]>(
    read: (wallet: Wallet, ...args: Args) => Promise<T> | T,
    ...args: Args
  ): Promise<T> =>
    page.evaluate(
      `((...args) => { const __name = (it) => it; return (${read})(window.graft, ...args); })(...${JSON.stringify(args)})`,
    ) as Promise<T>;
  const state = () => look((wallet) => wallet.vaultState());
  const phraseFor = (secret: string) =>
    look((wallet, credential) => wallet.exportMnemonic(credential).catch(({ code }) => code), secret);
  /** What a person sees of an account in the page. */
  const isShown = (expected: string | null) =>
    until(async () => ((await dapp.account(page)) ?? '').toLowerCase() === (expected ?? ''), {
      ...patience,
      failure: `The page does not show ${expected ?? 'that it is disconnected'}.`,
    });
  const panel = async (): Promise<DialogDriver> => {
    await dapp.openPanel(page);
    return openDialog(page, { kind: 'panel', ...patience });
  };
  const shows = async (driver: DialogDriver, text: string) => {
    let shown = '';
    const isThere = async () => {
      shown = await driver.text();
      return shown.includes(text);
    };
    await until(isThere, patience).catch(() => {
      throw new Error(`"${text}" is not shown, but:\n${shown}`);
    });
  };
  const isTitled = (driver: DialogDriver, title: string) =>
    until(async () => (await driver.title()) === title, {
      failure: `"${title}" is not shown.`,
      ...patience,
    });
  const confirm = async (kind: string, button: string): Promise<string> => {
    const dialog = await openDialog(page, { kind, ...patience });
    const text = await dialog.text();
    await dialog.click(button);
    await dialog.closed();
    return text;
  };
  const balanceOf = async (address: Hex) => BigInt(await node.call('eth_getBalance', address, 'latest'));
  const sent = async () => [...(await look((wallet) => wallet.transactions()))];

  test('connects: the page’s button makes a wallet for a person who has none', async () => {
    expect(await state()).toBe('empty');
    await dapp.connect(page);
    const dialog = await openDialog(page, { kind: 'onboarding', ...patience });
    await dialog.click('Create a wallet');
    await dialog.fill('New password', password);
    await dialog.fill('Repeat the password', password);
    await dialog.click('Create the wallet');
    await isTitled(dialog, 'Write down these words');
    words = await dialog.evaluate((shown) =>
      Array.from(shown.querySelectorAll('ol.phrase li'), ({ textContent }) => textContent ?? ''),
    );
    const { backup, accounts } = await look((wallet) => wallet.state());
    expect([await state(), backup]).toEqual(['unlocked', 'needed']);
    // The words are those of the account, by another implementation of the same standards.
    const derived = mnemonicToAccount(words.join(' '), {
      path: "m/44'/37310'/0'/0/0" as `m/44'/60'/${string}`,
    });
    account = derived.address.toLowerCase() as Address;
    expect(accounts.map(({ address }) => address)).toEqual([account]);
  });

  test('backs up, and then shares the account with the page', async () => {
    const dialog = await openDialog(page, { kind: 'onboarding', ...patience });
    await dialog.click('I wrote them down');
    await isTitled(dialog, 'Check your backup');
    for (const [label, number] of (await dialog.text()).matchAll(/Word (\d+)/g))
      await dialog.fill(label, words[Number(number) - 1] as string);
    await dialog.click('Check');
    await confirm('connect', 'Connect');
    await isShown(account);
    const { backup, permissions } = await look((wallet) => wallet.state());
    expect(backup).toBe('done');
    expect(Object.values(permissions).map(({ accounts }) => accounts)).toEqual([[account]]);
  });

  test('receives at the address that the panel shows', async () => {
    const shown = await panel();
    await shown.click('Receive');
    await isTitled(shown, 'Receive');
    await shows(shown, 'Copy');
    const address = (await shown.evaluate(
      (dialog) => dialog.querySelector('.address')?.textContent ?? '',
    )) as Address;
    await service.controls.faucet(alice.address, 2n * coin);
    const gift = { to: address.toLowerCase() as Hex, value: coin, chainId: 31 };
    await node.call('eth_sendRawTransaction', await sign(gift));
    await shown.click('Back');
    await shows(shown, '1 tRBTC');
    expect(await balanceOf(account)).toBe(coin);
  });

  test('sends, and the payment waits for a block', async () => {
    service.controls.setMining('manual');
    const shown = await openDialog(page, { kind: 'panel', ...patience });
    await shown.click('Send');
    await shown.fill('To', shop);
    await shown.fill('Amount', '0.25');
    await shows(shown, 'Fast');
    await shown.click('Review and send');
    expect(await confirm('transaction', 'Send')).toContain('0.25 tRBTC');
    await isTitled(shown, 'Transaction');
    await shows(shown, 'Waiting');
    payment = (await sent())[0]?.hash as Hash;
    expect(await node.call('eth_getTransactionByHash', payment)).toMatchObject({
      ...{ from: account, to: shop, value: `0x${(coin / 4n).toString(16)}`, nonce: '0x0' },
      blockHash: null,
    });
  });

  test('speeds it up: only the dearer one is mined', async () => {
    const shown = await openDialog(page, { kind: 'panel', ...patience });
    await shown.click('Speed up');
    expect(await confirm('transaction', 'Send')).toContain('Send again with a higher fee');
    await until(async () => (await sent()).length === 2, patience);
    const [slow, fast] = (await sent()) as [RecordedTransaction, RecordedTransaction];
    expect(fast.nonce).toBe('0x0');
    expect(BigInt(fast.gasPrice) * 10n).toBeGreaterThanOrEqual(BigInt(slow.gasPrice) * 14n);
    await shows(shown, 'Waiting');
    // The wallet lists a transaction before it sends it.
    await until(async () => (await node.call('eth_getTransactionByHash', fast.hash)) !== null, patience);
    await service.controls.mine(1);
    await shows(shown, 'Done');
    service.controls.setMining('auto');
    expect(await node.call('eth_getTransactionReceipt', fast.hash)).toMatchObject({ status: '0x1' });
    expect(await node.call('eth_getTransactionReceipt', payment)).toBeNull();
    expect(await balanceOf(shop)).toBe(coin / 4n);
    await shown.click('Activity');
    await shows(shown, 'Replaced');
  });

  test('locks, after a passkey was added', async () => {
    const shown = await openDialog(page, { kind: 'panel', ...patience });
    await shown.click('Settings');
    await shown.click('Passkeys');
    await shown.click('Add a passkey');
    await shows(shown, 'Created on');
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);
    await shown.click('Home');
    await shown.click('Lock');
    await shows(shown, 'Unlock');
    expect(await state()).toBe('locked');
    expect(await look((wallet) => wallet.addAccount().catch(({ code }) => code))).toBe(4100);
  });

  test('reloads: the page is connected, the wallet is locked, and its list is there', async () => {
    await open();
    await isShown(account);
    expect(await state()).toBe('locked');
    expect((await sent()).map(({ state }) => state)).toEqual(['replaced', 'mined']);
  });

  test('unlocks with the passkey', async () => {
    const count = async () =>
      (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials[0]?.signCount ?? 0;
    const before = await count();
    const shown = await panel();
    await shown.click('Unlock');
    await shown.click('Use a passkey');
    await until(async () => (await state()) === 'unlocked', patience);
    expect(await count()).toBeGreaterThan(before);
  });

  test('forgets the password: a wrong one opens nothing and changes nothing', async () => {
    const { vault } = await page.evaluate(stored);
    const shown = await openDialog(page, { kind: 'panel', ...patience });
    await shown.click('Lock');
    await shown.click('Unlock');
    await shown.fill('Wallet password', 'was it this one?');
    await shown.click('Unlock');
    await shows(shown, 'The password is wrong.');
    await shown.click('Forgot your password?');
    await shows(shown, 'Restore from my backup');
    expect(await state()).toBe('locked');
    expect(vault.length).toBeGreaterThan(100);
    expect((await page.evaluate(stored)).vault).toBe(vault);
  });

  test('restores with the words: the same account, a new password, the same coins', async () => {
    const shown = await openDialog(page, { kind: 'panel', ...patience });
    await shown.click('Restore from my backup');
    await shown.click('Continue');
    await shown.fill('Recovery phrase', words.join(' '));
    await shown.click('Continue');
    await shown.fill('New password', laterPassword);
    await shown.fill('Repeat the password', laterPassword);
    await shown.click('Continue');
    await shown.fill('Type “replace” to continue', 'replace');
    await shown.click('Replace');
    await until(async () => (await state()) === 'unlocked', patience);
    await isTitled(shown, 'Home');
    expect(await phraseFor(password)).toBe(4100);
    expect(await phraseFor(laterPassword)).toBe(words.join(' '));
    expect((await look((wallet) => wallet.state())).accounts).toMatchObject([{ address: account }]);
  });

  test('erases: nothing is left in the browser, and the coins are where they were', async () => {
    expect((await page.evaluate(stored)).records).toBeGreaterThan(0);
    const shown = await openDialog(page, { kind: 'panel', ...patience });
    await shown.click('Settings');
    await shown.click('Erase this wallet');
    await shown.fill('Type “erase” to continue', 'erase');
    await shown.click('Erase for good');
    await shows(shown, 'Set up your wallet');
    expect(await page.evaluate(stored)).toEqual({ vault: '[]', records: 0, files: [], texts: [] });
    await open();
    await isShown(null);
    expect(await state()).toBe('empty');
    expect(await balanceOf(account)).toBeGreaterThan((coin * 249n) / 1000n);
    expect(errors).toEqual([]);
  });
});

/** Runs in the page: what the browser holds of the wallet. `vault` is what opens with a password or a passkey. */
async function stored() {
  const done = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const vault: unknown[] = [];
  let records = 0;
  for (const { name = '' } of await indexedDB.databases()) {
    if (!name.startsWith('graft')) continue;
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const values = await done(database.transaction(store).objectStore(store).getAll());
      records += values.length;
      // Failed attempts are counted beside it.
      if (store === 'vault')
        vault.push(...values.filter((value) => !JSON.stringify(value).includes('failures')));
    }
    database.close();
  }
  const files: string[] = [];
  for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
  const texts = Object.keys(localStorage).filter((key) => key.startsWith('graft'));
  return { vault: JSON.stringify(vault), records, files, texts };
}
