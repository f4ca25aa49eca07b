import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mint } from '../../../src/approvals/approved.js';
import type { Unproven } from '../../../src/approvals/owner.js';
import type { Passkey } from '../../../src/keyring/credential.js';
import type { Keyring } from '../../../src/keyring/keyring.js';
import { openLegacyVault } from '../../../src/keyring/vault/legacy.js';
import { encodeBase64Url, readVaultRecord, type VaultRecord } from '../../../src/keyring/vault/record.js';
import { copyContents } from '../../../src/keyring/vault/secrets.js';
import { openVault, withContents } from '../../../src/keyring/vault/vault.js';
import { createFakeAuthenticator } from '../../support/fake-authenticator.js';
import { backupV1 } from '../../support/vectors.js';
import {
  createOldProfile,
  forgeVersion2,
  keptIn,
  type OldVault,
  oldAccounts,
  oldPassword,
  oldVaults,
  type Place,
  places,
  putBack,
  storedAs,
} from './old-vaults.js';
import { createProfile, works } from './profile.js';

const passkey = { passkey: true } as const;
const key = `0x${'22'.repeat(32)}` as const;
const unproven = (more: Partial<Unproven> = {}) => ({
  code: -32002,
  data: { reason: 'vault-unproven', accounts: [...oldAccounts], ...more },
});

beforeEach(() => vi.stubGlobal('location', { hostname: 'app.example' }));
afterEach(() => vi.unstubAllGlobals());

/** The record that the pointer names. */
async function currentRecord(profile: Parameters<typeof keptIn>[0]): Promise<VaultRecord> {
  const kept = await keptIn(profile);
  return kept[kept.pointer?.slot as 'slot-a'] as unknown as VaultRecord;
}

/** The versions that each trace and record of a vault says. */
async function versions(profile: Parameters<typeof keptIn>[0]): Promise<Record<Place, unknown>> {
  const kept = await keptIn(profile);
  const versionOf = (place: Place) => (kept[place] as { readonly v?: unknown } | null | undefined)?.v;
  return Object.fromEntries(places.map((place) => [place, versionOf(place)])) as Record<Place, unknown>;
}

/** Every subset of a list. */
const subsets = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: 2 ** items.length }, (_, bits) => items.filter((_, at) => (bits >> at) & 1));

