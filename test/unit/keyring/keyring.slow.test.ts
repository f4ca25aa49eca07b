import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { parseTransaction, recoverTransactionAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Approved, mint } from '../../../src/approvals/approved.js';
import { subtle } from '../../../src/keyring/builtins.js';
import { createKeyring, type Keyring } from '../../../src/keyring/keyring.js';
import { recoverMessage } from '../../../src/keyring/message.js';
import type { VaultRecord } from '../../../src/keyring/vault/record.js';
import type { VaultTraces } from '../../../src/keyring/vault/traces.js';
import type { Address, Hex } from '../../../src/rpc/schema.js';
import { signingDigest } from '../../../src/rpc/transaction.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { fc } from '../../support/property.js';
import { bip39Accounts, eip155, eip191, etherMail, keystores } from '../../support/vectors.js';
import { waitFor } from '../../support/wait-for.js';
import { createProfile, opening, works } from './profile.js';
import { createMemoryTraces } from './traces.js';

const junk = bip39Accounts[1] as (typeof bip39Accounts)[0];
const path = "m/44'/60'/0'/0/0";
const mnemonic: Keyring.Secret = { type: 'mnemonic', mnemonic: junk.mnemonic, path };
const privateKey = (hex: string): Keyring.Secret => ({ type: 'private-key', privateKey: hex });

const message = (from: Address, bytes: Hex = '0x68656c6c6f') =>
  mint<Keyring.MessageSubject>({ type: 'message', from, bytes });

