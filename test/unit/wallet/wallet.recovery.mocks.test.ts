import 'fake-indexeddb/auto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type HeadlessApprover, headless } from '../../../packages/kit/src/testing/index.js';
import { createVolatileMemory, createWallet, type SessionMemory, type Wallet } from '../../../src/index.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { mnemonic, origin } from '../../support/keys.js';

/** Passkeys, hidden accounts and erasing through the whole wallet, with WebAuthn as the browser offers it. */

const authenticator = await vi.hoisted(async () =>
  (await import('../../support/fake-authenticator.js')).installFakeAuthenticator(),
);

const passkey = { passkey: true } as const;
const imported = `0x${'11'.repeat(32)}`;
const wallets: Wallet[] = [];
afterEach(() => {
  authenticator.answer('accept');
  for (const wallet of wallets.splice(0)) wallet.destroy();
});

let made = 0;
function createBrowser() {
  const name = `recovery-${++made}`;
  const memory: SessionMemory = createVolatileMemory();
  return {
    storage: createIdbStorage({ name: `graft:${name}` }),
    memory,
    open(approver: HeadlessApprover = headless()) {
      const wallet = createWallet({
        networks: [{ chainId: 31, url: 'http://127.0.0.1:9/key' }],
        name,
        memory,
        origin,
        approver: () => approver,
      });
      wallets.push(wallet);
      return wallet;
    },
  };
}

test('a wallet with a passkey only is created, locked, unlocked and exported', async () => {
  const browser = createBrowser();
  const wallet = browser.open();
  const account = await wallet.importMnemonic(mnemonic, { passkey: { name: 'My phone' } });
  expect(authenticator.requests.at(-1)).toMatchObject({ rpId: 'app.example', userVerification: 'required' });
  await wallet.lock();
  const reloaded = browser.open();
  expect(await reloaded.vaultState()).toBe('locked');
  authenticator.answer('NotAllowedError');
  await expect(reloaded.unlock(passkey)).rejects.toMatchObject({ code: 4001 });
  authenticator.answer('accept');
  await reloaded.unlock(passkey);
  expect(await reloaded.vaultState()).toBe('unlocked');
  expect(reloaded.state().accounts).toEqual([account]);
  expect(await reloaded.exportMnemonic(passkey)).toBe(mnemonic);
  const [{ id } = { id: '' }] = await reloaded.passkeys();
  await expect(reloaded.removePasskey(id)).rejects.toMatchObject({ code: -32602 });
});

describe('a hidden account', () => {
  test('leaves the page that was given it, and is offered to none', async () => {
    const approver = headless();
    const wallet = createBrowser().open(approver);
    const { provider } = wallet;
    const first = await wallet.importMnemonic(mnemonic, { passkey: { name: 'x' } });
    const second = await wallet.importPrivateKey(imported);
    const heard: unknown[] = [];
    provider.on('accountsChanged', (accounts) => heard.push(accounts));
    await wallet.hide(first.address, true);
    expect(await provider.request({ method: 'eth_requestAccounts' })).toEqual([second.address]);
    expect(approver.asked.at(-1)).toMatchObject({
      accounts: [{ address: second.address }],
      selected: [second.address],
    });
    await wallet.hide(first.address, false);
    await wallet.hide(second.address, true);
    expect(await provider.request({ method: 'eth_accounts' })).toEqual([]);
    expect(heard).toEqual([[second.address], []]);
    const signed = provider.request({ method: 'personal_sign', params: ['0x00', second.address] });
    await expect(signed).rejects.toMatchObject({ code: 4100 });
    await wallet.hide(second.address, false);
    expect(heard.at(-1)).toEqual([second.address]);
  });
});

describe('erase', () => {
  const records = async ({ storage }: ReturnType<typeof createBrowser>) =>
    (
      await Promise.all(
        (['vault', 'journal', 'archive', 'calls', 'cursor'] as const).map((store) => storage.all(store)),
      )
    ).flat();
  const plant = async ({ storage }: ReturnType<typeof createBrowser>) => {
    for (const store of ['journal', 'archive', 'calls', 'cursor'] as const)
      await storage.put(store, [['k', { of: store, chainId: 31, state: 'mined', createdAt: 1 }]]);
  };

  test('leaves nothing of the vault, the journal, batches, cursors and the session', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    await wallet.importMnemonic(mnemonic, { passkey: { name: 'x' } });
    await wallet.provider.request({ method: 'eth_requestAccounts' });
    await plant(browser);
    const heard: unknown[] = [];
    wallet.provider.on('accountsChanged', (accounts) => heard.push(accounts));
    const forgotten = authenticator.forgotten.length;
    await wallet.erase();
    expect(await records(browser)).toEqual([]);
    expect([browser.memory.read(), wallet.state().accounts, heard]).toEqual([null, [], [[]]]);
    expect(await wallet.vaultState()).toBe('empty');
    expect(authenticator.forgotten).toHaveLength(forgotten + 1);
    const account = await wallet.importPrivateKey(imported, { passkey: { name: 'again' } });
    expect(browser.open().state().accounts).toEqual([account]);
  });

  test('an erasure that was interrupted is finished by the next page', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    await wallet.importMnemonic(mnemonic, { passkey: { name: 'x' } });
    wallet.destroy();
    await plant(browser);
    await browser.storage.clear('vault', [['erased', true]]);
    const next = browser.open();
    expect(next.state().accounts).toHaveLength(1);
    expect(await next.vaultState()).toBe('empty');
    await expect.poll(() => records(browser)).toEqual([]);
    expect([next.state().accounts, browser.memory.read()]).toEqual([[], null]);
  });
});
