import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mint } from '../../../src/approvals/approved.js';
import { createKeyring, type Keyring } from '../../../src/keyring/keyring.js';
import { passkeyWraps, readVaultRecord, type VaultRecord } from '../../../src/keyring/vault/record.js';
import { openVault, withContents } from '../../../src/keyring/vault/vault.js';
import type { Address } from '../../../src/rpc/schema.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { createFakeAuthenticator } from '../../support/fake-authenticator.js';
import { backupV1, vaultV1 } from '../../support/vectors.js';
import { waitFor } from '../../support/wait-for.js';
import { createProfile, opening, works } from './profile.js';

const words = 'test test test test test test test test test test test junk';
const otherWords = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const pathAt = (index: number) => `m/44'/60'/0'/0/${index}`;
const mnemonic: Keyring.Secret = { type: 'mnemonic', mnemonic: words, path: pathAt(0) };
const other: Keyring.Secret = { type: 'mnemonic', mnemonic: otherWords, path: pathAt(0) };
const privateKey = `0x${'11'.repeat(32)}` as const;
const imported: Keyring.Secret = { type: 'private-key', privateKey };
const importedAddress = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a';
const passkey = { passkey: true } as const;

/** The address that other libraries derive. */
const addressOf = (phrase: string, path: string, passphrase?: string): Address => {
  const { privateKey: key } = HDKey.fromMasterSeed(mnemonicToSeedSync(phrase, passphrase)).derive(path);
  return privateKeyToAddress(`0x${Buffer.from(key as Uint8Array).toString('hex')}`).toLowerCase() as Address;
};
const message = (from: Address) => mint<Keyring.MessageSubject>({ type: 'message', from, bytes: '0x00' });

beforeEach(() => vi.stubGlobal('location', { hostname: 'app.example' }));
afterEach(() => vi.unstubAllGlobals());

/** A profile on a device with passkeys. */
function createDevice(...given: Parameters<typeof createProfile>) {
  const profile = createProfile(...given);
  const authenticator = createFakeAuthenticator();
  return {
    ...profile,
    authenticator,
    page: (options: Partial<createKeyring.Options> = {}) => profile.page({ authenticator, ...options }),
    record: async () => {
      const pointer = (await profile.storage.get('vault', 'pointer')) as { slot: string };
      return (await profile.storage.get('vault', pointer.slot)) as VaultRecord;
    },
  };
}

/** A storage that is full, except for the throttle. */
const fullStorage = (storage: Storage): Storage => ({
  ...storage,
  update: (store, key, next) =>
    key === 'attempts'
      ? storage.update(store, key, next)
      : Promise.reject(new DOMException('full', 'QuotaExceededError')),
});