describe('creating and unlocking', () => {
  test('empty, unlocked by creation, locked after a reload, unlocked by the password', async () => {
    const { page } = createProfile();
    const first = page();
    const seen: boolean[] = [];
    first.watch((locked) => seen.push(locked));
    expect([await first.state(), first.locked()]).toEqual(['empty', true]);
    expect(await first.create(mnemonic, 'correct horse')).toEqual({ address: junk.address, path });
    expect([await first.state(), first.locked()]).toEqual(['unlocked', false]);
    first.lock();
    expect([await first.state(), first.locked(), seen]).toEqual(['locked', true, [false, true]]);

    const second = page();
    expect([await second.state(), second.locked()]).toEqual(['locked', true]);
    await second.unlock('correct horse');
    expect(await second.accounts()).toEqual([{ address: junk.address, path }]);
  });

  test('each kind of secret', async () => {
    const vector = keystores[2] as (typeof keystores)[0];
    const secrets: [Keyring.Secret, Address][] = [
      [privateKey(eip191.privateKey), eip191.address],
      [
        { type: 'keystore', json: JSON.stringify(vector.json), password: 'foo' },
        privateKeyToAccount(vector.privateKey).address.toLowerCase() as Address,
      ],
    ];
    for (const [secret, address] of secrets)
      expect(await createProfile().page().create(secret, 'x')).toEqual({ address, path: null });
  });

  test('bad secrets and an empty password leave nothing behind', async () => {
    const { page, storage } = createProfile();
    const keyring = page();
    for (const [secret, includes] of [
      [privateKey('0x01'), 'private key'],
      [{ ...mnemonic, mnemonic: 'abandon '.repeat(12) }, 'mnemonic'],
      [{ ...mnemonic, path: 'm' }, 'path'],
      [{ type: 'keystore', json: '{', password: 'x' }, 'JSON'],
      [{ type: 'brain' }, 'secret'],
    ] as [Keyring.Secret, string][])
      await expect(keyring.create(secret, 'x')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(includes),
      });
    await expect(keyring.create(mnemonic, '')).rejects.toMatchObject({ code: -32602 });
    expect(await storage.all('vault')).toEqual([]);
    expect(await keyring.state()).toBe('empty');
  });

  test('a second wallet in one place, even from two pages at once', async () => {
    const { page } = createProfile();
    const made = await Promise.allSettled([
      page().create(mnemonic, 'a'),
      page().create(privateKey(eip191.privateKey), 'b'),
    ]);
    expect(made.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    const { page: page2 } = createProfile();
    await page2().create(mnemonic, 'a');
    for (const options of [{}, { replaceMissing: true }])
      await expect(page2().create(mnemonic, 'b', options)).rejects.toMatchObject({ code: -32002 });
    expect(await works(page2(), 'a')).toBe(true);
  });

  test('import-035, a wrong password and a damaged vault have the same error', async () => {
    const { page, storage, traces } = createProfile();
    await page().create(mnemonic, 'correct horse');
    const wrong = await page()
      .unlock('wrong')
      .catch((error) => error);
    expect(wrong).toMatchObject({ code: 4100, message: expect.stringContaining('password') });
    expect(wrong.message.length).toBeLessThanOrEqual(120);
    const record = (await storage.get('vault', 'slot-a')) as VaultRecord;
    await storage.put('vault', [
      ['slot-a', { ...record, mac: record.mac.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) }],
    ]);
    await traces.setCopy(null);
    const damaged = await page()
      .unlock('correct horse')
      .catch((error) => error);
    expect([damaged.code, damaged.message]).toEqual([wrong.code, wrong.message]);
  });

  test('a lost vault is missing, not empty, and replaced only with replaceMissing', async () => {
    const { page, storage, traces } = createProfile();
    await page().create(mnemonic, 'a');
    for (const key of ['slot-a', 'slot-b', 'pointer']) await storage.update('vault', key, () => undefined);
    await traces.setCopy(null);
    const keyring = page();
    expect(await keyring.state()).toBe('missing');
    expect(await works(keyring, 'a')).toBe(false);
    await expect(keyring.create(mnemonic, 'b')).rejects.toMatchObject({ code: -32002 });
    await keyring.create(mnemonic, 'b', { replaceMissing: true });
    expect(await works(page(), 'b')).toBe(true);
  });

  test('a lost database comes back from the copy', async () => {
    const { page, storage } = createProfile();
    await page().create(mnemonic, 'a');
    for (const key of ['slot-a', 'slot-b', 'pointer']) await storage.update('vault', key, () => undefined);
    const keyring = page();
    expect(await keyring.state()).toBe('locked');
    expect(await works(keyring, 'a')).toBe(true);
    expect(await storage.get('vault', 'pointer')).toBeDefined();
  });

  test('a vault of a later version is refused and left alone', async () => {
    const { page, storage } = createProfile();
    await page().create(mnemonic, 'a');
    await storage.update('vault', 'slot-a', (record) => ({ ...(record as object), v: 4 }));
    const keyring = page();
    expect(await keyring.state()).toBe('locked');
    await expect(keyring.unlock('a')).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining('newer'),
    });
    await expect(keyring.create(mnemonic, 'b', { replaceMissing: true })).rejects.toMatchObject({
      code: -32002,
    });
    expect(await storage.get('vault', 'slot-a')).toMatchObject({ v: 4 });
  });

  test('guessing is slowed across pages, and the right password then is not', async () => {
    const { page, clock } = createProfile();
    await page().create(mnemonic, 'a');
    for (let i = 0; i < 5; i++) expect(await works(page(), `wrong ${i}`)).toBe(false);
    const attempt = page().unlock('a');
    let done = false;
    void attempt.then(() => {
      done = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(done).toBe(false);
    clock.advance(1_000);
    await attempt;
    await page().unlock('a');
  });

  test('without options the vault has the strong derivation, and opens', async () => {
    const storage = createMemoryStorage();
    const keyring = createKeyring({ storage });
    onTestFinished(keyring.lock);
    await keyring.create(mnemonic, 'correct horse');
    const record = (await storage.get('vault', 'slot-a')) as VaultRecord;
    expect(record.wraps[0]).toMatchObject({ kdf: { name: 'scrypt', N: 131_072, r: 8, p: 1 } });
    keyring.lock();
    await keyring.unlock('correct horse');
    expect(keyring.locked()).toBe(false);
  });

  test('a vault of the weak class becomes strong at the next unlock', async () => {
    const { page, storage } = createProfile();
    await page({ kdf: { name: 'pbkdf2-sha256', c: 1_000 } }).create(mnemonic, 'a');
    const keyring = createKeyring({ storage });
    onTestFinished(keyring.lock);
    await keyring.unlock('a');
    expect(await storage.get('vault', 'slot-b')).toMatchObject({
      gen: 2,
      wraps: [{ kdf: { name: 'scrypt', N: 131_072 } }],
    });
    expect(await keyring.signMessage(message(junk.address))).toMatch(/^0x[0-9a-f]{130}$/);
    expect(await works(page(), 'a')).toBe(true);
  });
});