describe('an upgrade', () => {
  test.each(['password', 'passkeys', 'passkey only', 'weak', 'full', 'version 1'] as const)(
    'an upgrade of the recorded vault "%s" keeps its accounts, and says version 3 in every trace',
    async (name) => {
      const profile = await createOldProfile(name);
      const keyring = profile.page();
      const isOnlyPasskey = name === 'passkey only';
      await keyring.unlock(isOnlyPasskey ? passkey : oldPassword);
      expect((await keyring.accounts()).map(({ address }) => address)).toEqual(oldAccounts);
      const found = await versions(profile);
      expect([found.pointer, found.sentinel, found.copy]).toEqual([3, 3, 3]);
      expect([found['slot-a'], found['slot-b']].filter((v) => v !== undefined)).toEqual([3]);
      const record = await currentRecord(profile);
      expect(record.wraps.map(({ type }) => type)).toEqual([isOnlyPasskey ? 'prf' : 'password']);
      expect(record.asleep).toHaveLength({ passkeys: 2, full: 15 }[name as 'full'] ?? 0);
      await keyring.add({ type: 'private-key', privateKey: key });
      expect(await works(profile.page(), isOnlyPasskey ? passkey : oldPassword)).toBe(true);
    },
  );

  test('nothing of version 2 opens in a record of version 3, nor the reverse', async () => {
    const profile = await createOldProfile('passkeys');
    const old = (await profile.kept())['slot-a'] as unknown as VaultRecord;
    const other = (await profile.kept())['slot-b'] as unknown as VaultRecord;
    await profile.page().unlock(oldPassword);
    const upgraded = await currentRecord(profile);
    for (const record of [old, other])
      for (const forged of [
        { ...record, v: 3, asleep: [] },
        { ...record, v: 3, asleep: [], wraps: record.wraps.map((wrap) => ({ ...wrap, own: wrap.pair })) },
        { ...upgraded, v: 2 },
        { ...upgraded, v: 2, wraps: upgraded.wraps.map((wrap) => ({ ...wrap, pair: wrap.own })) },
        { ...upgraded, wraps: [...upgraded.wraps, ...record.wraps.filter(({ type }) => type === 'prf')] },
      ]) {
        const profile = createProfile();
        await putBack(profile, await storedAs(forged as unknown as VaultRecord));
        const keyring = profile.page({ knownAccounts: () => [...oldAccounts] });
        expect(await works(keyring, oldPassword)).toBe(false);
      }
  });

  test('a vault that cannot be stored opens as it is, and is not written by anything', async () => {
    const profile = await createOldProfile('password');
    const before = await profile.kept();
    const keyring = profile.page({
      storage: {
        ...profile.storage,
        update: (store, key, next) =>
          key === 'attempts'
            ? profile.storage.update(store, key, next)
            : Promise.reject(new DOMException('full', 'QuotaExceededError')),
      },
    });
    await keyring.unlock(oldPassword);
    expect(await keyring.accounts()).toHaveLength(2);
    for (const refused of [
      () => keyring.add({ type: 'private-key', privateKey: key }),
      () => keyring.addPasskey('x'),
      () => keyring.removePassword(),
    ])
      await expect(refused()).rejects.toMatchObject({ code: 4100 });
    expect(await profile.kept()).toEqual(before);
  });

  test('the next load finishes one that was interrupted, without a password', async () => {
    const profile = await createOldProfile('password');
    const old = await profile.kept();
    await profile.page().unlock(oldPassword);
    const upgraded = await profile.kept();
    const current = upgraded.pointer?.slot as 'slot-a' | 'slot-b';
    const other = current === 'slot-a' ? 'slot-b' : 'slot-a';
    // Ended between the sentinel and the deletion, and with an older copy that came back.
    await profile.storage.update('vault', other, () => old[other] ?? old[current]);
    await profile.traces.setCopy(old.copy);
    const keyring = profile.page();
    expect(await keyring.state()).toBe('locked');
    const after = await profile.kept();
    expect([after[other], after.copy]).toEqual([undefined, null]);
    expect(await works(keyring, oldPassword)).toBe(true);
    expect((await versions(profile)).copy).toBe(3);
  });

  test('if another page writes the vault meanwhile, the upgrade is refused', async () => {
    const profile = await createOldProfile('password');
    const old = await profile.kept();
    const { slot } = old.pointer as { slot: 'slot-a' };
    let armed = true;
    const keyring = profile.page({
      knownAccounts: () => {
        // After it was opened, before it is written.
        if (armed) void profile.storage.update('vault', slot, () => ({ ...old[slot], mac: 'A'.repeat(43) }));
        if (armed) void profile.traces.dropCopy();
        armed = false;
        return [...oldAccounts];
      },
    });
    await expect(keyring.unlock(oldPassword)).rejects.toMatchObject({ code: -32002 });
    expect(keyring.locked()).toBe(true);
  });
});