describe('passkeys', () => {
  test('a wallet can have a passkey only: two prompts to create it, one to unlock it', async () => {
    const { page, authenticator, record } = createDevice();
    const account = await page().create(mnemonic, { passkey: { name: 'My phone' } });
    expect(authenticator.prompts).toEqual(['create', 'get']);
    expect((await record()).wraps.map(({ type }) => type)).toEqual(['prf']);
    const keyring = page();
    await keyring.unlock(passkey);
    expect(authenticator.prompts).toEqual(['create', 'get', 'get']);
    expect(await keyring.accounts()).toEqual([account]);
    expect(await keyring.signMessage(message(account.address))).toMatch(/^0x/);
    expect(await works(page(), 'a password')).toBe(false);
  });

  test('a wallet can be created with a password and a passkey', async () => {
    const { page } = createDevice();
    await page().create(mnemonic, { password: 'correct horse', passkey: { name: 'My phone' } });
    expect(await works(page(), 'correct horse')).toBe(true);
    expect(await works(page(), passkey)).toBe(true);
  });

  test('a second vault is refused without a prompt', async () => {
    const { page, authenticator } = createDevice();
    await page().create(mnemonic, 'correct horse');
    await expect(page().create(other, { passkey: { name: 'x' } })).rejects.toMatchObject({ code: -32002 });
    await expect(
      page().create({ ...other, path: 'm' } as Keyring.Secret, { passkey: { name: 'x' } }),
    ).rejects.toMatchObject({ code: -32602 });
    expect(authenticator.prompts).toEqual([]);
  });

  test('an added one opens the vault beside the password, and is listed while locked', async () => {
    const { page, clock } = createDevice();
    const keyring = page();
    await keyring.create(mnemonic, 'correct horse');
    expect(await keyring.passkeys()).toEqual([]);
    const added = await keyring.addPasskey('My phone');
    expect(added).toEqual({ id: expect.any(String), name: 'My phone', createdAt: clock.now() });
    expect(keyring.locked()).toBe(false);
    expect(await keyring.accounts()).toHaveLength(1);
    keyring.lock();
    expect(await keyring.passkeys()).toEqual([added]);
    expect(await works(page(), passkey)).toBe(true);
    expect(await works(page(), 'correct horse')).toBe(true);
  });

  test('it survives a change of the password without being asked for, and the old password opens nothing', async () => {
    const device = createDevice();
    const keyring = device.page();
    await keyring.create(mnemonic, 'first password');
    await keyring.addPasskey('My phone');
    const prompts = device.authenticator.prompts.length;
    await keyring.changePassword('first password', 'second password');
    await keyring.add(imported);
    await keyring.changePassword('second password', 'third password');
    expect(device.authenticator.prompts).toHaveLength(prompts);
    for (const old of ['first password', 'second password']) expect(await opening(old, device)).toEqual([]);
    const after = device.page();
    await after.unlock(passkey);
    expect(await after.accounts()).toHaveLength(2);
    expect(await works(device.page(), 'third password')).toBe(true);
  });

  test('it can set the first password of a wallet without one, and a new one for a forgotten one', async () => {
    const { page } = createDevice();
    await page().create(mnemonic, { passkey: { name: 'x' } });
    await page().changePassword(passkey, 'first password');
    expect(await works(page(), 'first password')).toBe(true);
    await page().changePassword(passkey, 'second password');
    expect([await works(page(), 'first password'), await works(page(), 'second password')]).toEqual([
      false,
      true,
    ]);
    expect(await works(page(), passkey)).toBe(true);
  });

  test('two devices with one vault each open it with their own passkey', async () => {
    const phone = createDevice();
    const keyring = phone.page();
    await keyring.create(mnemonic, 'correct horse');
    await keyring.addPasskey('Phone');
    const laptop = createFakeAuthenticator();
    const elsewhere = phone.page({ authenticator: laptop });
    await elsewhere.unlock('correct horse');
    await elsewhere.addPasskey('Laptop');
    for (const authenticator of [phone.authenticator, laptop])
      expect(await works(phone.page({ authenticator }), passkey)).toBe(true);
    expect((await elsewhere.passkeys()).map(({ name }) => name)).toEqual(['Phone', 'Laptop']);
    await expect(elsewhere.addPasskey('Laptop again')).rejects.toMatchObject({ code: -32002 });
    expect(laptop.forgotten).toEqual([]);
    expect(await works(phone.page({ authenticator: laptop }), passkey)).toBe(true);
  });

  test('a renamed passkey still opens the vault, and renaming opens no prompt', async () => {
    const { page, authenticator } = createDevice();
    const keyring = page();
    await keyring.create(mnemonic, 'correct horse');
    const { id } = await keyring.addPasskey('My phone');
    const prompts = authenticator.prompts.length;
    await keyring.renamePasskey(id, 'Old phone');
    expect(authenticator.prompts).toHaveLength(prompts);
    expect(await keyring.passkeys()).toMatchObject([{ id, name: 'Old phone' }]);
    expect(await works(page(), passkey)).toBe(true);
    await expect(keyring.renamePasskey('nobody', 'x')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('id'),
    });
  });

  test('a removed passkey opens no remaining record, and the password manager is asked to forget it', async () => {
    const device = createDevice();
    const keyring = device.page();
    await keyring.create(mnemonic, 'correct horse');
    const { id } = await keyring.addPasskey('My phone');
    await keyring.add(imported);
    const credentialId = device.authenticator.passkeys[0]?.id as string;
    await keyring.removePasskey(id);
    expect(device.authenticator.forgotten).toEqual([credentialId]);
    const left = [...(await device.storage.all('vault')), await device.traces.copy()].map(readVaultRecord);
    for (const each of left) if (each.kind === 'record') expect(passkeyWraps(each.record)).toEqual([]);
    expect(await keyring.accounts()).toHaveLength(2);
    expect(await works(device.page(), passkey)).toBe(false);
    expect(await works(device.page(), 'correct horse')).toBe(true);
    await expect(keyring.removePasskey(id)).rejects.toMatchObject({ code: -32602 });
  });

  test('the only way in stays: a passkey without a password, a password without a passkey', async () => {
    const { page } = createDevice();
    const keyring = page();
    await keyring.create(mnemonic, { passkey: { name: 'x' } });
    const [{ id } = { id: '' }] = await keyring.passkeys();
    await expect(keyring.removePasskey(id)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('only way'),
    });
    expect(await works(page(), passkey)).toBe(true);
    const plain = createDevice().page();
    await plain.create(mnemonic, 'correct horse');
    await expect(plain.removePassword()).rejects.toMatchObject({ code: -32602 });
  });

  test('a removed password opens no record that is left', async () => {
    const device = createDevice();
    const keyring = device.page();
    await keyring.create(mnemonic, 'correct horse');
    await keyring.addPasskey('x');
    await keyring.add(imported);
    await keyring.removePassword();
    expect(await opening('correct horse', device)).toEqual([]);
    expect(await works(device.page(), passkey)).toBe(true);
    expect(await keyring.accounts()).toHaveLength(2);
  });

  test('cancelling the prompt is 4001, leaves it locked, and does not slow guesses down', async () => {
    const { page, authenticator, storage } = createDevice();
    await page().create(mnemonic, { password: 'correct horse', passkey: { name: 'x' } });
    authenticator.answer('NotAllowedError');
    const keyring = page();
    for (let i = 0; i < 7; i++) await expect(keyring.unlock(passkey)).rejects.toMatchObject({ code: 4001 });
    expect(keyring.locked()).toBe(true);
    expect(await storage.get('vault', 'attempts')).toBeUndefined();
    await keyring.unlock('correct horse');
  });

  test('without PRF, cancelled, or on a full disk, the vault stays as it was and the half-made passkey is forgotten', async () => {
    const { page, storage, traces, authenticator, record } = createDevice();
    const keyring = page();
    await keyring.create(mnemonic, 'correct horse');
    const before = await record();
    authenticator.set({ prf: 'silent' });
    await expect(keyring.addPasskey('x')).rejects.toMatchObject({ code: 4200 });
    authenticator.set({ prf: 'yes' });
    authenticator.answer('accept', 'NotAllowedError');
    await expect(keyring.addPasskey('x')).rejects.toMatchObject({ code: 4001 });
    authenticator.answer('accept');
    const full = createProfile(fullStorage(storage), traces).page({ authenticator });
    await full.unlock('correct horse');
    await expect(full.addPasskey('x')).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining('Nothing was changed'),
    });
    expect(authenticator.forgotten).toEqual(authenticator.passkeys.map(({ id }) => id));
    expect(await record()).toEqual(before);
    expect(keyring.locked()).toBe(false);
  });

  test('a stored passkey is not forgotten, even if an older record could not be deleted', async () => {
    const { page, storage, authenticator } = createDevice();
    await page().create(mnemonic, 'correct horse');
    const stuck: Storage = {
      ...storage,
      update: (store, key, next) =>
        storage.update(store, key, (current) => {
          const value = next(current);
          if (value === undefined && current !== undefined && key.startsWith('slot'))
            throw new DOMException('stuck', 'AbortError');
          return value;
        }),
    };
    const keyring = page({ storage: stuck });
    await keyring.unlock('correct horse');
    await expect(keyring.addPasskey('x')).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining('The change counts'),
    });
    expect(authenticator.forgotten).toEqual([]);
    expect(await works(page(), passkey)).toBe(true);
  });

  test('a locked vault adds, renames and removes no passkey, and opens no prompt', async () => {
    const { page, authenticator } = createDevice();
    const keyring = page();
    await keyring.create(mnemonic, 'correct horse');
    keyring.lock();
    for (const refused of [
      keyring.addPasskey('x'),
      keyring.renamePasskey('x', 'y'),
      keyring.removePasskey('x'),
      keyring.removePassword(),
    ])
      await expect(refused).rejects.toMatchObject({ code: 4100 });
    expect(authenticator.prompts).toEqual([]);
  });

  test('while a prompt is open, the vault can be written', async () => {
    const { page, authenticator } = createDevice();
    let answered = () => {};
    const open = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const keyring = page();
    await keyring.create(mnemonic, { password: 'correct horse', passkey: { name: 'x' } });
    const slow = page({
      authenticator: {
        ...authenticator,
        async get(options) {
          await open;
          return authenticator.get(options);
        },
      },
    });
    await slow.unlock('correct horse');
    const exporting = slow.exportMnemonic(passkey);
    await slow.add(imported);
    answered();
    expect(await exporting).toBe(words);
    expect(await slow.accounts()).toHaveLength(2);
  });

  test('other pages lock when one adds a passkey', async () => {
    const { page } = createDevice();
    const a = page();
    await a.create(mnemonic, 'correct horse');
    const b = page();
    await b.unlock('correct horse');
    await a.addPasskey('x');
    await expect(b.accounts()).rejects.toMatchObject({ code: 4100 });
    expect([a.locked(), b.locked()]).toEqual([false, true]);
  });

  test('there are at most 16 ways in', async () => {
    const { page } = createDevice();
    const keyring = page();
    await keyring.create(mnemonic, 'correct horse');
    for (let i = 1; i <= 15; i++) {
      const next = page({ authenticator: createFakeAuthenticator() });
      await next.unlock('correct horse');
      await next.addPasskey(`Device ${i}`);
    }
    const authenticator = createFakeAuthenticator();
    const last = page({ authenticator });
    await last.unlock('correct horse');
    await expect(last.addPasskey('one more')).rejects.toMatchObject({ code: -32602 });
    expect(authenticator.prompts).toEqual([]);
    expect(await last.passkeys()).toHaveLength(15);
  });

  test('a private key is lent for the password only, and wiped after a use that fails too', async () => {
    const { page } = createDevice();
    await page().create(imported, 'x');
    const keyring = page();
    let lent = new Uint8Array(0);
    const failing = keyring.lendPrivateKey(importedAddress, 'x', async (key) => {
      expect(Buffer.from(key).toString('hex')).toBe('11'.repeat(32));
      lent = key as typeof lent;
      throw new Error('the use failed');
    });
    await expect(failing).rejects.toThrow('the use failed');
    expect(lent).toEqual(new Uint8Array(32));
    const lending = keyring.lendPrivateKey(importedAddress, 'y', () => 'lent');
    await expect(lending).rejects.toMatchObject({ code: 4100 });
    expect(keyring.locked()).toBe(true);
  });

  test('a public key is compressed, and needs an unlocked wallet and one of its accounts', async () => {
    const keyring = createDevice().page();
    await keyring.create(imported, 'x');
    expect(Buffer.from(await keyring.publicKey(importedAddress)).toString('hex')).toBe(
      '034f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa',
    );
    await expect(keyring.publicKey(`0x${'ab'.repeat(20)}`)).rejects.toMatchObject({ code: -32602 });
    await keyring.lock();
    await expect(keyring.publicKey(importedAddress)).rejects.toMatchObject({ code: 4100 });
  });

  test('secrets are exported for a passkey too', async () => {
    const { page, authenticator } = createDevice();
    await page().create(mnemonic, { passkey: { name: 'x' } });
    const keyring = page();
    const address = addressOf(words, pathAt(0));
    expect(await keyring.exportMnemonic(passkey)).toBe(words);
    expect(await keyring.exportPrivateKey(address, passkey)).toMatch(/^0x[0-9a-f]{64}$/);
    await expect(keyring.exportKeystore(address, passkey)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('filePassword'),
    });
    const json = await keyring.exportKeystore(address, passkey, 'for the file');
    expect(
      await createProfile().page().create({ type: 'keystore', json, password: 'for the file' }, 'x'),
    ).toEqual({
      address,
      path: null,
    });
    expect(keyring.locked()).toBe(true);
    authenticator.answer('NotAllowedError');
    await expect(keyring.exportMnemonic(passkey)).rejects.toMatchObject({ code: 4001 });
  });
});

