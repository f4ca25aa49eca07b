import 'fake-indexeddb/auto';
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Address } from '../../../src/rpc/schema.js';
import { grant, withWatchedAsset } from '../../../src/session/changes.js';
import { permittedAccounts } from '../../../src/session/session.js';
import type { Accounts } from '../../../src/wallet/accounts.js';
import { everythingIn } from '../../support/secrecy.js';
import { closeAll, createBrowser } from './one-browser.js';

/** Backup, restore, passkeys, several phrases and the accounts' own settings, as the panel uses them. */

const words = 'test test test test test test test test test test test junk';
const otherWords = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const password = 'correct horse battery';
const filePassword = 'a password of the file';
const passkey = { passkey: true } as const;
const importedKey = `0x${'11'.repeat(32)}` as const;
const imported = privateKeyToAddress(importedKey).toLowerCase() as Address;
const site = 'https://app.example';
const addressOf = (phrase: string, coinType: number, index: number) =>
  mnemonicToAccount(phrase, {
    path: `m/44'/${coinType}'/0'/0/${index}` as never,
  }).address.toLowerCase() as Address;

beforeEach(() => vi.stubGlobal('location', { hostname: 'app.example' }));
afterEach(() => {
  closeAll();
  vi.unstubAllGlobals();
});

const rejection = async (promise: Promise<unknown>): Promise<Error & { code: number }> => {
  try {
    await promise;
  } catch (error) {
    return error as Error & { code: number };
  }
  throw new Error('it was taken');
};

describe('a backup of the phrase', () => {
  test('is needed from a creation on, over reloads, until it is confirmed', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    expect(wallet.session.state().backup).toBe('done');
    const { mnemonic, account } = await wallet.create(password);
    expect(mnemonic.split(' ')).toHaveLength(12);
    expect(wallet.session.state()).toMatchObject({ backup: 'needed', accounts: [account] });
    const reloaded = browser.open();
    expect(reloaded.session.state().backup).toBe('needed');
    await reloaded.unlock(password);
    expect(reloaded.session.state().backup).toBe('needed');
    await reloaded.confirmBackup();
    expect(browser.open().session.state().backup).toBe('done');
  });

  test('a backup of a phrase that was written down before is not asked for', async () => {
    const wallet = createBrowser().open();
    const mnemonic = await wallet.newMnemonic(24);
    expect(mnemonic.split(' ')).toHaveLength(24);
    expect(await wallet.newMnemonic()).not.toBe(await wallet.newMnemonic());
    expect(await wallet.state()).toBe('empty');
    await wallet.importMnemonic(mnemonic, { passkey: { name: 'My phone' } });
    expect(wallet.session.state().backup).toBe('done');
    for (const count of [15, 0, '12', null])
      expect(await rejection(wallet.newMnemonic(count as never))).toMatchObject({ code: -32602 });
  });

  test('has to be there before the password goes', async () => {
    const wallet = createBrowser().open();
    await wallet.create(password);
    await wallet.addPasskey('My phone');
    expect(await rejection(wallet.removePassword())).toMatchObject({
      code: -32602,
      message: expect.stringContaining('backup'),
    });
    await wallet.unlock(password);
    await wallet.confirmBackup();
    await wallet.removePassword();
    expect(await rejection(wallet.unlock(password))).toMatchObject({ code: 4100 });
    await wallet.unlock(passkey);
    await wallet.changePassword(passkey, 'a password again');
    await wallet.unlock('a password again');
  });
});

