import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mnemonicOf, readMnemonic } from '../../../src/keyring/mnemonic.js';
import type { Contents } from '../../../src/keyring/vault/contents.js';
import { openLegacyVault } from '../../../src/keyring/vault/legacy.js';
import type { VaultRecord } from '../../../src/keyring/vault/record.js';
import { copyContents, readSecret } from '../../../src/keyring/vault/secrets.js';
import { withContents } from '../../../src/keyring/vault/vault.js';
import type { Address } from '../../../src/rpc/schema.js';
import { backupV1 } from '../../support/vectors.js';
import {
  createOldProfile,
  forgeVersion2,
  oldAccounts,
  oldPassword,
  putBack,
  storedAs,
} from './old-vaults.js';
import { createProfile } from './profile.js';

/** A writer of the storage writes records of version 2 with what they like in them, under the owner's password. */

const theirEntropy = new Uint8Array(16).fill(7);
const none = new Uint8Array(0);
const path = "m/44'/137'/0'/0/0";
const damaged = { code: 4100 };
const ofTheirs = (at = path) =>
  readSecret({ type: 'mnemonic', mnemonic: mnemonicOf(theirEntropy), path: at });
const ownKey = `0x${'22'.repeat(32)}` as const;

beforeEach(() => vi.stubGlobal('location', { hostname: 'app.example' }));
afterEach(() => vi.unstubAllGlobals());

async function createForged(
  change: (genuine: Contents) => Promise<Contents> | Contents,
  known = oldAccounts as readonly string[],
) {
  const profile = await createOldProfile('password', [], known);
  const { pointer, ...kept } = await profile.kept();
  const genuine = kept[pointer?.slot as 'slot-a'] as unknown as VaultRecord;
  const contents = await withContents(await openLegacyVault(genuine, oldPassword), copyContents);
  await putBack(profile, await storedAs(await forgeVersion2(genuine, await change(contents))));
  return profile;
}

const forgeries: readonly [string, (genuine: Contents) => Promise<Contents> | Contents][] = [
  [
    'the addresses of the session beside keys and words of the forger',
    () => ({
      mnemonics: [{ entropy: theirEntropy, passphrase: none }],
      accounts: oldAccounts.map((address, at) => ({
        ...{ address, privateKey: new Uint8Array(32).fill(9 + at), path: `m/44'/137'/0'/0/${at}` },
      })),
    }),
  ],
  [
    'keys that are none',
    ({ mnemonics, accounts }) => ({
      mnemonics,
      accounts: accounts.map((account) => ({ ...account, privateKey: new Uint8Array(32) })),
    }),
  ],
  [
    'other words for the derived accounts',
    ({ accounts }) => ({ accounts, mnemonics: [{ entropy: theirEntropy, passphrase: none }] }),
  ],
  ['no words for the derived accounts', ({ accounts }) => ({ accounts, mnemonics: [] })],
  [
    'another path',
    ({ mnemonics, accounts }) => ({
      mnemonics,
      accounts: accounts.map((each) => ({ ...each, path: each.path && "m/44'/137'/0'/0/7" })),
    }),
  ],
  [
    'an invalid path',
    ({ mnemonics, accounts }) => ({ mnemonics, accounts: accounts.map((each) => ({ ...each, path: 'x' })) }),
  ],
  [
    'invalid entropy',
    ({ mnemonics, accounts }) => ({
      accounts,
      mnemonics: [...mnemonics, { entropy: new Uint8Array(5), passphrase: none }],
    }),
  ],
  [
    'optional records',
    (genuine) => ({ ...genuine, optional: [{ kind: 128, bytes: new TextEncoder().encode('permission') }] }),
  ],
];

describe('a record of version 2 is refused as damaged, without a question to the person, with', () => {
  test.each(forgeries)('%s', async (_, change) => {
    const profile = await createForged(change);
    const before = await profile.kept();
    for (const options of [undefined, { acceptUnproven: [] }, { acceptUnproven: oldAccounts }])
      await expect(profile.page().unlock(oldPassword, options)).rejects.toMatchObject(damaged);
    await expect(profile.page().exportMnemonic(oldPassword)).rejects.toMatchObject(damaged);
    const { 'slot-a': record, pointer } = await profile.kept();
    expect([record, pointer]).toEqual([before['slot-a'], before.pointer]);
  });

  test.each(forgeries)('%s, in a backup file', async (_, change) => {
    const vault = backupV1.file.vault as unknown as VaultRecord;
    const contents = await withContents(await openLegacyVault(vault, 'file password'), copyContents);
    const file = JSON.stringify({
      ...backupV1.file,
      vault: await forgeVersion2(vault, await change(contents)),
    });
    const agreed = { acceptUnproven: oldAccounts };
    const ways = { password: 'a new password' };
    const restoring = createProfile().page().restore(file, 'file password', ways, agreed);
    await expect(restoring).rejects.toMatchObject(damaged);
  });
});

describe('accounts that a person has to confirm', () => {
  test('names the first account of words that no account comes from', async () => {
    const { accounts } = await ofTheirs("m/44'/60'/0'/0/0");
    const theirs = accounts[0]?.address as Address;
    const mixed = ({ mnemonics, accounts }: Contents): Contents => ({
      mnemonics: [{ entropy: theirEntropy, passphrase: none }, ...mnemonics],
      accounts,
    });
    const profile = await createForged(mixed);
    await expect(profile.page().unlock(oldPassword)).rejects.toMatchObject({
      code: -32002,
      data: { accounts: [...oldAccounts, theirs], known: oldAccounts },
    });
    await profile.page().unlock(oldPassword, { acceptUnproven: [...oldAccounts, theirs] });
  });

  test('and those of Rootstock in a vault of imported keys alone', async () => {
    const { accounts } = await ofTheirs();
    const imported = await readSecret({ type: 'private-key', privateKey: ownKey });
    const words = { entropy: theirEntropy, passphrase: none };
    const profile = await createForged(() => ({ mnemonics: [words], accounts: imported.accounts }));
    await expect(profile.page().unlock(oldPassword)).rejects.toMatchObject({
      data: { accounts: [imported.accounts[0]?.address, accounts[0]?.address] },
    });
  });

  test('a genuine vault whose words came after their first account was imported still opens', async () => {
    const words = 'test test test test test test test test test test test junk';
    const profile = await createForged(({ accounts: [first] }) => ({
      mnemonics: [{ entropy: readMnemonic(words), passphrase: none }],
      accounts: [{ ...(first as Contents['accounts'][0]), path: null }],
    }));
    const keyring = profile.page();
    const { accounts } = await keyring.unlock(oldPassword).catch(({ data }) => data);
    await keyring.unlock(oldPassword, { acceptUnproven: accounts });
    expect(await keyring.exportMnemonic(oldPassword)).toBe(words);
  });
});