describe('a vault of version 1', () => {
  async function createOldDevice() {
    const storage = createMemoryStorage();
    await storage.put('vault', [
      ['slot-b', vaultV1['slot-b']],
      ['pointer', vaultV1.pointer],
    ]);
    return createDevice(storage);
  }

  test('becomes version 3 when its password unlocks it, with the same accounts', async () => {
    const { page, record } = await createOldDevice();
    const keyring = page();
    expect(await keyring.state()).toBe('locked');
    await keyring.unlock('correct horse');
    expect(await record()).toMatchObject({ v: 3, gen: 3, vaultId: vaultV1['slot-b'].vaultId });
    expect(await keyring.accounts()).toEqual([
      { address: addressOf(words, pathAt(0)), path: pathAt(0) },
      { address: importedAddress, path: null },
    ]);
    await keyring.addPasskey('x');
    expect(await works(page(), passkey)).toBe(true);
    expect(await works(page(), 'correct horse')).toBe(true);
  });

  test('stays where it cannot be written, and then takes no passkey', async () => {
    const { storage, traces, authenticator, record } = await createOldDevice();
    const keyring = createProfile(fullStorage(storage), traces).page({ authenticator });
    await keyring.unlock('correct horse');
    expect(await record()).toEqual(vaultV1['slot-b']);
    expect(await keyring.accounts()).toHaveLength(2);
    await expect(keyring.addPasskey('x')).rejects.toMatchObject({ code: 4100 });
    expect(authenticator.prompts).toEqual([]);
    expect(await works(createProfile(storage, traces).page(), 'correct horse')).toBe(true);
  });
});