describe('passkeys', () => {
  test('are added, listed while locked, renamed and removed', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    await wallet.importMnemonic(words, { password });
    const { id } = await wallet.addPasskey('  My phone ');
    wallet.keyring.lock();
    expect(await browser.open().passkeys()).toMatchObject([{ id, name: 'My phone' }]);
    await wallet.unlock(passkey);
    await wallet.renamePasskey(id, 'Old phone');
    expect(await wallet.passkeys()).toMatchObject([{ id, name: 'Old phone' }]);
    await wallet.removePasskey(id);
    expect(await wallet.passkeys()).toEqual([]);
    expect(await rejection(wallet.unlock(passkey))).toMatchObject({ code: 4100 });
    // Whoever watches the wallet is told each time.
    expect(wallet.changes()).toBe(3);
  });

  test('cancelling is 4001; a browser without them is 4200, and a password works there', async () => {
    const { open, authenticator } = createBrowser();
    const wallet = open();
    authenticator.answer('NotAllowedError');
    expect(await rejection(wallet.importMnemonic(words, { passkey: { name: 'x' } }))).toMatchObject({
      code: 4001,
    });
    authenticator.answer('accept');
    authenticator.set({ prf: 'no' });
    expect(await rejection(wallet.importMnemonic(words, { passkey: { name: 'x' } }))).toMatchObject({
      code: 4200,
      message: expect.stringContaining('Use a password'),
    });
    expect([await wallet.state(), wallet.session.state().accounts]).toEqual(['empty', []]);
    await wallet.importMnemonic(words, { password });
    expect(await wallet.state()).toBe('unlocked');
  });
});

describe('a forgotten password', () => {
  test('is overcome with the phrase, which replaces the vault once the person says so', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    await wallet.importMnemonic(words, { password: 'forgotten password' });
    await wallet.importPrivateKey(importedKey);
    wallet.session.update(grant(site, [imported], 1));
    await wallet.rename(imported, 'Lost for good');
    wallet.keyring.lock();
    const reloaded = browser.open();
    expect(await rejection(reloaded.importMnemonic(words))).toMatchObject({ code: 4100 });
    expect(await rejection(reloaded.importMnemonic(words, { password }))).toMatchObject({
      code: -32002,
      message: expect.stringContaining('There is a wallet here already'),
    });
    expect(
      await rejection(reloaded.importMnemonic('test '.repeat(12), { password, replace: true })),
    ).toMatchObject({
      code: -32602,
    });
    expect(
      await rejection(reloaded.importMnemonic(words, { password: 'short', replace: true })),
    ).toMatchObject({
      code: -32602,
    });
    await browser.open().unlock('forgotten password');
    const account = await reloaded.importMnemonic(words, { password, replace: true });
    expect(reloaded.session.state()).toMatchObject({ accounts: [account], permissions: {}, backup: 'done' });
    expect(await rejection(browser.open().unlock('forgotten password'))).toMatchObject({ code: 4100 });
    await browser.open().unlock(password);
  });
});

describe('a backup file', () => {
  async function createWithEverything() {
    const browser = createBrowser();
    const wallet = browser.open();
    await wallet.importMnemonic(words, { password });
    const hidden = await wallet.addAccount();
    const second = await wallet.importMnemonic(otherWords, { passphrase: 'extra' });
    await wallet.importPrivateKey(importedKey);
    await wallet.rename(imported, 'Ahorros');
    await wallet.hide(hidden.address, true);
    wallet.session.update(withWatchedAsset(30, { address: imported, symbol: 'RIF', decimals: 18 }));
    return { browser, wallet, second };
  }

  test('brings accounts, labels, hidden accounts and tokens to another browser', async () => {
    const { wallet, second } = await createWithEverything();
    const file = await wallet.backup(password, filePassword);
    const { accounts, assets } = wallet.session.state();
    const elsewhere = createBrowser().open();
    const restored = await elsewhere.restore(file, filePassword, { passkey: { name: 'Laptop' } });
    expect(restored).toEqual(accounts);
    expect(elsewhere.session.state()).toMatchObject({ accounts, assets, permissions: {}, backup: 'done' });
    expect(await elsewhere.exportMnemonic(passkey, second.address)).toBe(otherWords);
    expect(await elsewhere.exportPassphrase(passkey, second.address)).toBe('extra');
    expect(await elsewhere.exportPassphrase(passkey)).toBe('');
  });

  test('adds to an open wallet, and replaces a locked one only on demand', async () => {
    const { wallet } = await createWithEverything();
    const file = await wallet.backup(password, filePassword);
    const browser = createBrowser();
    const other = browser.open();
    await other.importPrivateKey(`0x${'22'.repeat(32)}`, { password: 'another password' });
    await other.restore(file, filePassword);
    expect(other.session.state().accounts.map(({ label }) => label)).toEqual([
      'Account 1',
      'Account 4',
      'Account 2',
      'Account 3',
      'Ahorros',
    ]);
    other.keyring.lock();
    const locked = browser.open();
    expect(await rejection(locked.restore(file, filePassword))).toMatchObject({ code: 4100 });
    expect(await rejection(locked.restore(file, filePassword, { password }))).toMatchObject({ code: -32002 });
    await locked.restore(file, filePassword, { password, replace: true });
    expect(locked.session.state().accounts).toEqual(wallet.session.state().accounts);
    expect(await rejection(browser.open().unlock('another password'))).toMatchObject({ code: 4100 });
  });

  test('with a wrong or short password, cut short or foreign, changes nothing and shows no secret', async () => {
    const { wallet } = await createWithEverything();
    const file = await wallet.backup(password, filePassword);
    const browser = createBrowser();
    const other = browser.open();
    const before = other.session.state();
    const errors = [
      await rejection(other.restore(file, 'wrong password', { password })),
      await rejection(other.restore(file.slice(0, -9), filePassword, { password })),
      await rejection(other.restore('{"version":3}', filePassword, { password })),
      await rejection(other.restore(file.replace('"version":2', '"version":3'), filePassword, { password })),
      await rejection(other.restore(file, filePassword, { password: 'short' })),
      await rejection(other.restore(file, filePassword)),
      await rejection(wallet.backup('wrong password', filePassword)),
      await rejection(wallet.backup(password, 'short')),
    ];
    expect(errors.map(({ code }) => code)).toEqual([
      4100, -32602, -32602, -32002, -32602, -32602, 4100, -32602,
    ]);
    expect([await other.state(), other.session.state()]).toEqual(['empty', before]);
    const everything = everythingIn(errors);
    for (const secret of [filePassword, password, 'wrong password', words, otherWords, importedKey.slice(2)])
      expect(everything).not.toContain(secret);
  });
});

