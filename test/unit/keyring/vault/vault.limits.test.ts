import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { VaultRecord } from '../../../../src/keyring/vault/record.js';
import { createFakeAuthenticator } from '../../../support/fake-authenticator.js';
import { keptIn, putBack, storedAs } from '../old-vaults.js';
import { createProfile, works } from '../profile.js';

/** Nothing is stored that would not be read again. */

const key = (n: number) => ({ type: 'private-key', privateKey: `0x${`${n}${n}`.repeat(32)}` }) as const;
const passkey = { passkey: true } as const;
const tooMany = { code: -32602, message: expect.stringContaining('16 passkeys and passwords') };
const tooLarge = { code: -32005 };

beforeEach(() => vi.stubGlobal('location', { hostname: 'app.example' }));
afterEach(() => vi.unstubAllGlobals());

async function createWallet() {
  const profile = createProfile();
  const keyring = profile.page();
  await keyring.create(key(1), 'a password');
  return { ...profile, keyring, kept: () => keptIn(profile) };
}

const ofSize = (records: number, bytes = 65_535) =>
  Array.from({ length: records }, () => new Uint8Array(bytes).fill(1));

describe('a vault over a limit of the reader is refused, and nothing is stored', () => {
  test('a password beside 16 passkeys', { timeout: 60_000 }, async () => {
    const profile = createProfile();
    const authenticators = Array.from({ length: 16 }, (_, at) => createFakeAuthenticator({}, `${at}`));
    const [first] = authenticators as [(typeof authenticators)[0]];
    await profile.page({ authenticator: first }).create(key(1), { passkey: { name: '0' } });
    for (const [at, authenticator] of authenticators.entries()) {
      if (at === 0) continue;
      const page = profile.page({ authenticator: first });
      await page.unlock(passkey);
      // The next device is asked for the new passkey alone.
      vi.spyOn(first, 'create').mockImplementation(authenticator.create);
      vi.spyOn(first, 'get').mockImplementation(authenticator.get);
      vi.spyOn(first, 'results').mockImplementation(authenticator.results);
      await page.addPasskey(`${at}`);
      vi.restoreAllMocks();
    }
    const keyring = profile.page({ authenticator: first });
    await keyring.unlock(passkey);
    expect(await keyring.passkeys()).toHaveLength(16);
    const before = await keptIn(profile);
    await expect(keyring.changePassword(passkey, 'a new password')).rejects.toMatchObject(tooMany);
    expect(await keptIn(profile)).toEqual(before);
    expect(await works(profile.page(), 'a new password')).toBe(false);
    expect(await works(profile.page({ authenticator: authenticators[7] as never }), passkey)).toBe(true);
    const { id } = (await keyring.passkeys())[3] as { id: string };
    await keyring.removePasskey(id);
    await keyring.changePassword(passkey, 'a new password');
    expect(await works(profile.page(), 'a new password')).toBe(true);
  });

  test('optional records, added at once or one after the other', { timeout: 60_000 }, async () => {
    const { keyring, kept, page } = await createWallet();
    const change = (kind: number, records: Uint8Array[]) => keyring.changeRecords(kind, () => records);
    await change(128, ofSize(47));
    const before = await kept();
    await expect(change(129, ofSize(2, 65_000))).rejects.toMatchObject(tooLarge);
    await expect(change(128, ofSize(50))).rejects.toMatchObject(tooLarge);
    expect(await kept()).toEqual(before);
    expect(await keyring.accounts()).toHaveLength(1);
    expect(await works(page(), 'a password')).toBe(true);
  });

  test('a backup file', async () => {
    const { keyring } = await createWallet();
    const backup = (note: string) => keyring.backup('a password', 'file password', note);
    await expect(backup('x'.repeat(3_300_000))).rejects.toMatchObject(tooLarge);
    const file = await backup('x'.repeat(100_000));
    const { note } = await createProfile()
      .page()
      .restore(file, 'file password', { password: 'new password' });
    expect(note).toHaveLength(100_000);
  });

  test('a name of a passkey', async () => {
    const profile = createProfile();
    const keyring = profile.page({ authenticator: createFakeAuthenticator() });
    await keyring.create(key(1), { password: 'a password', passkey: { name: 'x' } });
    const before = await keptIn(profile);
    const [{ id }] = (await keyring.passkeys()) as unknown as [{ id: string }];
    await expect(keyring.renamePasskey(id, 'x'.repeat(257))).rejects.toMatchObject(tooLarge);
    await expect(keyring.renamePasskey(id, '')).rejects.toMatchObject(tooLarge);
    expect(await keptIn(profile)).toEqual(before);
  });
});