describe('several mnemonics', () => {
  test('each derives its own next accounts, whatever paths the others have', async () => {
    const { page } = createProfile();
    const keyring = page();
    const first = await keyring.create(mnemonic, 'a');
    const second = await keyring.add(other);
    expect(second.address).toBe(addressOf(otherWords, pathAt(0)));
    expect(await keyring.deriveNext(pathAt)).toEqual({
      address: addressOf(words, pathAt(1)),
      path: pathAt(1),
    });
    expect(await keyring.deriveNext(pathAt, second.address)).toEqual({
      address: addressOf(otherWords, pathAt(1)),
      path: pathAt(1),
    });
    expect((await keyring.deriveNext(pathAt, first.address)).address).toBe(addressOf(words, pathAt(2)));
    expect(await keyring.exportMnemonic('a')).toBe(words);
    expect(await keyring.exportMnemonic('a', second.address)).toBe(otherWords);
    expect(await keyring.exportMnemonic('a', addressOf(otherWords, pathAt(1)))).toBe(otherWords);
    const reloaded = page();
    await reloaded.unlock('a');
    expect(await reloaded.accounts()).toHaveLength(5);
  });

  test('a gap, and an imported key that a phrase derives too, are passed over', async () => {
    const keyring = createProfile().page();
    const first = await keyring.create(mnemonic, 'a');
    await keyring.derive(pathAt(2));
    const { privateKey: key } = HDKey.fromMasterSeed(mnemonicToSeedSync(words)).derive(pathAt(1));
    await keyring.add({
      type: 'private-key',
      privateKey: `0x${Buffer.from(key as Uint8Array).toString('hex')}`,
    });
    const paths = [];
    for (let i = 0; i < 3; i++) paths.push((await keyring.deriveNext(pathAt, first.address)).path);
    expect(paths).toEqual([3, 4, 5].map(pathAt));
  });

  test('a passphrase makes another wallet of the same words, and is exported beside them', async () => {
    const { page } = createProfile();
    const keyring = page();
    await keyring.create(mnemonic, 'a');
    const passphrase = 'pässwörd ñ 25';
    const hidden = await keyring.add({ ...mnemonic, passphrase } as Keyring.Secret);
    expect(hidden.address).toBe(addressOf(words, pathAt(0), passphrase));
    expect((await keyring.deriveNext(pathAt, hidden.address)).address).toBe(
      addressOf(words, pathAt(1), passphrase),
    );
    expect(await keyring.exportMnemonic('a', hidden.address)).toBe(words);
    expect((await keyring.exportPassphrase('a', hidden.address)).normalize('NFC')).toBe(passphrase);
    expect(await keyring.exportPassphrase('a')).toBe('');
    await expect(keyring.exportPassphrase('wrong', hidden.address)).rejects.toMatchObject({ code: 4100 });
    await expect(
      keyring.add({ ...mnemonic, passphrase: 'x'.repeat(1_025) } as Keyring.Secret),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('passphrase') });
    const reloaded = page();
    await reloaded.unlock('a');
    expect(await reloaded.accounts()).toHaveLength(3);
  });

  test('an imported key comes from no mnemonic', async () => {
    const keyring = createProfile().page();
    await keyring.create(imported, 'a');
    for (const refused of [
      keyring.deriveNext(pathAt),
      keyring.deriveNext(pathAt, importedAddress),
      keyring.deriveNext(pathAt, `0x${'00'.repeat(20)}`),
      keyring.exportMnemonic('a', importedAddress),
      keyring.exportMnemonic('a'),
    ])
      await expect(refused).rejects.toMatchObject({ code: -32602 });
  });

  test('addresses can be looked at without storing them, and several added in one write', async () => {
    const { page, storage } = createProfile();
    const keyring = page();
    await keyring.create(mnemonic, 'a');
    await keyring.add(other);
    const slots = await storage.all('vault');
    const paths = [pathAt(0), "m/44'/137'/0'/0/3"];
    expect(await keyring.addresses(paths)).toEqual(
      [words, otherWords].map((phrase) => paths.map((path) => addressOf(phrase, path))),
    );
    expect(await storage.all('vault')).toEqual(slots);
    const added = await keyring.deriveAll([
      { mnemonic: 1, path: "m/44'/137'/0'/0/3" },
      { mnemonic: 0, path: pathAt(0) },
      { mnemonic: 0, path: pathAt(7) },
    ]);
    expect(added.map(({ address }) => address)).toEqual([
      addressOf(words, pathAt(7)),
      addressOf(otherWords, "m/44'/137'/0'/0/3"),
    ]);
    expect(await keyring.accounts()).toHaveLength(4);
    keyring.lock();
    for (const refused of [keyring.addresses(paths), keyring.deriveAll([]), keyring.deriveNext(pathAt)])
      await expect(refused).rejects.toMatchObject({ code: 4100 });
  });
});