describe('accounts', () => {
  test('derived and added, in their order, still there after a reload', async () => {
    const { page } = createProfile();
    const keyring = page();
    await keyring.create(mnemonic, 'a');
    const second = await keyring.derive("m/44'/60'/0'/0/1");
    expect(second).toEqual({
      address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      path: "m/44'/60'/0'/0/1",
    });
    const third = await keyring.add(privateKey(eip191.privateKey));
    const reloaded = page();
    await reloaded.unlock('a');
    expect(await reloaded.accounts()).toEqual([{ address: junk.address, path }, second, third]);
  });

  test('a secret that is present is not added again', async () => {
    const { page, storage } = createProfile();
    const keyring = page();
    const first = await keyring.create(mnemonic, 'a');
    expect(await keyring.derive(path)).toEqual(first);
    expect(await keyring.add(mnemonic)).toEqual(first);
    expect(await keyring.add(privateKey(junk.privateKey as string))).toEqual(first);
    expect(await keyring.accounts()).toEqual([first]);
    expect(await storage.get('vault', 'slot-b')).toBeUndefined();
  });

  test('pages that add at the same time lose nothing, and see each other’s accounts', async () => {
    const { page } = createProfile();
    const a = page();
    await a.create(mnemonic, 'a');
    const b = page();
    await b.unlock('a');
    for (let i = 1; i <= 6; i++) await (i % 2 ? a : b).derive(`m/44'/60'/0'/0/${i}`);
    const atOnce = await Promise.allSettled([a.derive("m/44'/60'/0'/0/7"), b.derive("m/44'/60'/0'/0/8")]);
    const added = atOnce.filter(({ status }) => status === 'fulfilled').length;
    for (const attempt of atOnce)
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: -32002 });
    expect(await a.accounts()).toHaveLength(7 + added);
    expect(await b.accounts()).toEqual(await a.accounts());
    const { address } = (await a.accounts()).at(-1) as Keyring.Account;
    expect(await b.signMessage(message(address))).toMatch(/^0x/);
  });

  test.each<[string, (other: Keyring) => Promise<unknown>]>([
    ['removes the account', (other) => other.remove(eip191.address)],
    ['erases the wallet', (other) => other.erase()],
    ['changes the password', (other) => other.changePassword('correct horse', 'another one')],
    [
      'replaces the wallet',
      (other) => other.create(privateKey(keystores[2]?.privateKey as Hex), 'other', { replace: true }),
    ],
  ])('a page whose wallet another page %s signs nothing more, without a message of it', async (_, act) => {
    // Pages on storage without a name have no channel between them.
    const { page } = createProfile();
    const [first, second] = [page(), page()];
    await first.create(mnemonic, 'correct horse');
    await first.add(privateKey(eip191.privateKey));
    await second.unlock('correct horse');
    await second.signMessage(message(eip191.address));
    await act(first);
    await expect(second.signMessage(message(eip191.address))).rejects.toMatchObject({ code: 4100 });
    await expect(
      second.signTypedData(
        mint({ type: 'typed-data', from: eip191.address, digest: `0x${'11'.repeat(32)}` }),
      ),
    ).rejects.toMatchObject({ code: 4100 });
  });

  test('an account another page added signs without asking for accounts first', async () => {
    const { page } = createProfile();
    const a = page();
    await a.create(mnemonic, 'a');
    const b = page();
    await b.unlock('a');
    const { address } = await a.add(privateKey(eip191.privateKey));
    expect(await b.signMessage(message(address))).toMatch(/^0x/);
  });

  test('bad paths, no mnemonic, locked', async () => {
    const { page } = createProfile();
    const keyring = page();
    await keyring.create(mnemonic, 'a');
    for (const bad of ['m', "44'/137'/0'/0/0", "m/44'/137'/0'/0/2147483648", "m/44'/137'//0"])
      await expect(keyring.derive(bad)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('path'),
      });
    keyring.lock();
    for (const refused of [keyring.derive(path), keyring.add(mnemonic), keyring.accounts()])
      await expect(refused).rejects.toMatchObject({ code: 4100 });
    const imported = createProfile().page();
    await imported.create(privateKey(eip191.privateKey), 'a');
    await expect(imported.derive(path)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('signing', () => {
  const unlocked = async (...secrets: Keyring.Secret[]) => {
    const { page, clock } = createProfile();
    const keyring = page();
    const [first = mnemonic, ...rest] = secrets;
    const account = await keyring.create(first, 'a');
    for (const secret of rest) await keyring.add(secret);
    return { keyring, clock, from: account.address };
  };

  test('the published vectors of ERC-191, EIP-712 and EIP-155', async () => {
    const { keyring, from } = await unlocked(
      privateKey(eip155.privateKey),
      privateKey(eip191.privateKey),
      privateKey(etherMail.privateKey),
    );
    const bytes = `0x${bytesToHex(new TextEncoder().encode(eip191.message))}` as const;
    expect(await keyring.signMessage(message(eip191.address, bytes))).toBe(eip191.signature);
    const typedData = mint<Keyring.TypedDataSubject>({
      type: 'typed-data',
      from: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826',
      digest: etherMail.digest,
    });
    expect(await keyring.signTypedData(typedData)).toBe(etherMail.signature);
    const { nonce, ...rest } = eip155.transaction;
    expect(`0x${bytesToHex(signingDigest(eip155.transaction))}`).toBe(eip155.signingHash);
    const transaction = mint<Keyring.TransactionSubject>({ type: 'transaction', from, ...rest });
    expect(await keyring.signTransaction(transaction, nonce)).toEqual({
      raw: eip155.raw,
      hash: '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788',
    });
  });

  test('any transaction as viem serialises and signs it', async () => {
    const { keyring, from } = await unlocked();
    const account = privateKeyToAccount(junk.privateKey as Hex);
    const quantity = fc.bigInt({ min: 0n, max: 2n ** 80n });
    const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          nonce: fc.nat(),
          gasPrice: quantity,
          gas: fc.bigInt({ min: 0n, max: 2n ** 40n }),
          to: fc.option(fc.uint8Array({ minLength: 20, maxLength: 20 })),
          value: quantity,
          data: fc.uint8Array({ maxLength: 400 }),
          chainId: fc.constantFrom(30, 31, 33, 1, 0x7fff_ffff),
        }),
        async ({ nonce, gasPrice, gas, to, value, data, chainId }) => {
          const fields = {
            to: to && (`0x${bytesToHex(to)}` as const),
            data: `0x${bytesToHex(data)}` as const,
            chainId,
          };
          const approved = mint<Keyring.TransactionSubject>({
            type: 'transaction',
            from,
            ...fields,
            value: hex(value),
            gas: hex(gas),
            gasPrice: hex(gasPrice),
          });
          const { raw, hash } = await keyring.signTransaction(approved, hex(BigInt(nonce)));
          const theirs = await account.signTransaction({
            type: 'legacy',
            nonce,
            gasPrice,
            gas,
            value,
            ...fields,
          });
          expect(raw).toBe(theirs);
          expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
          expect(parseTransaction(raw).chainId).toBe(chainId);
          const signer = await recoverTransactionAddress({
            serializedTransaction: raw as never,
          });
          expect(signer.toLowerCase()).toBe(from);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('an approval works once, and only for its own kind', async () => {
    const { keyring, from } = await unlocked();
    const approved = message(from);
    expect(recoverMessage('0x68656c6c6f', await keyring.signMessage(approved))).toBe(from);
    await expect(keyring.signMessage(approved)).rejects.toThrow(TypeError);
    const forged = {
      subject: { type: 'message', from, bytes: '0x00' },
    } as unknown as Approved<Keyring.MessageSubject>;
    await expect(keyring.signMessage(forged)).rejects.toThrow(TypeError);
    const both = () => mint({ type: 'typed-data', from, digest: etherMail.digest, bytes: '0x00' });
    await expect(keyring.signMessage(both() as never)).rejects.toThrow('something else');
    await expect(keyring.signTransaction(both() as never, '0x0')).rejects.toThrow('something else');
    await expect(keyring.signTypedData(message(from) as never)).rejects.toThrow('something else');
  });

  test('a transaction without a chain', async () => {
    const { keyring, from } = await unlocked();
    for (const chainId of [0, -1, 1.5, Number.NaN, undefined as never]) {
      const fields = { to: null, value: '0x0', data: '0x', gas: '0x0', gasPrice: '0x0' } as const;
      const approved = mint<Keyring.TransactionSubject>({ type: 'transaction', from, chainId, ...fields });
      await expect(keyring.signTransaction(approved, '0x0')).rejects.toThrow('chain id');
    }
  });

  test('locked, which does not use the approval up; an account that is not there', async () => {
    const { keyring, from } = await unlocked();
    await expect(keyring.signMessage(message(eip191.address))).rejects.toMatchObject({ code: 4100 });
    keyring.lock();
    const approved = message(from);
    await expect(keyring.signMessage(approved)).rejects.toMatchObject({ code: 4100 });
    await keyring.unlock('a');
    expect(await keyring.signMessage(approved)).toMatch(/^0x/);
  });

  test('locked while it is signing, even when the key is being decrypted', async () => {
    const { keyring, from } = await unlocked();
    const signature = keyring.signMessage(message(from));
    keyring.lock();
    await expect(signature).rejects.toMatchObject({ code: 4100 });
    await keyring.unlock('a');
    const { decrypt } = subtle;
    const decrypting = vi.spyOn(subtle, 'decrypt').mockImplementation((...args) => {
      keyring.lock();
      return decrypt(...args);
    });
    try {
      await expect(keyring.signMessage(message(from))).rejects.toMatchObject({ code: 4100 });
      expect(decrypting).toHaveBeenCalledTimes(1);
    } finally {
      decrypting.mockRestore();
    }
  });

  test('it locks after 15 idle minutes; signing counts as use, asking for accounts does not', async () => {
    const { keyring, clock, from } = await unlocked();
    clock.advance(14 * 60_000);
    await keyring.signMessage(message(from));
    clock.advance(14 * 60_000);
    await keyring.accounts();
    expect(keyring.locked()).toBe(false);
    clock.advance(60_000);
    expect(keyring.locked()).toBe(true);
    await expect(keyring.signMessage(message(from))).rejects.toMatchObject({ code: 4100 });
  });

  test('warming up is put off, and done once', async () => {
    const { keyring, clock } = await unlocked();
    const before = clock.timers.length;
    keyring.warmUp();
    keyring.warmUp();
    expect(clock.timers.length).toBe(before + 1);
    clock.advance(1);
  });
});

describe('passwords', () => {
  test('after a change only the new one works, here and in the copy', async () => {
    const { page, storage, traces } = createProfile();
    const keyring = page();
    await keyring.create(mnemonic, 'old');
    await keyring.changePassword('old', 'new');
    expect(keyring.locked()).toBe(false);
    expect(await keyring.accounts()).toHaveLength(1);
    expect(await keyring.signMessage(message(junk.address))).toMatch(/^0x/);
    expect(await works(page(), 'old')).toBe(false);
    expect(await works(page(), 'new')).toBe(true);
    expect(await opening('new', { storage, traces })).toEqual([2, 2]);
  });

  test('once a change has resolved, no stored record opens with the old one', async () => {
    const profile = createProfile();
    const keyring = profile.page();
    await keyring.create(mnemonic, 'first');
    for (const [old, next] of [
      ['first', 'second'],
      ['second', 'third'],
    ] as const) {
      // A second record of the same password, in the other slot.
      await keyring.add(privateKey(old === 'first' ? eip191.privateKey : eip155.privateKey));
      expect(await opening(old, profile)).toHaveLength(3);
      await keyring.changePassword(old, next);
      expect(await opening(old, profile)).toEqual([]);
      expect(await opening(next, profile)).toHaveLength(2);
    }
    expect(await opening('first', profile)).toEqual([]);
    expect(await keyring.accounts()).toHaveLength(3);
  });

  test('a copy that cannot be deleted keeps the old password; a slot that cannot be deleted is reported', async () => {
    const forbidden = () => Promise.reject(new DOMException('in use', 'NoModificationAllowedError'));
    const { storage, traces, page } = createProfile();
    await page().create(mnemonic, 'old');
    const keyring = page({ traces: { ...traces, dropCopy: forbidden } });
    await expect(keyring.changePassword('old', 'new')).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining('Nothing was changed'),
    });
    expect([await works(page(), 'new'), await works(page(), 'old')]).toEqual([false, true]);

    const stuck: Storage = {
      ...storage,
      update: (store, key, next) =>
        storage.update(store, key, (current) => {
          const value = next(current);
          if (value === undefined && current !== undefined && key !== 'attempts')
            throw new DOMException('stuck', 'AbortError');
          return value;
        }),
    };
    await expect(page({ storage: stuck }).changePassword('old', 'new')).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining('The change counts'),
    });
    expect([await works(page(), 'old'), await works(page(), 'new')]).toEqual([false, true]);
    expect(await opening('old', { storage, traces })).toEqual([]);
  });

  test('a page that opened the vault before another changed its password does not put the old copy back', async () => {
    const { storage, traces, page } = createProfile();
    await page().create(mnemonic, 'old');
    traces.dropCopy();
    let changed: Promise<void> | undefined;
    // Between the opening and the tidying up, and without Web Locks.
    const slow: VaultTraces = {
      ...traces,
      async copy() {
        changed ??= page().changePassword('old', 'new');
        await changed;
        return traces.copy();
      },
    };
    await page({ traces: slow }).unlock('old');
    expect(await opening('old', { storage, traces })).toEqual([]);
    expect(await opening('new', { storage, traces })).toEqual([2, 2]);
  });

  test('new salt and new data key', async () => {
    const { page, storage } = createProfile();
    const keyring = page();
    await keyring.create(mnemonic, 'same');
    const a = (await storage.get('vault', 'slot-a')) as VaultRecord;
    await keyring.changePassword('same', 'same');
    const b = (await storage.get('vault', 'slot-b')) as VaultRecord;
    const salts = [a, b].map(({ wraps }) => (wraps[0] as unknown as { kdf: { salt: string } }).kdf.salt);
    expect(salts[0]).not.toBe(salts[1]);
    expect([a.gen, b.gen, b.createdAt, b.vaultId]).toEqual([1, 2, a.createdAt, a.vaultId]);
  });

  test('pages that were unlocked before the change lock themselves at the next use', async () => {
    const { page } = createProfile();
    const a = page();
    await a.create(mnemonic, 'old');
    const b = page();
    await b.unlock('old');
    await a.changePassword('old', 'new');
    await expect(b.accounts()).rejects.toMatchObject({ code: 4100 });
    expect([a.locked(), b.locked()]).toEqual([false, true]);
  });

  test('a wrong current password, an empty new one', async () => {
    const { page } = createProfile();
    const keyring = page();
    await keyring.create(mnemonic, 'old');
    await expect(keyring.changePassword('wrong', 'new')).rejects.toMatchObject({ code: 4100 });
    await expect(keyring.changePassword('old', '')).rejects.toMatchObject({ code: -32602 });
    expect(await works(page(), 'old')).toBe(true);
  });

  test('secrets leave only for the password, locked or not', async () => {
    const { page } = createProfile();
    const keyring = page();
    await keyring.create(mnemonic, 'a');
    await keyring.add(privateKey(eip191.privateKey));
    keyring.lock();
    expect(await keyring.exportMnemonic('a')).toBe(junk.mnemonic);
    expect(await keyring.exportPrivateKey(junk.address, 'a')).toBe(junk.privateKey);
    expect(await keyring.exportPrivateKey(`0x${eip191.address.slice(2).toUpperCase()}`, 'a')).toBe(
      eip191.privateKey,
    );
    const json = await keyring.exportKeystore(eip191.address, 'a');
    expect(await createProfile().page().create({ type: 'keystore', json, password: 'a' }, 'b')).toEqual({
      address: eip191.address,
      path: null,
    });
    for (const refused of [
      keyring.exportMnemonic('b'),
      keyring.exportPrivateKey(junk.address, 'b'),
      keyring.exportKeystore(junk.address, 'b'),
    ])
      await expect(refused).rejects.toMatchObject({ code: 4100 });
    await expect(keyring.exportPrivateKey(`0x${'00'.repeat(20)}`, 'a')).rejects.toMatchObject({
      code: -32602,
    });
    expect(keyring.locked()).toBe(true);
    const imported = createProfile().page();
    await imported.create(privateKey(eip191.privateKey), 'a');
    await expect(imported.exportMnemonic('a')).rejects.toMatchObject({ code: -32602 });
  });
});