describe('accounts', () => {
  test('the second phrase derives too, on the active network', async () => {
    const wallet = createBrowser().open();
    await wallet.importMnemonic(words, { password });
    const second = await wallet.importMnemonic(otherWords);
    expect((await wallet.addAccount(second.address)).address).toBe(addressOf(otherWords, 37310, 1));
    expect((await wallet.addAccount()).address).toBe(addressOf(words, 37310, 1));
    wallet.session.update((state) => ({ ...state, chainId: 30 }));
    expect(await wallet.addAccount(second.address)).toEqual({
      address: addressOf(otherWords, 137, 0),
      label: 'Account 5',
      path: "m/44'/137'/0'/0/0",
    });
    expect(await wallet.exportMnemonic(password, second.address)).toBe(otherWords);
    expect(await rejection(wallet.addAccount('nobody' as never))).toMatchObject({ code: -32602 });
  });

  test('are renamed and hidden; the last one that is shown stays', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    const first = await wallet.importMnemonic(words, { password });
    const second = await wallet.addAccount();
    wallet.session.update(grant(site, [second.address, first.address], 1));
    await wallet.rename(first.address.toUpperCase().replace('0X', '0x') as Address, ' Daily ');
    await wallet.hide(second.address, true);
    expect(wallet.session.state().accounts).toEqual([
      { ...first, label: 'Daily' },
      { ...second, hidden: true },
    ]);
    expect(permittedAccounts(wallet.session.state(), site)).toEqual([first.address]);
    expect(await rejection(wallet.hide(first.address, true))).toMatchObject({ code: -32602 });
    const reloaded = browser.open();
    await reloaded.unlock(password);
    expect(reloaded.session.state().accounts).toEqual(wallet.session.state().accounts);
    await wallet.hide(second.address, false);
    expect(permittedAccounts(wallet.session.state(), site)).toEqual([second.address, first.address]);
    for (const refused of [
      wallet.rename(imported, 'x'),
      wallet.hide(imported, true),
      wallet.rename(first.address, ''),
      wallet.hide(first.address, 1 as never),
    ])
      expect(await rejection(refused)).toMatchObject({ code: -32602 });
  });

  test('an imported one is removed from the list and from every permission', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    const first = await wallet.importMnemonic(words, { password });
    await wallet.importPrivateKey(importedKey);
    wallet.session.update(grant(site, [imported, first.address], 1));
    await wallet.remove(imported);
    expect(wallet.session.state().accounts).toEqual([first]);
    expect(wallet.session.state().permissions[site]?.accounts).toEqual([first.address]);
    expect(await rejection(wallet.remove(first.address))).toMatchObject({ code: -32602 });
    expect(await rejection(wallet.remove(imported))).toMatchObject({ code: -32602 });
    expect((await wallet.importPrivateKey(importedKey)).label).toBe('Account 2');
  });

  test('accounts that were used are found on the three paths, for every phrase, and added', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    const first = await wallet.importMnemonic(words, { password });
    expect(await wallet.discover()).toEqual([]);
    // The first account is known. This service cannot be asked for all balances at once.
    expect(browser.requests).toHaveLength(1 + 2 * (5 + 5 + 5));
    await wallet.importMnemonic(otherWords);
    for (const address of [
      addressOf(words, 37310, 0),
      addressOf(words, 37310, 3),
      addressOf(words, 60, 0),
      addressOf(otherWords, 137, 2),
    ])
      browser.used.add(address);
    const progress: number[][] = [];
    const found = await wallet.discover({ onProgress: (done, of) => void progress.push([done, of]) });
    expect(found.map(({ address, label }) => [address, label])).toEqual([
      [addressOf(words, 37310, 3), 'Account 3'],
      [addressOf(words, 60, 0), 'Account 4'],
      [addressOf(otherWords, 137, 2), 'Account 5'],
    ]);
    expect(wallet.session.state().accounts).toHaveLength(5);
    expect(wallet.session.state().accounts[0]).toEqual(first);
    expect(progress.at(-1)?.[0]).toBe(progress.at(-1)?.[1]);
    expect(await wallet.discover()).toEqual([]);
    wallet.keyring.lock();
    expect(await rejection(wallet.discover())).toMatchObject({ code: 4100 });
  });

  test('an aborted search adds none', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    await wallet.importMnemonic(words, { password });
    browser.used.add(addressOf(words, 60, 0));
    const stop = new AbortController();
    const finding = wallet.discover({ signal: stop.signal, onProgress: () => stop.abort() });
    expect(await rejection(finding)).toMatchObject({ code: 4001 });
    expect(wallet.session.state().accounts).toHaveLength(1);
    for (const options of [5, { signal: 5 }, { onProgress: {} }])
      expect(await rejection(wallet.discover(options as never))).toMatchObject({ code: -32602 });
  });
});