describe('remove', () => {
  test('an imported key is in no record that is left', async () => {
    const { page, storage, traces } = createProfile();
    const keyring = page();
    await keyring.create(mnemonic, 'a');
    await keyring.add(imported);
    await keyring.remove(importedAddress);
    expect(await keyring.accounts()).toHaveLength(1);
    const kept = [...(await storage.all('vault')), await traces.copy()].map(readVaultRecord);
    const records = kept.flatMap((each) => (each.kind === 'record' ? [each.record] : []));
    expect(records.length).toBeGreaterThan(0);
    for (const record of records)
      await withContents(await openVault(record, 'a'), ({ accounts }) =>
        expect(accounts.map(({ address }) => address)).not.toContain(importedAddress),
      );
    await expect(keyring.signMessage(message(importedAddress))).rejects.toMatchObject({ code: 4100 });
    expect(await works(page(), 'a')).toBe(true);
  });

  test('a derived account and the only account stay', async () => {
    const { page } = createProfile();
    const keyring = page();
    const { address } = await keyring.create(mnemonic, 'a');
    await expect(keyring.remove(address)).rejects.toMatchObject({ message: expect.stringContaining('hide') });
    await expect(keyring.remove(importedAddress)).rejects.toMatchObject({ code: -32602 });
    const single = createProfile().page();
    await single.create(imported, 'a');
    await expect(single.remove(importedAddress)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('erase'),
    });
    expect(await single.accounts()).toHaveLength(1);
    single.lock();
    await expect(single.remove(importedAddress)).rejects.toMatchObject({ code: 4100 });
  });
});