describe('version 2, put back after the upgrade', () => {
  test('with each set of places put back, it opens by itself only where no trace says version 3', async () => {
    let tried = 0;
    for (const stays of subsets(places)) {
      const profile = await createOldProfile('password');
      await profile.page().unlock(oldPassword);
      const before = await currentRecord(profile);
      await putBack(profile, oldVaults.password, stays);
      const keyring = profile.page();
      const found = await versions(profile);
      const opened = await keyring.unlock(oldPassword).then(
        () => 'opened',
        (error) => error,
      );
      tried++;
      const traces = [found.pointer, found.sentinel, found.copy];
      const now = await currentRecord(profile);
      if (opened !== 'opened') {
        // What it would open was shown, or there is no vault of which that could be said.
        expect([stays, opened.code]).toEqual([stays, opened.data ? -32002 : 4100]);
        if (opened.data) expect(opened).toMatchObject(unproven());
        expect(await versions(profile)).toEqual(found);
      } else if (traces.includes(3)) expect([stays, found, now?.mac]).toEqual([stays, found, before.mac]);
      else expect([stays, now?.v]).toEqual([stays, 3]);
    }
    expect(tried).toBe(32);
  });

  test('where every trace is lost too, the session decides, and a page that knows other accounts asks', async () => {
    const profile = await createOldProfile('password');
    await profile.page().unlock(oldPassword);
    for (const known of [[], [oldAccounts[0]], [...oldAccounts, `0x${'33'.repeat(20)}`]]) {
      await putBack(profile, oldVaults.password);
      const before = await profile.kept();
      const keyring = profile.page({ knownAccounts: () => known as never });
      await expect(keyring.unlock(oldPassword)).rejects.toMatchObject(unproven({ known: known as never }));
      expect(keyring.locked()).toBe(true);
      expect(await profile.kept()).toEqual(before);
    }
    await profile.page().unlock(oldPassword);
    expect((await currentRecord(profile)).v).toBe(3);
  });

  test('if the new record is damaged before the old slot was deleted, the old one opens only after a person agreed', async () => {
    for (const known of [oldAccounts, []]) {
      const profile = await createOldProfile('password', [], known);
      const old = await profile.kept();
      await profile.page().unlock(oldPassword, { acceptUnproven: [...oldAccounts] });
      const { slot } = (await profile.kept()).pointer as { slot: 'slot-a' };
      const other = slot === 'slot-a' ? 'slot-b' : 'slot-a';
      await profile.storage.update('vault', other, () => old[old.pointer?.slot as 'slot-a']);
      await profile.storage.update('vault', slot, (record) => ({ ...(record as object), gen: 99 }));
      await profile.traces.dropCopy();
      const keyring = profile.page();
      expect(await keyring.state()).toBe('locked');
      await expect(keyring.unlock(oldPassword)).rejects.toMatchObject(unproven());
      expect((await versions(profile))[other]).toBe(2);
      await keyring.unlock(oldPassword, { acceptUnproven: [...oldAccounts] });
      expect(await currentRecord(profile)).toMatchObject({ v: 3 });
      expect(await works(profile.page(), oldPassword)).toBe(true);
    }
  });

  test('a vault that only the copy has, beside a sentinel of version 3, still needs a person’s consent', async () => {
    const profile = await createOldProfile('password');
    await profile.page().unlock(oldPassword);
    const { sentinel } = await profile.kept();
    await profile.storage.clear('vault');
    await profile.traces.setCopy(oldVaults.password.copy);
    const keyring = profile.page();
    await expect(keyring.unlock(oldPassword)).rejects.toMatchObject(unproven());
    expect(await profile.kept()).toEqual({ sentinel, copy: oldVaults.password.copy });
    await keyring.unlock(oldPassword, { acceptUnproven: [...oldAccounts] });
    expect((await currentRecord(profile)).v).toBe(3);
  });
});

describe('a page that has opened version 3', () => {
  test('takes no older version that is put back, with all traces, without an agreement', async () => {
    const profile = await createOldProfile('password');
    const old = await profile.kept();
    const keyring = profile.page();
    await keyring.unlock(oldPassword);
    for (const attempt of [
      () => keyring.changePassword(oldPassword, 'another password'),
      () => keyring.exportMnemonic(oldPassword),
      () => keyring.backup(oldPassword, 'file password', ''),
      () => keyring.unlock(oldPassword),
    ]) {
      await putBack(profile, old);
      await expect(attempt()).rejects.toMatchObject(unproven());
      await putBack(profile, old);
    }
    await expect(keyring.accounts()).rejects.toMatchObject({ code: 4100 });
    expect(keyring.locked()).toBe(true);
    await expect(keyring.unlock(oldPassword)).rejects.toMatchObject(unproven());
    await keyring.unlock(oldPassword, { acceptUnproven: [...oldAccounts] });
    expect((await currentRecord(profile)).v).toBe(3);
  });

  test('also one that it created itself, until it is erased', async () => {
    const old = await createOldProfile('password');
    const kept = await old.kept();
    const profile = createProfile();
    const keyring = profile.page({ knownAccounts: () => [...oldAccounts] });
    await keyring.create({ type: 'private-key', privateKey: key }, 'mine');
    await putBack(profile, kept);
    await expect(keyring.changePassword(oldPassword, 'x')).rejects.toMatchObject(unproven());
    await keyring.erase();
    expect(await keyring.state()).toBe('empty');
    await putBack(profile, kept);
    await keyring.unlock(oldPassword);
  });
});