describe('erase and persist', () => {
  test('an erased wallet leaves nothing, and another can begin', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    await wallet.importMnemonic(words, { password });
    await wallet.importPrivateKey(importedKey);
    await wallet.erase();
    expect(wallet.session.state().accounts).toEqual([]);
    expect([await browser.storage.all('vault'), browser.memory.read(), browser.traces.sentinel()]).toEqual([
      [],
      null,
      null,
    ]);
    expect(await wallet.state()).toBe('empty');
    await wallet.importMnemonic(otherWords, { password: 'another password' });
    await browser.open().unlock('another password');
  });

  test('the time after which the keys lock is kept, and only a sensible one is taken', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    await wallet.setLockAfter(300_000);
    expect(browser.open().session.state().lockAfter).toBe(300_000);
    for (const wrong of [0, 59_999, 28_800_001, 60_000.5, Number.NaN, '60000', undefined])
      expect(await rejection(wallet.setLockAfter(wrong as never))).toMatchObject({ code: -32602 });
    await wallet.setLockAfter(null);
    expect(browser.open().session.state().lockAfter).toBeUndefined();
  });

  test('persist says whether the browser will keep the wallet', async () => {
    const wallet: Accounts = createBrowser().open();
    for (const [storage, kept] of [
      [{ persist: async () => true }, true],
      [{ persist: async () => false }, false],
      [{ persist: () => Promise.reject(new TypeError('no')) }, false],
      [{}, false],
      [undefined, false],
    ] as const) {
      vi.stubGlobal('navigator', { storage });
      expect(await wallet.persist()).toBe(kept);
    }
    vi.stubGlobal('navigator', undefined);
    expect(await wallet.persist()).toBe(false);
  });
});