describe('backup and restore', () => {
  const note = JSON.stringify({ accounts: [{ label: 'Ahorros 🏦' }] });
  async function createBackup() {
    const { page } = createDevice();
    const keyring = page();
    await keyring.create(mnemonic, 'correct horse');
    await keyring.add({ ...other, passphrase: 'extra' } as Keyring.Secret);
    await keyring.add(imported);
    await keyring.deriveNext(pathAt);
    const accounts = await keyring.accounts();
    keyring.lock();
    return { page, accounts, file: await keyring.backup('correct horse', 'file password', note) };
  }

  test('all secrets come back elsewhere, under another password or a passkey', async () => {
    const { accounts, file } = await createBackup();
    for (const ways of [{ password: 'another password' }, { passkey: { name: 'x' } }]) {
      const { page } = createDevice();
      const keyring = page();
      expect(await keyring.restore(file, 'file password', ways)).toEqual({ accounts, note });
      expect(await keyring.accounts()).toEqual(accounts);
      const [, second] = accounts;
      const credential = ways.password ?? passkey;
      expect(await keyring.exportMnemonic(credential, second?.address)).toBe(otherWords);
      expect(await keyring.exportPassphrase(credential, second?.address)).toBe('extra');
      expect(await keyring.exportPrivateKey(importedAddress, credential)).toBe(privateKey);
      expect(await works(page(), 'correct horse')).toBe(false);
      expect(await works(page(), 'file password')).toBe(false);
    }
  });

  test('an open vault gets what it lacks', async () => {
    const { accounts, file } = await createBackup();
    const keyring = createProfile().page();
    await keyring.create({ type: 'private-key', privateKey: `0x${'22'.repeat(32)}` }, 'mine');
    await keyring.add(imported);
    const before = await keyring.accounts();
    expect(await keyring.restore(file, 'file password', null)).toMatchObject({ note });
    const addresses = (await keyring.accounts()).map(({ address }) => address);
    expect(addresses).toHaveLength(before.length + accounts.length - 1);
    for (const { address } of [...before, ...accounts]) expect(addresses).toContain(address);
    expect(await works(keyring, 'mine')).toBe(true);
  });

  test('the file shows nothing of what is in it', async () => {
    const { file } = await createBackup();
    expect(JSON.parse(file)).toMatchObject({
      type: 'graft-backup',
      version: 2,
      vault: { kdf: { name: 'scrypt' } },
    });
    for (const secret of [
      words,
      otherWords,
      privateKey.slice(2),
      importedAddress.slice(2),
      'Ahorros',
      'extra',
      'file password',
      'correct horse',
    ])
      expect(file).not.toContain(secret);
  });

  test('a wrong password, a cut or foreign file, and one of a newer version each have their own error', async () => {
    const { file } = await createBackup();
    const { page, storage } = createProfile();
    const keyring = page();
    const ways = { password: 'another password' };
    const parsed = JSON.parse(file);
    const changed = structuredClone(parsed);
    changed.vault.createdAt += 1;
    const cases: readonly (readonly [file: string, code: number, message: RegExp])[] = [
      [file.slice(0, -20), -32602, /cut short/],
      [file.slice(0, 40), -32602, /cut short/],
      [JSON.stringify({ ...parsed, vault: undefined }), -32602, /cut short/],
      [JSON.stringify({ ...parsed, version: 'x' }), -32602, /cut short/],
      [JSON.stringify(changed), 4100, /Wrong password/],
      [JSON.stringify({ ...parsed, version: 3 }), -32002, /newer/],
      [JSON.stringify({ ...parsed, vault: { ...parsed.vault, gen: 1 } }), -32602, /damaged/],
      [JSON.stringify({ ...parsed, version: 1 }), -32602, /damaged/],
      [JSON.stringify({ ...parsed, version: 1, vault: { ...parsed.vault, v: 4 } }), -32002, /newer/],
      ['', -32602, /not a backup file/],
      ['PNG', -32602, /not a backup file/],
      ['null', -32602, /not a backup file/],
      ['{"version":3,"crypto":{}}', -32602, /not a backup file/],
      [JSON.stringify(parsed.vault), -32602, /not a backup file/],
      ['"graft-backup"'.padEnd(9_000_000), -32602, /not a backup file/],
    ];
    for (const [text, code, message] of cases)
      await expect(keyring.restore(text, 'file password', ways)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
    await expect(keyring.restore(file, 'wrong', ways)).rejects.toMatchObject({ code: 4100 });
    expect(await storage.all('vault')).toEqual([]);
    expect(await keyring.state()).toBe('empty');
  });

  test('a file whose derivation is too dear is refused as damaged, so that nothing of it is derived', async () => {
    const { file } = await createBackup();
    const { version: _, ...parsed } = JSON.parse(file);
    const keyring = createProfile().page();
    const { salt } = parsed.vault.kdf;
    const wrap = { id: 'x', type: 'password', gen: 1, pair: {}, dataKey: parsed.vault.dataKey };
    for (const kdf of [
      { name: 'scrypt', N: 2 ** 20, r: 8, p: 1 },
      { name: 'scrypt', N: 2 ** 17, r: 8, p: 3 },
      { name: 'scrypt', N: 2 ** 14, r: 8, p: 17 },
      { name: 'pbkdf2-sha256', c: 10_000_001 },
      { name: 'md5' },
      undefined,
    ])
      for (const [version, vault] of [
        [2, { ...parsed.vault, kdf: kdf && { ...kdf, salt } }],
        [1, { ...backupV1.file.vault, wraps: [{ ...wrap, kdf: kdf && { ...kdf, salt } }] }],
      ] as const) {
        const text = JSON.stringify({ ...parsed, version, vault });
        // After a derivation the error would be that of a wrong password, 4100.
        await expect(keyring.restore(text, 'wrong', { password: 'x' })).rejects.toMatchObject({
          code: -32602,
        });
      }
    // Of version 1 with several passwords, each of them cheap.
    const [first] = backupV1.file.vault.wraps as [object];
    const many = {
      ...parsed,
      version: 1,
      vault: { ...backupV1.file.vault, wraps: new Array(16).fill(first) },
    };
    await expect(keyring.restore(JSON.stringify(many), 'wrong', { password: 'x' })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('a wrong credential makes no file, a locked wallet takes none in', async () => {
    const { page, file } = await createBackup();
    const keyring = page();
    await expect(keyring.backup('wrong', 'file password', note)).rejects.toMatchObject({ code: 4100 });
    await expect(keyring.restore(file, 'file password', null)).rejects.toMatchObject({ code: 4100 });
    await expect(keyring.restore(file, 'file password', { password: 'x' })).rejects.toMatchObject({
      code: -32002,
    });
  });
});

describe('keys of purses', () => {
  const path = `m/44'/137'/7715'/1234567'/0'`;
  const addressOfKey = (key: Uint8Array): Address =>
    privateKeyToAddress(`0x${Buffer.from(key).toString('hex')}`).toLowerCase() as Address;

  test('are derived from the mnemonic of the account, lent for one use, and wiped', async () => {
    const keyring = createDevice().page();
    const { address } = await keyring.create(mnemonic, 'x');
    const second = await keyring.add(other);
    expect(await keyring.lendPurseKey(address, path, addressOfKey)).toBe(addressOf(words, path));
    expect(await keyring.lendPurseKey(second.address, path, addressOfKey)).toBe(addressOf(otherWords, path));
    const lent = await keyring.lendPurseKey(address, path, (key) => key);
    expect(lent).toEqual(new Uint8Array(32));
    await keyring.lock();
    await expect(keyring.lendPurseKey(address, path, addressOfKey)).rejects.toMatchObject({ code: 4100 });
  });

  test.each([
    pathAt(0),
    `m/44'/137'/7715'/1234567'/0`,
    `m/44'/137'/7715'/1234567'`,
    `m/44'/137'/0'/0/0'`,
    `m/44'/137'/7715'/1'/0'/0`,
  ])('are the only ones that leave it without a credential: not %s', async (given) => {
    const keyring = createDevice().page();
    const { address } = await keyring.create(mnemonic, 'x');
    await expect(keyring.lendPurseKey(address, given, addressOfKey)).rejects.toMatchObject({ code: -32602 });
  });

  test('are refused for an account whose key was imported', async () => {
    const keyring = createDevice().page();
    const { address } = await keyring.create(imported, 'x');
    await expect(keyring.lendPurseKey(address, path, addressOfKey)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('records that this build does not know', () => {
  const kinds = [128, 200, 255];
  const recordsOf = (keyring: Keyring) =>
    Promise.all(kinds.map((kind) => keyring.changeRecords(kind, (records) => records)));
  const unknown = kinds.map((kind) => [Uint8Array.of(kind, 1), Uint8Array.of(kind, 2, 2)]);

  test('every function of the owner keeps their bytes', async () => {
    const { page, authenticator } = createDevice();
    const keyring = page();
    await keyring.create(mnemonic, 'correct horse');
    for (const [at, kind] of kinds.entries()) await keyring.changeRecords(kind, () => unknown[at] ?? []);
    const file = await keyring.backup('correct horse', 'file password', '{}');
    const stranger = await createDevice().page();
    await stranger.create(other, 'x');
    const foreign = await stranger.backup('x', 'file password', '{}');
    const laptop = createFakeAuthenticator();
    const functions: Record<string, () => Promise<unknown>> = {
      add: () => keyring.add(imported),
      derive: () => keyring.derive(pathAt(4)),
      deriveNext: () => keyring.deriveNext(pathAt),
      deriveAll: () => keyring.deriveAll([{ mnemonic: 0, path: pathAt(9) }]),
      addresses: () => keyring.addresses([pathAt(0)]),
      remove: () => keyring.remove(importedAddress),
      addPasskey: () => keyring.addPasskey('x'),
      renamePasskey: async () => keyring.renamePasskey((await keyring.passkeys())[0]?.id as string, 'y'),
      changePassword: () => keyring.changePassword('correct horse', 'another password'),
      'changePassword by a passkey': () => keyring.changePassword(passkey, 'a third password'),
      removePassword: () => keyring.removePassword(),
      'addPasskey of another device': async () => {
        const elsewhere = page({ authenticator: laptop });
        await keyring.changePassword(passkey, 'a third password');
        await elsewhere.unlock('a third password');
        await elsewhere.addPasskey('Laptop');
        await keyring.unlock('a third password');
      },
      removePasskey: async () => keyring.removePasskey((await keyring.passkeys())[0]?.id as string),
      exportMnemonic: () => keyring.exportMnemonic('a third password'),
      exportKeystore: () => keyring.exportKeystore(importedAddress, 'a third password').catch(() => {}),
      'restore of their own file': () => keyring.restore(file, 'file password', null),
      'restore of another file': () => keyring.restore(foreign, 'file password', null),
      'lock and unlock': async () => {
        await keyring.lock();
        await keyring.unlock('a third password');
      },
    };
    for (const [name, run] of Object.entries(functions)) {
      await run();
      expect([name, await recordsOf(keyring)]).toEqual([name, unknown]);
    }
    expect(authenticator.passkeys).toHaveLength(1);
  });

  test('a backup file takes them along into another wallet, but for permissions', async () => {
    const keyring = createDevice().page();
    await keyring.create(mnemonic, 'correct horse');
    for (const [at, kind] of kinds.entries()) await keyring.changeRecords(kind, () => unknown[at] ?? []);
    const file = await keyring.backup('correct horse', 'file password', '{}');
    const elsewhere = createDevice().page();
    await elsewhere.restore(file, 'file password', { password: 'elsewhere' });
    // A permission holds in the vault that it was given in.
    expect(await recordsOf(elsewhere)).toEqual([[], unknown[1], unknown[2]]);
    const open = createDevice().page();
    await open.create(other, 'mine');
    for (const kind of [128, 200]) await open.changeRecords(kind, () => [Uint8Array.of(5)]);
    await open.restore(file, 'file password', null);
    expect(await recordsOf(open)).toEqual([
      [Uint8Array.of(5)],
      [Uint8Array.of(5), ...(unknown[1] ?? [])],
      unknown[2],
    ]);
  });

  test('records are changed only while the wallet is unlocked, and are lent as they are stored', async () => {
    const { page } = createDevice();
    const keyring = page();
    await keyring.create(mnemonic, 'correct horse');
    await keyring.changeRecords(130, (records) => [...records, Uint8Array.of(1)]);
    const copies = await keyring.changeRecords(130, (records) => [...records, Uint8Array.of(2)]);
    expect(copies).toEqual([Uint8Array.of(1), Uint8Array.of(2)]);
    await expect(keyring.changeRecords(5, () => [])).rejects.toThrow(RangeError);
    keyring.lock();
    await expect(keyring.changeRecords(130, () => [])).rejects.toMatchObject({ code: 4100 });
    await keyring.unlock('correct horse');
    expect(await keyring.changeRecords(130, (records) => records)).toEqual(copies);
  });
});

describe('replacing a vault whose password was forgotten', () => {
  test('the new one opens, the old one is in no record, and other pages lock', async () => {
    const device = createDevice();
    const forgotten = device.page();
    await forgotten.create(mnemonic, 'forgotten');
    await forgotten.addPasskey('x');
    await forgotten.add(imported);
    const open = device.page();
    for (let i = 0; i < 6; i++) {
      device.clock.advance(60_000);
      await works(device.page(), 'guess');
    }
    await expect(open.create(other, 'new password')).rejects.toMatchObject({ code: -32002 });
    await open.create(other, 'new password', { replace: true });
    expect(await open.accounts()).toMatchObject([{ address: addressOf(otherWords, pathAt(0)) }]);
    expect(await opening('forgotten', device)).toEqual([]);
    expect(await works(device.page(), passkey)).toBe(false);
    expect(await works(device.page(), 'new password')).toBe(true);
    await expect(forgotten.accounts()).rejects.toMatchObject({ code: 4100 });
  });

  test('a vault is created in place of none, or of a lost one', async () => {
    const { page, storage, traces } = createProfile();
    await page().create(mnemonic, 'a', { replace: true });
    for (const key of ['slot-a', 'slot-b', 'pointer']) await storage.update('vault', key, () => undefined);
    await traces.dropCopy();
    expect(await page().state()).toBe('missing');
    await page().create(other, 'b', { replace: true });
    expect(await works(page(), 'b')).toBe(true);
  });

  test('a vault of a newer version is not replaced', async () => {
    const { page, storage } = createProfile();
    await page().create(mnemonic, 'a');
    await storage.update('vault', 'slot-a', (record) => ({ ...(record as object), v: 4 }));
    await expect(page().create(other, 'b', { replace: true })).rejects.toMatchObject({ code: -32002 });
    expect(await storage.get('vault', 'slot-a')).toMatchObject({ v: 4 });
  });
});

describe('erase', () => {
  test('nothing is left, whether it was locked, unlocked or lost, and a new wallet can be created', async () => {
    for (const state of ['locked', 'unlocked', 'missing', 'empty'] as const) {
      const { page, storage, traces, authenticator } = createDevice();
      const rest: string[] = [];
      const keyring = page({
        eraseRest: async () => {
          rest.push((await storage.get('vault', 'pointer')) === undefined ? 'empty' : 'there');
        },
      });
      if (state !== 'empty') {
        await keyring.create(mnemonic, { password: 'a', passkey: { name: 'x' } });
        await keyring.add(imported);
        await works(page(), 'wrong');
      }
      if (state === 'locked') keyring.lock();
      if (state === 'missing') {
        for (const key of ['slot-a', 'slot-b']) await storage.update('vault', key, () => undefined);
        await traces.dropCopy();
      }
      await keyring.erase();
      expect([state, await storage.all('vault'), await traces.copy(), traces.sentinel()]).toEqual([
        state,
        [],
        null,
        null,
      ]);
      expect([state, keyring.locked(), await keyring.state(), rest]).toEqual([
        state,
        true,
        'empty',
        ['empty'],
      ]);
      // Only an open vault tells which passkeys were its own.
      expect(authenticator.forgotten).toHaveLength(state === 'unlocked' ? 1 : 0);
      await keyring.create(other, 'b');
      expect(await works(page(), 'b')).toBe(true);
    }
  });

  test('an erasure that could not delete everything is finished by the next page, before a wallet is created', async () => {
    const { page, storage } = createDevice();
    let fails = true;
    let erased = 0;
    const eraseRest = async () => {
      if (fails) throw new DOMException('a path', 'NoModificationAllowedError');
      erased += 1;
    };
    const keyring = page({ eraseRest });
    await keyring.create(mnemonic, 'a');
    await expect(keyring.erase()).rejects.toMatchObject({
      code: -32002,
      message: 'The keys are erased, but not all else (NoModificationAllowedError). Try again.',
    });
    expect(await keyring.state()).toBe('empty');
    fails = false;
    await page({ eraseRest }).resumeErase();
    await page({ eraseRest }).resumeErase();
    expect([erased, await storage.all('vault')]).toEqual([1, []]);
    fails = true;
    await keyring.create(mnemonic, 'a');
    await keyring.erase().catch(() => {});
    fails = false;
    await page({ eraseRest }).create(other, 'b');
    expect(erased).toBe(2);
    await page({ eraseRest }).resumeErase();
    expect(erased).toBe(2);
    expect(await works(page(), 'b')).toBe(true);
  });

  test('a vault that cannot be erased is still there', async () => {
    const { page, storage } = createDevice();
    await page().create(mnemonic, 'a');
    const keyring = page({
      storage: { ...storage, clear: () => Promise.reject(new DOMException('busy', 'InvalidStateError')) },
    });
    await expect(keyring.erase()).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining('still here'),
    });
    expect(await works(page(), 'a')).toBe(true);
  });

  test('other pages lock', async () => {
    const { page } = createDevice({ ...createMemoryStorage(), durable: true });
    const name = 'keyring-erase-test';
    const a = page({ name });
    await a.create(mnemonic, 'a');
    const b = page({ name });
    await b.unlock('a');
    await a.erase();
    await waitFor(() => expect(b.locked()).toBe(true));
    a.close();
    await expect(a.erase()).rejects.toMatchObject({ code: 4900 });
  });
});

test('with the options of a page, a passkey alone opens the vault without a key derivation', async () => {
  const storage = createMemoryStorage();
  const keyring = createKeyring({ storage, authenticator: createFakeAuthenticator() });
  await keyring.create(mnemonic, { passkey: { name: 'x' } });
  keyring.lock();
  await keyring.unlock(passkey);
  expect(keyring.locked()).toBe(false);
  keyring.lock();
});