describe('interruptions', () => {
  /** A profile whose power fails at step `at` of writing: before the step takes effect, or right after. */
  function createFailing() {
    const storage = createMemoryStorage();
    const traces = createMemoryTraces();
    let left = Number.POSITIVE_INFINITY;
    let effect = false;
    const step = async <T>(work: () => Promise<T>): Promise<T> => {
      left -= 1;
      if (left > 0) return work();
      if (left === 0 && effect) await work();
      throw new DOMException('The power failed', 'AbortError');
    };
    const failing: Storage = {
      ...storage,
      update: (store, key, next) => step(() => storage.update(store, key, next)),
      put: (store, records) => step(() => storage.put(store, records)),
    };
    const failingTraces: VaultTraces = {
      ...traces,
      setSentinel: (sentinel) => {
        left -= 1;
        if (left > 0 || (left === 0 && effect)) traces.setSentinel(sentinel);
      },
      setCopy: (record) => step(() => traces.setCopy(record)).catch(() => {}),
      dropCopy: () => step(() => traces.dropCopy()),
    };
    return {
      before: createProfile(failing, failingTraces),
      after: createProfile(storage, traces),
      cut(at: number, takesEffect: boolean) {
        left = at;
        effect = takesEffect;
      },
      survived: () => left > 0,
    };
  }

  test.each([false, true])(
    'a password change leaves exactly one of two passwords (effect: %s)',
    async (effect) => {
      const outcomes = new Set<string>();
      for (let at = 1; ; at++) {
        const { before, after, cut, survived } = createFailing();
        const keyring = before.page();
        await keyring.create(mnemonic, 'old');
        cut(at, effect);
        const told = await keyring.changePassword('old', 'new').then(
          () => true,
          () => false,
        );
        if (survived()) break;
        const opened = [await works(after.page(), 'old'), await works(after.page(), 'new')];
        expect([at, opened.filter(Boolean).length]).toEqual([at, 1]);
        // Whoever was told that it is changed must not need the old one.
        if (told) expect(opened).toEqual([false, true]);
        outcomes.add(opened[0] ? 'old' : 'new');
        const next = after.page();
        await next.unlock(opened[0] ? 'old' : 'new');
        expect(await next.accounts()).toEqual([{ address: junk.address, path }]);
        await next.changePassword(opened[0] ? 'old' : 'new', 'third');
        expect(await works(after.page(), 'third')).toBe(true);
      }
      expect(outcomes).toEqual(new Set(['old', 'new']));
    },
  );

  test.each([false, true])('an added account is there or not, nothing else (effect: %s)', async (effect) => {
    for (let at = 1; ; at++) {
      const { before, after, cut, survived } = createFailing();
      const keyring = before.page();
      await keyring.create(mnemonic, 'a');
      cut(at, effect);
      const told = await keyring.add(privateKey(eip191.privateKey)).then(
        () => true,
        (error) => {
          expect(error).toMatchObject({ code: -32002 });
          return false;
        },
      );
      if (survived()) break;
      const next = after.page();
      await next.unlock('a');
      const count = (await next.accounts()).length;
      expect(count).toBeGreaterThanOrEqual(told ? 2 : 1);
      await next.derive("m/44'/60'/0'/0/5");
      expect(await next.accounts()).toHaveLength(count + 1);
    }
  });

  test.each([false, true])('a creation happened, or can begin again (effect: %s)', async (effect) => {
    for (let at = 1; ; at++) {
      const { before, after, cut, survived } = createFailing();
      cut(at, effect);
      const told = await before
        .page()
        .create(mnemonic, 'a')
        .then(
          () => true,
          () => false,
        );
      if (survived()) break;
      const next = after.page();
      const state = await next.state();
      if (told) expect(state).toBe('locked');
      if (state === 'empty') await next.create(mnemonic, 'a');
      expect(await works(after.page(), 'a')).toBe(true);
    }
  });

  test('a full storage refuses, and everything is as it was', async () => {
    const { storage, traces, page } = createProfile();
    await page().create(mnemonic, 'old');
    const full: Storage = {
      ...storage,
      update: (store, key, next) =>
        key === 'attempts'
          ? storage.update(store, key, next)
          : Promise.reject(new DOMException('full', 'QuotaExceededError')),
    };
    const keyring = createProfile(full, traces).page();
    await keyring.unlock('old');
    for (const refused of [
      () => keyring.changePassword('old', 'new'),
      () => keyring.derive("m/44'/60'/0'/0/1"),
    ])
      await expect(refused()).rejects.toMatchObject({
        code: -32002,
        message: expect.stringContaining('QuotaExceededError'),
      });
    expect(await keyring.accounts()).toHaveLength(1);
    expect(await works(page(), 'old')).toBe(true);
  });
});