describe('a vault that cannot be checked', () => {
  const others = [
    ['0x'.padEnd(42, '4')],
    [],
    [oldAccounts[0]],
    [...oldAccounts, '0x'.padEnd(42, '4')],
  ] as const;

  test('before a person agrees to exactly its accounts, nothing is written, signed or unlocked', async () => {
    const profile = await createOldProfile('passkeys', [], []);
    const before = await profile.kept();
    for (const acceptUnproven of [undefined, ...others]) {
      const keyring = profile.page();
      await expect(
        keyring.unlock(oldPassword, acceptUnproven && { acceptUnproven: acceptUnproven as never }),
      ).rejects.toMatchObject(unproven({ known: [], passkeys: ['Phone', 'Laptop'], losesPassword: false }));
      expect(keyring.locked()).toBe(true);
      const message = mint<Keyring.MessageSubject>({ type: 'message', from: oldAccounts[0], bytes: '0x00' });
      await expect(keyring.signMessage(message)).rejects.toMatchObject({ code: 4100 });
      expect(await profile.kept()).toEqual(before);
    }
    await profile.page().unlock(oldPassword, { acceptUnproven: [...oldAccounts].reverse() });
    expect((await currentRecord(profile)).v).toBe(3);
  });

  test('an empty list agrees to nothing, also where the session knows the accounts', async () => {
    const profile = await createOldProfile('password');
    await expect(profile.page().unlock(oldPassword, { acceptUnproven: [] })).rejects.toMatchObject(
      unproven({ known: [...oldAccounts] }),
    );
  });

  test('no function that takes a credential gets around the question', async () => {
    const profile = await createOldProfile('password', [], []);
    const before = await profile.kept();
    const keyring = profile.page();
    for (const refused of [
      keyring.exportMnemonic(oldPassword),
      keyring.exportPassphrase(oldPassword),
      keyring.exportPrivateKey(oldAccounts[1], oldPassword),
      keyring.exportKeystore(oldAccounts[1], oldPassword),
      keyring.backup(oldPassword, 'file password', ''),
      keyring.changePassword(oldPassword, 'another password'),
    ])
      await expect(refused).rejects.toMatchObject(unproven());
    expect(await profile.kept()).toEqual(before);
    expect(await works(profile.page(), 'another password')).toBe(false);
  });

  test('where the session knows its accounts, they upgrade it first', async () => {
    for (const use of [
      (keyring: Keyring) => keyring.exportPrivateKey(oldAccounts[1], oldPassword),
      (keyring: Keyring) => keyring.changePassword(oldPassword, 'another password'),
    ]) {
      const profile = await createOldProfile('password');
      await use(profile.page());
      expect((await currentRecord(profile)).v).toBe(3);
    }
  });

  test('a passkey does not end a password by itself', async () => {
    const profile = await createOldProfile('passkeys');
    await expect(profile.page().unlock(passkey)).rejects.toMatchObject(
      unproven({ losesPassword: true, passkeys: ['Laptop'] }),
    );
    const keyring = profile.page();
    await keyring.unlock(passkey, { acceptUnproven: [...oldAccounts] });
    expect(await works(profile.page(), oldPassword)).toBe(false);
    await keyring.changePassword(passkey, 'another password');
    expect(await works(profile.page(), 'another password')).toBe(true);
    expect((await keyring.passkeys()).map(({ name, asleep }) => [name, asleep])).toEqual([
      ['Phone', undefined],
      ['Laptop', true],
    ]);
  });

  test('a backup file of version 1 is restored only after a person agreed to its accounts', async () => {
    const file = JSON.stringify(backupV1.file);
    const ways = { password: 'a new password' };
    const profile = createProfile();
    for (const acceptUnproven of [undefined, ...others]) {
      await expect(
        profile
          .page()
          .restore(
            file,
            'file password',
            ways,
            acceptUnproven && { acceptUnproven: acceptUnproven as never },
          ),
      ).rejects.toMatchObject(unproven({ passkeys: [], losesPassword: false }));
      expect(await profile.storage.all('vault')).toEqual([]);
    }
    const agreed = { acceptUnproven: [...oldAccounts] };
    const { note } = await profile.page().restore(file, 'file password', ways, agreed);
    expect(JSON.parse(note).accounts[0].label).toBe('Savings');
    // Into an open vault too.
    const open = createProfile().page();
    await open.create({ type: 'private-key', privateKey: key }, 'mine');
    await expect(open.restore(file, 'file password', null)).rejects.toMatchObject(unproven());
    expect(await open.accounts()).toHaveLength(1);
    await open.restore(file, 'file password', null, agreed);
    expect(await open.accounts()).toHaveLength(3);
    // Also where the session or the open vault has them all: that says nothing about who wrote the file.
    const knowing = createProfile().page({ knownAccounts: () => [...oldAccounts] });
    await expect(knowing.restore(file, 'file password', ways)).rejects.toMatchObject(
      unproven({ known: [...oldAccounts] }),
    );
    await expect(open.restore(file, 'file password', null)).rejects.toMatchObject(unproven());
    await expect(
      profile.page().restore(file, 'wrong', ways, { ...agreed, replace: true }),
    ).rejects.toMatchObject({ code: 4100 });
  });
});

