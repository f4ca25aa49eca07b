import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { type Served, servePage } from '../../support/serve.js';
import type { Operation, Outcome, VaultPage } from './vault-page.js';

/** Passkeys with Chromium's own WebAuthn, and its virtual authenticator in place of a device. */

const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const password = 'Tr0ub4dor and a horse';
const other = 'another Tr0ub4dor and a mule';
const passkey = { passkey: true };

const html =
  '<!doctype html><title>Passkeys</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/vault-page.ts"></script>';

let served: Served;
let browser: Browser;
let context: BrowserContext;
let session: CDPSession;
let authenticatorId: string;

beforeAll(async () => {
  [served, browser] = await Promise.all([servePage({ html }), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});
beforeEach(async () => {
  context = await browser.newContext();
  context.setDefaultTimeout(30_000);
});
afterEach(() => context.close());

async function open(device: { hasPrf?: boolean; address?: string } = {}): Promise<Page> {
  const page = await context.newPage();
  session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const added = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      hasPrf: device.hasPrf ?? true,
    },
  });
  authenticatorId = added.authenticatorId;
  // Addresses in digits have no passkeys.
  await page.goto(device.address ?? served.url.replace('127.0.0.1', 'localhost'));
  await ready(page);
  return page;
}

const ready = (page: Page) => page.waitForFunction(() => 'page' in window);
const reload = async (page: Page) => {
  await page.reload();
  await ready(page);
};
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
const credentials = async () =>
  (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
test('a wallet with a passkey only is created, opens after a reload, and gets a password', async () => {
  const page = await open();
  const imported = await call(page, 'importMnemonic', mnemonic, { passkey: { name: 'This laptop' } });
  const { address } = imported as { address: string };
  expect(await credentials()).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);
  await reload(page);
  expect(await call(page, 'vaultState')).toBe('locked');
  expect(await call(page, 'passkeys')).toMatchObject([{ name: 'This laptop' }]);
  await call(page, 'unlock', passkey);
  expect(await call(page, 'vaultState')).toBe('unlocked');
  expect(await call(page, 'exportMnemonic', passkey)).toBe(mnemonic);
  expect(await call(page, 'exportWif', address, passkey)).toMatch(/^c[1-9A-HJ-NP-Za-km-z]{51}$/);
  await call(page, 'changePassword', passkey, password);
  await reload(page);
  await call(page, 'unlock', password);
  await call(page, 'lock');
  await call(page, 'unlock', passkey);
});

test('an added passkey survives a change of the password, and a removed one opens nothing', async () => {
  const page = await open();
  await call(page, 'importMnemonic', mnemonic, { password });
  const { id } = (await call(page, 'addPasskey', 'This laptop')) as { id: string };
  expect(await attempt(page, 'addPasskey', 'Again')).toMatchObject({ code: -32002 });
  await call(page, 'changePassword', password, other);
  await call(page, 'lock');
  await call(page, 'unlock', passkey);
  expect(await attempt(page, 'unlock', password)).toMatchObject({ code: 4100 });
  await call(page, 'removePassword');
  expect(await attempt(page, 'unlock', other)).toMatchObject({ code: 4100 });
  expect(await attempt(page, 'removePasskey', id)).toMatchObject({ code: -32602 });
  await call(page, 'changePassword', passkey, password);
  await call(page, 'removePasskey', id);
  expect(await attempt(page, 'unlock', passkey)).toMatchObject({ code: 4100 });
  await call(page, 'unlock', password);
});

test('a device that does not verify the person opens nothing: it counts as a refusal', async () => {
  const page = await open();
  await call(page, 'importMnemonic', mnemonic, { password, passkey: { name: 'This laptop' } });
  await call(page, 'lock');
  await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  expect(await attempt(page, 'unlock', passkey)).toMatchObject({ code: 4001 });
  expect(await call(page, 'vaultState')).toBe('locked');
  await call(page, 'unlock', password);
});

test('where the device has no PRF, or the address no passkeys, a password is advised and works', async () => {
  const advised = { code: 4200, message: expect.stringContaining('Use a password') };
  for (const device of [{ hasPrf: false }, { address: served.url }]) {
    await context.close();
    context = await browser.newContext();
    const page = await open(device);
    const made = { passkey: { name: 'This laptop' } };
    expect(await attempt(page, 'importMnemonic', mnemonic, made)).toMatchObject(advised);
    expect(await call(page, 'vaultState')).toBe('empty');
    await call(page, 'importMnemonic', mnemonic, { password });
    expect(await attempt(page, 'addPasskey', 'This laptop')).toMatchObject(advised);
    await call(page, 'lock');
    await call(page, 'unlock', password);
  }
});

test('an erased wallet leaves no database record, file, text or passkey that opens', async () => {
  const page = await open();
  await call(page, 'importMnemonic', mnemonic, { password, passkey: { name: 'This laptop' } });
  await call(page, 'erase');
  expect(await call(page, 'vaultState')).toBe('empty');
  const { records } = await page.evaluate(
    (secret) => (window as unknown as { page: VaultPage }).page.opening(secret),
    password,
  );
  expect(records).toBe(0);
  const left = await page.evaluate(async () => {
    const files: string[] = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
    return { files, texts: Object.keys(localStorage) };
  });
  expect(left).toEqual({ files: [], texts: [] });
  await reload(page);
  expect(await call(page, 'vaultState')).toBe('empty');
  expect(await attempt(page, 'unlock', passkey)).toMatchObject({ code: 4100 });
});