describe('pages', () => {
  test('locking one page locks the others, by news', async () => {
    // Durable, so that pages have a channel.
    const storage = { ...createMemoryStorage(), durable: true };
    const { page } = createProfile(storage);
    const name = 'keyring-test';
    const a = page({ name });
    await a.create(mnemonic, 'a');
    const b = page({ name });
    await b.unlock('a');
    a.lock();
    await waitFor(() => expect(b.locked()).toBe(true));
    await Promise.all([a.unlock('a'), b.unlock('a')]);
    await a.changePassword('a', 'b');
    await waitFor(() => expect(b.locked()).toBe(true));
    expect(a.locked()).toBe(false);
  });

  test('closing one leaves the others unlocked, and itself locked for good', async () => {
    const { page, clock } = createProfile({ ...createMemoryStorage(), durable: true });
    const name = 'keyring-close-test';
    const [a, b, c] = [page({ name }), page({ name }), page({ name })];
    await a.create(mnemonic, 'a');
    await Promise.all([b.unlock('a'), c.unlock('a')]);
    const seen: boolean[] = [];
    a.watch((locked) => seen.push(locked));
    a.warmUp();
    expect(clock.timers).toHaveLength(4);
    a.close();
    a.close();
    a.lock();
    a.warmUp();
    expect([a.locked(), await a.state(), seen, clock.timers.length]).toEqual([true, 'locked', [true], 2]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([b.locked(), c.locked()]).toEqual([false, false]);
    for (const refused of [a.unlock('a'), a.exportMnemonic('a'), a.changePassword('a', 'b')])
      await expect(refused).rejects.toMatchObject({ code: 4900 });
    await expect(a.signMessage(message(junk.address))).rejects.toMatchObject({ code: 4100 });
    expect(await b.signMessage(message(junk.address))).toMatch(/^0x/);
    b.lock();
    await waitFor(() => expect(c.locked()).toBe(true));
    expect(seen).toEqual([true]);
  });

  test('an unlock or a creation under way does not outlive the closing', async () => {
    const { page } = createProfile();
    const created = page();
    const creation = created.create(mnemonic, 'a');
    created.close();
    await expect(creation).rejects.toMatchObject({ code: 4900 });
    expect([created.locked(), await created.state()]).toEqual([true, 'empty']);
    await page().create(mnemonic, 'a');
    const opening = page();
    const unlocking = opening.unlock('a');
    opening.close();
    await expect(unlocking).rejects.toMatchObject({ code: 4900 });
    expect(opening.locked()).toBe(true);
  });
});

describe('secrets', () => {
  test('none is stored, traced or shown in plain', async () => {
    const { page, storage, traces, clock } = createProfile();
    const keyring = page();
    const planted = ['Tr0ub4dor', junk.mnemonic, junk.privateKey as string, eip191.privateKey];
    const [password = ''] = planted;
    await keyring.create(mnemonic, password);
    await keyring.add(privateKey(eip191.privateKey));
    const errors: unknown[] = [];
    const note = (error: unknown) => void errors.push(error);
    await keyring.unlock(`${password}x`).catch(note);
    await keyring.add({ ...mnemonic, mnemonic: `${junk.mnemonic} extra` }).catch(note);
    await keyring.add({ ...mnemonic, path: 'm' }).catch(note);
    await keyring.add(privateKey(`${eip191.privateKey}00`)).catch(note);
    await keyring.add({ type: 'keystore', json: junk.mnemonic, password }).catch(note);
    await keyring.exportPrivateKey('0x00', password).catch(note);
    await keyring.changePassword(`${password}y`, password).catch(note);
    clock.advance(1);
    expect(errors).toHaveLength(7);
    const everything = JSON.stringify([
      await storage.all('vault'),
      traces.sentinel(),
      await traces.copy(),
      errors.map((error) => {
        const { message: text, stack, cause, ...rest } = error as Error;
        return [text, stack, String(cause), rest];
      }),
    ]);
    expect(everything.length).toBeGreaterThan(1_000);
    for (const secret of planted) {
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(secret.replace(/^0x/, ''));
      const bytes = secret.startsWith('0x') ? hexToBytes(secret.slice(2)) : new TextEncoder().encode(secret);
      expect(everything).not.toContain(Buffer.from(bytes).toString('base64url'));
      expect(everything).not.toContain(bytesToHex(bytes));
    }
    for (const word of junk.mnemonic.split(' ').slice(-1)) expect(everything).not.toContain(` ${word} `);
  });
});