describe('passkeys that are asleep', () => {
  async function createUpgraded(name: OldVault = 'passkeys') {
    const profile = await createOldProfile(name);
    const keyring = profile.page();
    await keyring.unlock(oldPassword);
    return { ...profile, keyring };
  }

  test('a new password keeps them, whatever a page adds to Object.prototype', async () => {
    const { keyring, storage, traces } = await createUpgraded();
    const before = (await currentRecord({ storage, traces })).asleep;
    const polluted = Object.prototype as { asleep?: unknown };
    polluted.asleep = [];
    try {
      await keyring.changePassword(oldPassword, 'another password of a test');
    } finally {
      delete polluted.asleep;
    }
    expect((await currentRecord({ storage, traces })).asleep).toEqual(before);
    expect(before).toHaveLength(2);
  });

  test('they open nothing until they are used once while the vault is open, and then they do', async () => {
    const { page, keyring, authenticators, storage, traces } = await createUpgraded();
    const [phone, laptop] = authenticators as [(typeof authenticators)[0], (typeof authenticators)[0]];
    for (const authenticator of [phone, laptop])
      expect(await works(page({ authenticator }), passkey)).toBe(false);
    expect((await keyring.passkeys()).map(({ name, asleep }) => [name, asleep])).toEqual([
      ['Phone', true],
      ['Laptop', true],
    ]);
    for (const [at, authenticator] of [phone, laptop].entries()) {
      const awake = page({ authenticator });
      await awake.unlock(oldPassword);
      const sleeping = (await awake.passkeys()).find((each) => each.asleep);
      const woken = await awake.wakePasskey(sleeping?.id as string);
      expect(woken).toEqual({ id: expect.any(String), name: sleeping?.name, createdAt: sleeping?.createdAt });
      expect(await works(page({ authenticator }), passkey)).toBe(true);
      expect((await awake.passkeys()).filter((each) => each.asleep)).toHaveLength(1 - at);
      awake.lock();
    }
    const record = await currentRecord({ storage, traces });
    expect([record.wraps.length, record.asleep]).toEqual([3, []]);
    expect(new Set(record.wraps.slice(1).map(({ prfSalt }) => prfSalt)).size).toBe(1);
    expect(await works(page(), oldPassword)).toBe(true);
  });

  test('all fifteen of a full vault are woken one after the other, and there are never more than sixteen ways', async () => {
    const { page, authenticators } = await createUpgraded('full');
    const keyring = page();
    await keyring.unlock(oldPassword);
    await expect(page({ authenticator: createFakeAuthenticator() }).addPasskey('x')).rejects.toMatchObject({
      code: 4100,
    });
    await expect(keyring.addPasskey('one more')).rejects.toMatchObject({ code: -32602 });
    for (const [at, authenticator] of authenticators.entries()) {
      const awake = page({ authenticator });
      await awake.unlock(oldPassword);
      const sleeping = (await awake.passkeys()).find(({ name }) => name === `Passkey ${at}`);
      await awake.wakePasskey(sleeping?.id as string);
      expect(await awake.passkeys()).toHaveLength(15);
    }
    for (const authenticator of authenticators)
      expect(await works(page({ authenticator }), passkey)).toBe(true);
  });

  test('a passkey of another device, a cancelled one or one that is awake wakes nothing', async () => {
    const { page, keyring, authenticators, storage, traces } = await createUpgraded();
    const before = await currentRecord({ storage, traces });
    const [{ id }] = (await keyring.passkeys()) as readonly Passkey[] as [Passkey];
    await expect(page({ authenticator: createFakeAuthenticator() }).wakePasskey(id)).rejects.toMatchObject({
      code: 4100,
    });
    const stranger = page({ authenticator: createFakeAuthenticator() });
    await stranger.unlock(oldPassword);
    await expect(stranger.wakePasskey(id)).rejects.toMatchObject({ code: 4001 });
    await expect(keyring.wakePasskey('nobody')).rejects.toMatchObject({ code: -32602 });
    authenticators[0]?.answer('NotAllowedError');
    await expect(keyring.wakePasskey(id)).rejects.toMatchObject({ code: 4001 });
    expect(await currentRecord({ storage, traces })).toEqual(before);
  });

  test('they survive every change of the wallet, and can be renamed and removed', async () => {
    const { page, keyring, storage, traces, authenticators } = await createUpgraded();
    const [phone, laptop] = (await keyring.passkeys()) as readonly Passkey[] as [Passkey, Passkey];
    await keyring.add({ type: 'private-key', privateKey: key });
    await keyring.changePassword(oldPassword, 'another password');
    await keyring.renamePasskey(phone.id, 'Old phone');
    await keyring.renamePasskey(laptop.id, 'Old laptop');
    expect((await keyring.passkeys()).map(({ name }) => name)).toEqual(['Old phone', 'Old laptop']);
    await keyring.removePasskey(laptop.id);
    expect((await currentRecord({ storage, traces })).asleep).toHaveLength(1);
    expect(authenticators[0]?.forgotten).toHaveLength(1);
    await keyring.wakePasskey(phone.id);
    expect(await works(page(), passkey)).toBe(true);
    expect((await keyring.passkeys()).map(({ name, asleep }) => [name, asleep])).toEqual([
      ['Old phone', undefined],
    ]);
    await expect(keyring.wakePasskey(laptop.id)).rejects.toMatchObject({ code: -32602 });
  });

  test('a passkey that was planted in version 2 opens nothing, whatever keys are added after the upgrade', async () => {
    const profile = await createOldProfile('passkeys');
    const [device] = profile.authenticators;
    const material = (n: number) =>
      crypto.subtle.importKey('raw', new Uint8Array(32).fill(n), 'HKDF', false, ['deriveKey']);
    const planter = {
      credentialId: encodeBase64Url(new Uint8Array(16).fill(7)),
      rpId: 'app.example',
      prfSalt: encodeBase64Url(new Uint8Array(32)),
      createdAt: 1,
      name: 'Phone',
      material: await material(1),
    };
    const { pointer, ...kept } = await profile.kept();
    const genuine = kept[pointer?.slot as 'slot-a'] as unknown as VaultRecord;
    // A forger who has the accounts' keys, or had a way in.
    const contents = await withContents(await openLegacyVault(genuine, oldPassword), copyContents);
    const forged = await forgeVersion2(genuine, contents, planter);
    // The forgery is a good one: the owner's password opens it, and so does the planted passkey.
    for (const opener of [oldPassword, planter]) await openLegacyVault(forged, opener);
    await putBack(profile, await storedAs(forged));
    const keyring = profile.page();
    await keyring.unlock(oldPassword);
    await keyring.add({ type: 'private-key', privateKey: key });
    await keyring.changePassword(oldPassword, 'another password');
    const listed = (await keyring.passkeys()).map(({ name, asleep }) => [name, asleep]);
    expect(listed).toEqual([
      ['Phone', true],
      ['Laptop', true],
      ['Phone', true],
    ]);
    const records = Object.values(await profile.kept()).filter(
      (each) => readVaultRecord(each).kind === 'record',
    );
    expect(records.length).toBeGreaterThan(0);
    for (const record of records)
      await expect(openVault(record as unknown as VaultRecord, planter)).rejects.toMatchObject({
        code: 4100,
      });
    // The person's own device has no such passkey, so that it cannot be woken by mistake either.
    await expect(keyring.wakePasskey(planter.credentialId)).rejects.toMatchObject({ code: 4001 });
    expect(device?.passkeys).toHaveLength(1);
  });

  test('nothing of a passkey that is asleep is sealed to it, whatever its entry says', async () => {
    const { keyring, storage, traces } = await createUpgraded('full');
    await keyring.add({ type: 'private-key', privateKey: key });
    const { wraps, asleep = [] } = await currentRecord({ storage, traces });
    expect(wraps).toHaveLength(1);
    for (const each of asleep)
      expect(Object.keys(each).sort()).toEqual(['createdAt', 'credentialId', 'name', 'prfSalt', 'rpId']);
    // A planted entry changes the MAC.
    const kept = await keptIn({ storage, traces });
    const slot = kept.pointer?.slot as 'slot-a';
    const forged = { ...kept[slot], asleep: [...asleep.slice(1), { ...asleep[0], name: 'planted' }] };
    await putBack({ storage, traces }, await storedAs(forged as unknown as VaultRecord, 3));
    expect(await works(createProfile(storage, traces).page(), oldPassword)).toBe(false);
  });
});

