import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { type Served, servePage } from '../../support/serve.js';
import type { Operation, Outcome, VaultPage } from './vault-page.js';

/** The vault where it lives: IndexedDB, Web Locks, a worker, WebCrypto and the private file system are real. */

const password = 'Tr0ub4dor and a horse';
const other = 'another Tr0ub4dor and a mule';
/** One of BIP-39's published vectors; the key is keccak-256 of "cow", EIP-712's example. */
const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const imported = '0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4';

const html =
  '<!doctype html><title>Vault</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/vault-page.ts"></script>';
const workerless = "default-src 'self'; img-src data:; connect-src *; worker-src 'none'";

let plain: Served;
let strict: Served;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  [plain, strict, browser] = await Promise.all([
    servePage({ html }),
    servePage({ html, csp: workerless }),
    launchChromium(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([plain?.stop(), strict?.stop()]);
});

beforeEach(async () => {
  context = await browser.newContext();
  context.setDefaultTimeout(30_000);
});

afterEach(() => context.close());

async function open({ url } = plain, query = ''): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/${query}`);
  await ready(page);
  return page;
}

async function reload(page: Page): Promise<void> {
  await page.reload();
  await ready(page);
}

const ready = (page: Page) => page.waitForFunction(() => 'page' in window);

/** Calls the wallet in the page. */
const attempt = (page: Page, name: Operation, ...args: readonly unknown[]): Promise<Outcome> =>
  page.evaluate(([name, args]) => (window as unknown as { page: VaultPage }).page.call(name, ...args), [
    name,
    args,
  ] as const);

async function call(page: Page, name: Operation, ...args: readonly unknown[]): Promise<unknown> {
  const outcome = await attempt(page, name, ...args);
  if ('code' in outcome) throw new Error(`${name}: ${outcome.code} ${outcome.message}`);
  return outcome.result;
}

const create = (page: Page, options?: object) =>
  call(page, 'importMnemonic', mnemonic, { password, ...options }) as Promise<{ address: string }>;

const accounts = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { page: VaultPage }).page.wallet.state().accounts.map(({ address }) => address),
  );

const lose = (page: Page, ...what: Parameters<VaultPage['lose']>) =>
  page.evaluate((what) => (window as unknown as { page: VaultPage }).page.lose(...what), what);

const wrong = { code: 4100, message: 'Wrong password, or the vault is damaged.' };

describe('a wallet in a page', () => {
  test('is locked after a reload and lists its accounts; the password unlocks it, in a worker each time', async () => {
    const page = await open();
    const started: string[] = [];
    const ended: Promise<unknown>[] = [];
    page.on('worker', (worker) => {
      started.push(new URL(worker.url()).protocol);
      ended.push(worker.waitForEvent('close'));
    });
    expect(await call(page, 'vaultState')).toBe('empty');
    const { address } = await create(page);
    expect(await call(page, 'vaultState')).toBe('unlocked');
    await reload(page);
    expect(await call(page, 'vaultState')).toBe('locked');
    expect(await accounts(page)).toEqual([address]);
    expect(await attempt(page, 'addAccount')).toMatchObject({ code: 4100 });
    await call(page, 'unlock', password);
    expect(await call(page, 'vaultState')).toBe('unlocked');
    expect(await call(page, 'addAccount')).toMatchObject({ label: 'Account 2' });
    expect(started).toEqual(['blob:', 'blob:']);
    // Each ended with its derivation: its memory held the password.
    await Promise.all(ended);
  });

  test('can be created and unlocked where workers are forbidden, and the page stays responsive', async () => {
    const page = await open(strict, '?costly');
    const started: string[] = [];
    page.on('worker', (worker) => started.push(worker.url()));
    await create(page);
    await reload(page);
    const turns = await page.evaluate(async (password) => {
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      await (window as unknown as { page: VaultPage }).page.wallet.unlock(password);
      clearInterval(timer);
      return turns;
    }, password);
    expect(turns).toBeGreaterThan(10);
    expect(await call(page, 'vaultState')).toBe('unlocked');
    expect(started).toEqual([]);
  });
});

describe('a browser that loses storage', () => {
  test('the remaining copy of the vault unlocks it, and the lost copy is written again', async () => {
    const page = await open();
    await create(page);
    const losses = [['database'], ['copy', 'sentinel'], ['database', 'sentinel'], ['database']] as const;
    for (const what of losses) {
      await lose(page, ...what);
      await reload(page);
      expect(await call(page, 'vaultState'), what.join()).toBe('locked');
      await call(page, 'unlock', password);
    }
    expect(await call(page, 'exportMnemonic', password)).toBe(mnemonic);
  });

  test('a vault without any copy left is reported as missing and never replaced silently', async () => {
    const page = await open();
    const { address } = await create(page);
    await lose(page, 'database', 'copy');
    await reload(page);
    expect(await call(page, 'vaultState')).toBe('missing');
    expect(await attempt(page, 'unlock', password)).toEqual(wrong);
    expect(await attempt(page, 'create', password)).toMatchObject({ code: -32002 });
    expect(await accounts(page)).toEqual([address]);
    await create(page, { replaceMissing: true });
    await reload(page);
    expect(await call(page, 'vaultState')).toBe('locked');
  });

  test('a database deleted under an open wallet does not stop it', async () => {
    const page = await open();
    await create(page);
    await lose(page, 'database');
    expect(await call(page, 'vaultState')).toBe('unlocked');
    await call(page, 'addAccount');
    await reload(page);
    await call(page, 'unlock', password);
    expect(await accounts(page)).toHaveLength(2);
  });
});

describe('passwords', () => {
  test('after a change the old password unlocks nothing: not here, in another tab, nor the copy', async () => {
    const [page, tab] = [await open(), await open()];
    await create(page);
    await call(tab, 'unlock', password);
    const locked = tab.evaluate(() => (window as unknown as { page: VaultPage }).page.locking());
    await call(page, 'changePassword', password, other);
    await locked;
    expect(await call(page, 'vaultState')).toBe('unlocked');
    await reload(page);
    expect(await attempt(page, 'unlock', password)).toEqual(wrong);
    await call(tab, 'unlock', other);
    await lose(page, 'database');
    await reload(page);
    expect(await attempt(page, 'unlock', password)).toEqual(wrong);
    expect(await call(page, 'exportMnemonic', other)).toBe(mnemonic);
  });

  const opening = (page: Page, password: string) =>
    page.evaluate((password) => (window as unknown as { page: VaultPage }).page.opening(password), password);

  test('once a change has resolved, the old password opens no record in any database or file', async () => {
    const page = await open();
    await create(page);
    await call(page, 'addAccount');
    expect(await opening(page, password)).toEqual({ opened: 3, records: 3 });
    await call(page, 'changePassword', password, other);
    expect(await opening(page, password)).toEqual({ opened: 0, records: 2 });
    expect(await opening(page, other)).toEqual({ opened: 2, records: 2 });
  });

  test('if the page ends during a change, exactly one of the two passwords unlocks the wallet', async () => {
    for (const delay of [300, 800, 1_200]) {
      const page = await open();
      await create(page, { replaceMissing: true });
      void attempt(page, 'changePassword', password, other).catch(() => {});
      await page.waitForTimeout(delay);
      await page.close();
      const next = await open();
      const opened: string[] = [];
      for (const each of [password, other])
        if ('result' in (await attempt(next, 'unlock', each))) opened.push(each);
      expect(opened, `after ${delay} ms`).toHaveLength(1);
      // The next unlock has deleted what the old one could still open.
      if (opened[0] === other) expect(await opening(next, password)).toMatchObject({ opened: 0 });
      await next.evaluate(() => localStorage.clear());
      await lose(next, 'database', 'copy', 'sentinel');
      await next.close();
    }
  }, 120_000);

  test('locking one tab locks the other', async () => {
    const [page, tab] = [await open(), await open()];
    await create(page);
    await call(tab, 'unlock', password);
    const locked = page.evaluate(() => (window as unknown as { page: VaultPage }).page.locking());
    await call(tab, 'lock');
    await locked;
    expect(await attempt(page, 'addAccount')).toMatchObject({ code: 4100 });
  });

  test('after five wrong passwords another tab waits too before it tries the right one', async () => {
    const [page, tab] = [await open(), await open()];
    await create(page);
    for (let count = 0; count < 5; count++)
      expect(await attempt(page, 'unlock', `${password}${count}`)).toEqual(wrong);
    const attempts = () => tab.evaluate(() => (window as unknown as { page: VaultPage }).page.attempts());
    const { failures, at } = await attempts();
    expect(failures).toBe(5);
    const started = tab.waitForEvent('worker').then(() => Date.now());
    await call(tab, 'unlock', password);
    // One second; timers and the clock round differently.
    expect((await started) - at).toBeGreaterThan(990);
    expect(await attempts()).toBeUndefined();
  });

  test('secrets are exported only for the password, even while unlocked, and none is stored in plain text', async () => {
    const page = await open();
    const { address } = await create(page);
    await call(page, 'importPrivateKey', imported);
    for (const [name, ...args] of [
      ['exportMnemonic'],
      ['exportPrivateKey', address],
      ['exportKeystore', address],
      ['exportWif', address],
    ] as const)
      expect(await attempt(page, name, ...args, other)).toEqual(wrong);
    const key = (await call(page, 'exportPrivateKey', address, password)) as string;
    expect(await call(page, 'exportMnemonic', password)).toBe(mnemonic);
    const keystore = JSON.parse((await call(page, 'exportKeystore', address, password)) as string);
    expect(keystore).toMatchObject({ version: 3, address: address.slice(2) });

    const entropy = bytesToHex(await mnemonicToEntropy(mnemonic, wordlist));
    const secrets = [key.slice(2), imported.slice(2), entropy].flatMap((hex) => [
      hex,
      ...spellings(hexToBytes(hex)),
    ]);
    for (const text of [password, mnemonic, 'wave sausage', 'sausage worth'])
      secrets.push(text, ...spellings(new TextEncoder().encode(text)));
    const search = async () => {
      const kept = await page.evaluate(() => (window as unknown as { page: VaultPage }).page.kept());
      // It has looked in the right places.
      expect(kept.databases).toContain('scrypt');
      expect(kept.files).toContain('scrypt');
      expect(kept.texts).toContain(address);
      const everything = Object.values(kept).join('\n').toLowerCase();
      return secrets.filter((secret) => everything.includes(secret.toLowerCase()));
    };
    expect(await search()).toEqual([]);
    await call(page, 'lock');
    expect(await search()).toEqual([]);
  });
});

/** The ways in which bytes might be written down. */
function spellings(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes);
  const wide = Buffer.from(buffer.toString('latin1'), 'utf16le').toString('latin1');
  return [
    buffer.toString('hex'),
    buffer.toString('latin1'),
    wide,
    buffer.toString('base64').replace(/=+$/, ''),
    buffer.toString('base64url'),
    [...bytes].join(),
  ];
}