describe('records that no build wrote', () => {
  test.each([
    ['a BigInt', 1n],
    ['a Map', new Map([['a', 1]])],
    ['a hole', new Array(1)],
    ['a depth without end', Array.from({ length: 1_000 }).reduce((inner) => [inner], [])],
  ])('%s in a record, a pointer and a slot is damage, and gives way to another wallet', async (_, value) => {
    const profile = await createWallet();
    const kept = await profile.kept();
    const slot = kept.pointer?.slot as 'slot-a';
    for (const [name, change] of [
      [slot, () => ({ ...kept[slot], more: value })],
      [slot, () => value],
      ['pointer', () => ({ ...kept.pointer, v: value })],
      ['pointer', () => value],
      [slot === 'slot-a' ? 'slot-b' : 'slot-a', () => value],
    ] as const) {
      await putBack(profile, kept);
      await profile.storage.update('vault', name, change);
      const keyring = profile.page();
      expect(await keyring.state()).toBe('locked');
      expect(await works(keyring, 'a password')).toBe(true);
      await keyring.add(key(6));
      await profile.traces.dropCopy();
      await profile.storage.update('vault', slot, () => value);
      await profile.storage.update('vault', slot === 'slot-a' ? 'slot-b' : 'slot-a', () => undefined);
      const next = profile.page();
      expect(await next.state()).toBe('missing');
      await expect(next.unlock('a password')).rejects.toMatchObject({ code: 4100 });
      await next.create(key(2), 'another password', { replaceMissing: true });
      expect(await works(profile.page(), 'another password')).toBe(true);
    }
  });

  test.each([
    ['more members', (vault: object) => ({ ...vault, more: 1 })],
    [
      'a member __proto__',
      (vault: object) => JSON.parse(JSON.stringify(vault).replace('{', '{"__proto__":{},')),
    ],
    ['fewer', ({ payload, ...vault }: Record<string, unknown>) => vault],
  ])('%s in a backup file', async (_, change) => {
    const { keyring } = await createWallet();
    const file = JSON.parse(await keyring.backup('a password', 'file password', ''));
    const vault = change(file.vault);
    const text = JSON.stringify({ ...file, vault });
    const restoring = createProfile().page().restore(text, 'file password', { password: 'new password' });
    await expect(restoring).rejects.toMatchObject({ code: -32602 });
  });

  test('a depth without end in a backup file', async () => {
    const { keyring } = await createWallet();
    const file = await keyring.backup('a password', 'file password', '');
    const deep = file.replace('"kdf":{', `"kdf":{"more":${'['.repeat(5_000)}${']'.repeat(5_000)},`);
    const restoring = createProfile().page().restore(deep, 'file password', { password: 'new password' });
    await expect(restoring).rejects.toMatchObject({ code: -32602 });
  });
});

describe('a generation that was planted', () => {
  test.each([Number.MAX_SAFE_INTEGER, 2 ** 40 + 1, 2 ** 40, 2 ** 39])(
    '%d leaves room for another wallet',
    async (gen) => {
      const profile = await createWallet();
      const kept = await profile.kept();
      const record = kept[kept.pointer?.slot as 'slot-a'] as unknown as VaultRecord;
      await putBack(profile, await storedAs({ ...record, gen }, 3));
      expect(await works(profile.page(), 'a password')).toBe(false);
      const keyring = profile.page();
      await keyring.create(key(4), 'other password', { replace: true });
      expect(await works(profile.page(), 'other password')).toBe(true);
      await keyring.add(key(5));
      const next = profile.page();
      await next.unlock('other password');
      expect(await next.accounts()).toHaveLength(2);
    },
  );
});