describe('a newer form of the vault', () => {
  test('wherever it shows, an open page locks, says to reload the page, and writes nothing', async () => {
    for (const place of places) {
      const profile = createProfile();
      const keyring = profile.page();
      await keyring.create({ type: 'private-key', privateKey: key }, 'mine');
      await keyring.add({ type: 'private-key', privateKey: `0x${'33'.repeat(32)}` });
      const kept = await keptIn(profile);
      const current = kept.pointer?.slot as 'slot-a';
      const newer = { ...kept[place], v: 4 };
      if (place === 'sentinel') profile.traces.setSentinel(newer as never);
      else if (place === 'copy') {
        await profile.traces.setCopy(newer);
        await profile.storage.update('vault', current, () => undefined);
      } else await profile.storage.update('vault', place, () => newer);
      const before = await keptIn(profile);
      const isOther = place.startsWith('slot') && place !== current;
      const outcome = await keyring
        .add({ type: 'private-key', privateKey: `0x${'44'.repeat(32)}` })
        .catch((error) => error);
      if (isOther) continue;
      expect([place, outcome]).toMatchObject([
        place,
        {
          code: -32002,
          message: expect.stringContaining('Reload the page'),
          data: { reason: 'vault-newer' },
        },
      ]);
      expect(keyring.locked()).toBe(true);
      expect(await keptIn(profile)).toEqual(before);
      await expect(profile.page().unlock('mine')).rejects.toMatchObject({ data: { reason: 'vault-newer' } });
      await expect(
        profile.page().create({ type: 'private-key', privateKey: key }, 'x', { replace: true }),
      ).rejects.toMatchObject({ data: { reason: 'vault-newer' } });
      expect(await keptIn(profile)).toEqual(before);
    }
  });
});

test('the recorded vaults are read as what they are', () => {
  for (const [name, stored] of Object.entries(oldVaults))
    for (const slot of ['slot-a', 'slot-b'] as const)
      if (stored[slot]) expect([name, readVaultRecord(stored[slot]).kind]).toEqual([name, 'record']);
});
