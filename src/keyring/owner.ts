import type { Credential, UnlockOptions } from '../approvals/owner.js';
import type { Clock } from '../async/clock.js';
import type { Mutex } from '../async/mutex.js';
import { errorName, resourceUnavailable } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { bytesToHex } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Storage } from '../storage/storage.js';
import type { KeyringAccount, Secret } from './account.js';
import { Bytes, sliceBytes, wipe } from './builtins.js';
import type { NewWays, Passkey } from './credential.js';
import type { Kdf } from './kdf/kdf.js';
import type { Lock } from './lock.js';
import type { PasskeyCeremonies } from './passkeys.js';
import type { RecoveryPasskey } from './recovery-passkey.js';
import { compressedPublicKey } from './signer.js';
import { type HeldVault, keptPasskeys, lastingWraps, type VaultAccess } from './vault/access.js';
import { openBackup, sealBackup } from './vault/backup.js';
import {
  type Contents,
  type ContentsAccount,
  optionalRecords,
  withOptionalRecords,
} from './vault/contents.js';
import { asleepIn, passkeyOf } from './vault/listed-passkeys.js';
import {
  type PasskeyIdentity,
  type PasskeyWrap,
  passkeyWraps,
  recordVersion,
  requireFewWays,
  type VaultRecord,
} from './vault/record.js';
import {
  accountAt,
  deriveAccount,
  deriveAccounts,
  mergeContents,
  mnemonicOfAccount,
  noContents,
  readSecret,
  wipeContents,
} from './vault/secrets.js';
import { erasedKey, type VaultSlots } from './vault/slots.js';
import { type Lend, type Ways, withContents } from './vault/vault.js';
import { isRecoveryWrap, type NewPasskey, type Opener } from './vault/wraps.js';

/** The functions of the keyring that change the vault or take secrets out of it. A chunk of its own. */
export interface OwnerKeyring {
  /**
   * Creates the vault with its first secret, and unlocks it. The state must be `empty`, or the options say to replace what
   * there is: exactly one of the two vaults opens, whenever it is interrupted.
   * @param ways a password, or a password, a passkey or both
   * @throws ProviderRpcError -32602 for an invalid secret or an empty password, -32002 if a vault exists; 4001, 4200 as
   * {@link addPasskey}
   */
  create(secret: Secret, ways: string | NewWays, options?: VaultAccess.Replacing): Promise<KeyringAccount>;
  /**
   * Makes a passkey, and a vault of the mnemonic that the passkey gives, with the account at `path`.
   * @throws ProviderRpcError 4001, 4200 as {@link addPasskey}; else as {@link create}
   */
  createFromPasskey(
    name: string,
    path: string,
    options?: VaultAccess.Replacing,
  ): Promise<OwnerKeyring.FromPasskey>;
  /**
   * Asks for a passkey of {@link createFromPasskey}, and creates the vault again.
   * @param name of the passkey in the new vault
   * @param choose is lent the addresses at paths, and resolves with the paths of the accounts to have. Nothing is stored before
   * @throws ProviderRpcError 4001 if the person cancels, 4100 for a passkey that only unlocks, 4200 without the PRF
   * extension; else as {@link create}, or as `choose` rejects
   */
  restoreFromPasskey(
    name: string,
    choose: OwnerKeyring.Choose,
    options?: VaultAccess.Replacing,
  ): Promise<{ readonly accounts: readonly KeyringAccount[]; readonly restores: boolean }>;
  /** Adds a secret and its first account to the vault. @throws ProviderRpcError -32602 invalid secret, 4100 locked */
  add(secret: Secret): Promise<KeyringAccount>;
  /** Derives an account from the first mnemonic. @throws ProviderRpcError -32602 (naming `path`), 4100 locked */
  derive(path: string): Promise<KeyringAccount>;
  /**
   * Derives the first account that the vault does not have yet, from the mnemonic of the account `of`, by default the
   * first one.
   * @throws ProviderRpcError -32602 without such a mnemonic, 4100 locked
   */
  deriveNext(pathAt: (index: number) => string, of?: Address): Promise<KeyringAccount>;
  /** Derives several accounts, in one write; `mnemonic` is an index. Resolves with those that are new. */
  deriveAll(picks: readonly OwnerKeyring.Pick[]): Promise<readonly KeyringAccount[]>;
  /** The addresses at the paths, for each mnemonic. Stores nothing. @throws ProviderRpcError 4100 locked */
  addresses(paths: readonly string[]): Promise<readonly (readonly Address[])[]>;
  /**
   * The compressed public key of an account, 33 bytes. It is no use of the keys.
   * @throws ProviderRpcError 4100 locked, -32602 unknown address
   */
  publicKey(address: Address): Promise<Uint8Array>;
  /**
   * Deletes an imported key, also from older records.
   * @throws ProviderRpcError -32602 for a derived account and for the only one; 4100 locked
   */
  remove(address: Address): Promise<void>;

  /**
   * Encrypts the vault with a new data key, so that the old password opens nothing. Passkeys stay.
   * @throws ProviderRpcError 4100 for a wrong `current`
   */
  changePassword(current: Credential, next: string): Promise<void>;
  /**
   * Asks for a passkey that is asleep since an upgrade of the vault, which then opens it again.
   * @throws ProviderRpcError -32602 for an id that is not asleep; 4001, 4200, 4100 as {@link addPasskey}
   */
  wakePasskey(id: string): Promise<Passkey>;
  /**
   * Makes a passkey for the vault. The password and the other passkeys stay.
   * @throws ProviderRpcError 4001 if the person cancels, 4200 without the PRF extension, -32002 if this device has one
   * already, -32602 if there are too many, 4100 locked
   */
  addPasskey(name: string): Promise<Passkey>;
  /** @throws ProviderRpcError -32602 for an unknown id, 4100 locked */
  renamePasskey(id: string, name: string): Promise<void>;
  /** Afterwards the passkey opens nothing. @throws ProviderRpcError -32602 for an unknown id or the only way in */
  removePasskey(id: string): Promise<void>;
  /** Afterwards no password opens the vault. @throws ProviderRpcError -32602 without a passkey, 4100 locked */
  removePassword(): Promise<void>;

  /**
   * Stores optional records of a kind (128 to 255) in place of those that `change` is lent, and resolves with copies of
   * the new ones. A build that does not know the kind keeps their bytes.
   * @throws ProviderRpcError 4100 locked; RangeError for another kind, and for records over 65,535 bytes
   */
  changeRecords(
    kind: number,
    change: (records: readonly Uint8Array[]) => readonly Uint8Array[],
  ): Promise<readonly Uint8Array[]>;

  /**
   * Lends `use` the key at the path of a purse (`m/44'/…'/7715'/…'/…'`), derived from the mnemonic of an account, and wipes it
   * afterwards. It is no use of the keys.
   * @throws ProviderRpcError -32602 for another path, and for an account whose key was imported; 4100 locked
   */
  lendPurseKey<T>(of: Address, path: string, use: (privateKey: Uint8Array) => T): Promise<T>;

  /**
   * The mnemonic of an account, by default the first one. Secrets leave the keyring only through exports.
   * @throws ProviderRpcError 4100 wrong credential, -32602 no mnemonic
   */
  exportMnemonic(credential: Credential, of?: Address): Promise<string>;
  /** The BIP-39 passphrase of that mnemonic; empty for none. @throws ProviderRpcError as {@link exportMnemonic} */
  exportPassphrase(credential: Credential, of?: Address): Promise<string>;
  /** 32 bytes. @throws ProviderRpcError 4100 wrong credential, -32602 unknown address */
  exportPrivateKey(address: Address, credential: Credential): Promise<Hex>;
  /**
   * Lends `use` the private key of an account, and wipes it afterwards: for exports in other forms.
   * @throws ProviderRpcError as {@link exportPrivateKey}, and what `use` throws
   */
  lendPrivateKey<T>(
    address: Address,
    credential: Credential,
    use: (privateKey: Uint8Array) => T | Promise<T>,
  ): Promise<T>;
  /**
   * The JSON of a version 3 keystore file.
   * @param filePassword encrypts the file; default: the password that `credential` is
   * @throws ProviderRpcError 4100 wrong credential, -32602 unknown address
   */
  exportKeystore(address: Address, credential: Credential, filePassword?: string): Promise<string>;
  /** A backup file with all secrets and `note`. @throws ProviderRpcError 4100 wrong credential */
  backup(credential: Credential, filePassword: string, note: string): Promise<string>;
  /**
   * Reads a backup file: adds its secrets to the vault where `ways` is `null`, else creates a vault with them.
   * @throws ProviderRpcError -32602 for another file, -32002 for one of a newer version, and with `Unproven` as `data` for
   * one that cannot be checked; 4100 for a wrong file password; else as {@link create} and {@link add}
   */
  restore(
    file: string,
    filePassword: string,
    ways: NewWays | null,
    options?: VaultAccess.Replacing & UnlockOptions,
  ): Promise<OwnerKeyring.Restored>;
  /**
   * Deletes the vault and its traces, then everything that `eraseRest` deletes, and locks all pages. An interrupted erasure
   * leaves either a vault that opens or no vault. Reports the passkeys of an open vault to the browser as unknown, so that it
   * can delete them.
   */
  erase(): Promise<void>;
  /** Finishes an erasure that was interrupted. */
  resumeErase(): Promise<void>;
}

export declare namespace OwnerKeyring {
  interface Pick {
    readonly mnemonic: number;
    readonly path: string;
  }
  /** Resolves with the paths of a vault's accounts, at least one. */
  type Choose = (
    addressesAt: (paths: readonly string[]) => Promise<readonly Address[]>,
  ) => Promise<readonly string[]>;
  interface FromPasskey {
    readonly mnemonic: string;
    readonly account: KeyringAccount;
    /** Whether the passkey brings the wallet back: it is backed up, so other devices have it too. */
    readonly restores: boolean;
  }
  interface Restored {
    /** Those of the file. */
    readonly accounts: readonly KeyringAccount[];
    readonly note: string;
  }
}

export function createOwnerKeyring(options: createOwnerKeyring.Options): OwnerKeyring {
  const { access, lock, mutex, passkeys, slots, storage, eraseRest, clock, kdf } = options;
  const { requireUnlocked, hold, reload, current, endOthers, createSharing, known, openerOf, openWith } =
    options;

  const publicAccounts = (held: HeldVault, accounts: readonly ContentsAccount[]): KeyringAccount[] =>
    accounts.map(({ address }) => held.accounts.find((each) => each.address === address) as KeyringAccount);
  const accountOf = (held: HeldVault, { accounts }: Contents): KeyringAccount =>
    publicAccounts(held, accounts)[0] as KeyringAccount;

  /** The newest vault, for a change or a derivation: a use of the keys. Call it under the mutex. */
  const touched = async (): Promise<HeldVault> => {
    const held = await reload();
    lock.touch();
    return held;
  };
  /** Stores what `change` makes of the newest vault, and holds it. Call it under the mutex. */
  const store = async (
    change: (vault: VaultAccess, held: HeldVault) => Promise<HeldVault>,
  ): Promise<HeldVault> => {
    const held = await touched();
    return hold(await change(await access(), held));
  };

  /** Adds what `make` returns to the newest contents of the vault, then wipes it. */
  const addContents = async <T>(
    make: (contents: Contents) => Promise<Contents>,
    result: (held: HeldVault, added: Contents, before: HeldVault) => T,
  ): Promise<T> => {
    requireUnlocked();
    let added = noContents;
    return mutex(async () => {
      const before = await touched();
      try {
        const vault = await access();
        const rewritten = await vault.rewrite(before, async (contents) => {
          added = await make(contents);
          return mergeContents(contents, added);
        });
        return result(hold(rewritten), added, before);
      } finally {
        wipeContents(added);
      }
    });
  };

  /** Lends the whole contents to `use` if the credential is right, whether or not the keyring is locked. */
  const withCredential = async <T>(
    credential: Credential,
    use: (contents: Contents) => T | Promise<T>,
  ): Promise<T> => {
    const opener = await openerOf(credential);
    const { vault } = await mutex(() => openWith(opener));
    return withContents(vault, use);
  };

  const finishErase = async (): Promise<void> => {
    if ((await storage.get('vault', erasedKey)) === undefined) return;
    await eraseRest();
    await storage.update('vault', erasedKey, () => undefined);
  };

  const isStored = async ({ credentialId }: NewPasskey): Promise<boolean> => {
    const loaded = await slots.load();
    return loaded.kind === 'record' && passkeyWraps(loaded.record).some(isOf(credentialId));
  };

  /** Tells the password manager to delete a passkey that opens nothing any more, unless it is the way back to a wallet. */
  const forget = async (passkey: PasskeyIdentity | PasskeyWrap): Promise<void> => {
    if (!('id' in passkey && isRecoveryWrap(passkey))) (await passkeys()).forget(passkey);
  };

  /** Runs `use` with a passkey that was just made, and forgets the passkey if that fails. */
  const orForget = async <T>(passkey: NewPasskey, use: () => Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      // A vault that cannot be read may have it.
      if (!(await isStored(passkey).catch(() => true))) (await passkeys()).forget(passkey);
      throw error;
    }
  };

  /** Before the person is prompted. */
  const requireVacant = async (options: VaultAccess.Replacing | undefined): Promise<void> => {
    lock.requireOpen();
    await (await access()).requireVacant(own(options));
  };

  const createVault = async (
    contents: Contents,
    openers: readonly (string | NewPasskey)[],
    options: VaultAccess.Replacing | undefined,
  ): Promise<HeldVault> => {
    const vault = await access();
    const replacing = own(options);
    const sharing = createSharing();
    const held = await mutex(async () => {
      lock.requireOpen();
      await finishErase();
      return vault.create(contents, openers, replacing, sharing.lend);
    });
    lock.unlock(held);
    if (replacing.replace) {
      await endOthers();
      // Guesses at the password of the other vault must not slow this one down.
      await storage.update('vault', 'attempts', () => undefined).catch(() => {});
    }
    await sharing.start();
    return held;
  };

  const createVaultWith = async (
    contents: Contents,
    { password, passkey }: NewWays,
    options: VaultAccess.Replacing | undefined,
  ): Promise<HeldVault> => {
    const openers = password === undefined ? [] : [password];
    if (passkey === undefined) return createVault(contents, openers, options);
    await requireVacant(options);
    const enrolled = await (await passkeys()).enrol(passkey.name, []);
    return orForget(enrolled, () => createVault(contents, [...openers, enrolled], options));
  };

  /**
   * Creates a vault from a recovery passkey, which opens it.
   * @param choose resolves with the paths of its accounts
   */
  const createFrom = async (
    { passkey, entropy }: RecoveryPasskey,
    choose: OwnerKeyring.Choose,
    options: VaultAccess.Replacing | undefined,
  ): Promise<readonly KeyringAccount[]> => {
    const mnemonic = { entropy, passphrase: new Bytes(0) };
    const paths = await choose(async (paths) => {
      const accounts = await deriveAccounts(mnemonic, paths);
      wipeContents({ mnemonics: [], accounts });
      return accounts.map(({ address }) => address);
    });
    const contents = { mnemonics: [mnemonic], accounts: await deriveAccounts(mnemonic, paths) };
    try {
      return publicAccounts(await createVault(contents, [passkey], options), contents.accounts);
    } finally {
      wipeContents(contents);
    }
  };

  const readWays = (ways: string | NewWays): NewWays => {
    const { password, passkey } = own<NewWays>(typeof ways === 'string' ? { password: ways } : ways);
    if (password !== undefined || passkey === undefined) requirePassword(password);
    return { password, passkey };
  };

  /** Stores the vault under a new data key; `change` gets the present record, and may refuse. */
  const rekey = (change: (record: VaultRecord) => Ways): Promise<HeldVault> =>
    mutex(async () => {
      const rekeyed = await store((vault, held) => vault.rekey(held, change(held.vault.record)));
      await endOthers();
      return rekeyed;
    });
  /** Stores the present ways with other names, or other passkeys that are asleep. */
  const rename = async (
    change: (record: VaultRecord) => Pick<VaultRecord, 'wraps' | 'asleep'>,
  ): Promise<void> => {
    await mutex(() => store((vault, held) => vault.rename(held, change(held.vault.record))));
  };

  return {
    async create(secret, ways, options) {
      const newWays = readWays(ways);
      const contents = await readSecret(secret);
      try {
        return accountOf(await createVaultWith(contents, newWays, options), contents);
      } finally {
        wipeContents(contents);
      }
    },
    async createFromPasskey(name, path, options) {
      await requireVacant(options);
      const made = await (await passkeys()).enrolRecovery(name);
      const { passkey, entropy } = made;
      try {
        return await orForget(passkey, async () => {
          const mnemonic = (await import('./mnemonic.js')).mnemonicOf(entropy);
          const [account] = await createFrom(made, async () => [path], options);
          return { mnemonic, account: account as KeyringAccount, restores: passkey.restores === true };
        });
      } finally {
        wipe(entropy);
      }
    },
    async restoreFromPasskey(name, choose, options) {
      await requireVacant(options);
      const found = await (await passkeys()).askForRecovery(name);
      try {
        const accounts = await createFrom(found, choose, options);
        return { accounts, restores: found.passkey.restores === true };
      } finally {
        wipe(found.entropy);
      }
    },
    async add(secret) {
      requireUnlocked();
      const added = await readSecret(secret);
      return addContents(async () => added, accountOf);
    },
    derive: (path) =>
      addContents(async ({ mnemonics: [first] }) => {
        if (first === undefined) throw invalidParams('path: the wallet has no mnemonic to derive from');
        return { mnemonics: [], accounts: [await deriveAccount(first, path)] };
      }, accountOf),
    deriveNext: (pathAt, of) =>
      addContents(async (contents) => {
        const { mnemonics, accounts } = contents;
        const mnemonic = await mnemonicOfAccount(contents, of);
        for (let index = 0; ; index++) {
          const path = pathAt(index);
          // Each mnemonic has an account there. One with fewer is derived to see whose they are.
          if (accounts.filter((account) => account.path === path).length >= mnemonics.length) continue;
          const account = await deriveAccount(mnemonic, path);
          if (!accounts.some(({ address }) => address === account.address))
            return { mnemonics: [], accounts: [account] };
          wipe(account.privateKey);
        }
      }, accountOf),
    deriveAll: (picks) =>
      addContents(
        async ({ mnemonics }) => {
          const accounts: ContentsAccount[] = [];
          for (const [at, mnemonic] of mnemonics.entries()) {
            const paths = picks.filter((pick) => pick.mnemonic === at).map(({ path }) => path);
            if (paths.length > 0) accounts.push(...(await deriveAccounts(mnemonic, paths)));
          }
          return { mnemonics: [], accounts };
        },
        (held, added, before) =>
          publicAccounts(held, added.accounts).filter(
            ({ address }) => !before.accounts.some((each) => each.address === address),
          ),
      ),
    async addresses(paths) {
      const { vault } = await touched();
      return withContents(vault, async ({ mnemonics }) => {
        const found: Address[][] = [];
        for (const mnemonic of mnemonics) {
          const accounts = await deriveAccounts(mnemonic, paths);
          wipeContents({ mnemonics: [], accounts });
          found.push(accounts.map(({ address }) => address));
        }
        return found;
      });
    },
    async remove(address) {
      const without = (contents: Contents): Contents => {
        const removed = accountAt(contents, address);
        if (removed.path !== null)
          throw invalidParams('address: only an imported account can be removed; hide this one');
        if (contents.accounts.length === 1)
          throw invalidParams('address: it is the only account; erase the wallet instead');
        return { ...contents, accounts: contents.accounts.filter((each) => each !== removed) };
      };
      await mutex(() => store((vault, held) => vault.rewrite(held, without, 'replace')));
    },

    async changePassword(current, next) {
      requirePassword(next);
      const opener = await openerOf(current);
      return mutex(async () => {
        const held = await openWith(opener);
        const keep = keptPasskeys(held.vault.record);
        lock.replace(await (await access()).rekey(held, { keep, add: [next] }));
        await endOthers();
      });
    },
    async wakePasskey(id) {
      const { record } = (await mutex(reload)).vault;
      const { prfSalt } = passkeyWraps(record)[0] ?? sleepingAt(record, id);
      const passkey = { ...sleepingAt(record, id), prfSalt };
      const key = await (await passkeys()).ask([passkey]);
      const held = await rekey((newest) => {
        sleepingAt(newest, id);
        const asleep = asleepIn(newest).filter(({ credentialId }) => credentialId !== id);
        return { keep: lastingWraps(newest), add: [{ ...passkey, ...key }], asleep };
      });
      return passkeyOf(passkeyWraps(held.vault.record).at(-1) as PasskeyWrap);
    },
    async addPasskey(name) {
      const { record } = (await mutex(reload)).vault;
      requireFewWays(lastingWraps(record).length + asleepIn(record).length + 1);
      const present = [...passkeyWraps(record), ...asleepIn(record)];
      const passkey = await (await passkeys()).enrol(name, present);
      return orForget(passkey, async () => {
        const held = await rekey((newest) => ({ keep: lastingWraps(newest), add: [passkey] }));
        return passkeyOf(passkeyWraps(held.vault.record).at(-1) as PasskeyWrap);
      });
    },
    renamePasskey: (id, name) =>
      rename((record) => {
        const { wraps } = record;
        const isRenamed = isOf(passkeyAt(record, id).credentialId);
        const renamed = <P extends object>(passkey: P) =>
          isRenamed(passkey) ? { ...passkey, name } : passkey;
        return { wraps: wraps.map(renamed), asleep: asleepIn(record).map(renamed) };
      }),
    async removePasskey(id) {
      let removed: PasskeyIdentity | undefined;
      const { record } = (await mutex(reload)).vault;
      // A passkey that is asleep has nothing that could open the vault.
      if (asleepIn(record).some(isOf(id)))
        await rename((newest) => {
          removed = sleepingAt(newest, id);
          return { wraps: newest.wraps, asleep: asleepIn(newest).filter((each) => each !== removed) };
        });
      else
        await rekey((newest) => {
          const found = passkeyAt(newest, id);
          const keep = lastingWraps(newest).filter((wrap) => wrap.id !== id);
          if (keep.length === 0)
            throw invalidParams(
              'This passkey is the only way into the wallet: set a password or add another passkey first.',
            );
          removed = found;
          return { keep, add: [] };
        });
      if (removed) await forget(removed);
    },
    async removePassword() {
      await rekey((record) => {
        const keep = keptPasskeys(record);
        if (keep.length === 0)
          throw invalidParams('The password is the only way into the wallet: add a passkey first.');
        return { keep, add: [] };
      });
    },

    changeRecords: (kind, change) =>
      mutex(async () => {
        let copies: readonly Uint8Array[] = [];
        await store((vault, held) =>
          vault.rewrite(held, (contents) => {
            const changed = change(optionalRecords(contents, kind));
            copies = changed.map((bytes) => sliceBytes(bytes));
            return withOptionalRecords(contents, kind, changed);
          }),
        );
        return copies;
      }),
    publicKey: async (address) =>
      withContents((await current()).vault, (contents) =>
        compressedPublicKey(accountAt(contents, address).privateKey),
      ),
    async lendPurseKey(of, path, use) {
      if (!pursePath.test(path)) throw invalidParams("path: expected that of a purse, m/44'/…'/7715'/…'/…'");
      return withContents((await current()).vault, async (contents) => {
        const { privateKey } = await deriveAccount(await mnemonicOfAccount(contents, of), path);
        try {
          return use(privateKey);
        } finally {
          wipe(privateKey);
        }
      });
    },

    exportMnemonic: (credential, of) =>
      withCredential(credential, async (contents) => {
        const { entropy } = await mnemonicOfAccount(contents, of);
        const { mnemonicOf } = await import('./mnemonic.js');
        return mnemonicOf(entropy);
      }),
    exportPassphrase: (credential, of) =>
      withCredential(credential, async (contents) => {
        const { passphrase } = await mnemonicOfAccount(contents, of);
        return new TextDecoder().decode(passphrase);
      }),
    exportPrivateKey: (address, credential) =>
      withCredential(credential, (contents) => bytesToHex(accountAt(contents, address).privateKey)),
    lendPrivateKey: (address, credential, use) =>
      withCredential(credential, (contents) => use(accountAt(contents, address).privateKey)),
    async exportKeystore(address, credential, filePassword = passwordIn(credential)) {
      requirePassword(filePassword, 'filePassword');
      return withCredential(credential, async (contents) => {
        const { privateKey } = accountAt(contents, address);
        const { exportKeystore } = await import('./keystore-v3.js');
        return exportKeystore(privateKey, filePassword, kdf);
      });
    },
    backup: (credential, filePassword, note) =>
      withCredential(credential, (contents) => {
        const noted = { ...contents, note: new TextEncoder().encode(note) };
        return sealBackup(noted, filePassword, clock.now(), kdf);
      }),
    async restore(file, filePassword, ways, options) {
      const newWays = ways === null ? null : readWays(ways);
      if (newWays === null) requireUnlocked();
      const { contents: opened, isUnproven } = await openBackup(file, filePassword);
      const { note, ...contents } = opened;
      try {
        if (isUnproven) {
          const { requireAgreedFile } = await import('./unproven.js');
          await requireAgreedFile(contents, known(), own(options).acceptUnproven);
        }
        const restored = (held: HeldVault) => publicAccounts(held, contents.accounts);
        const accounts =
          newWays === null
            ? await addContents(async () => contents, restored)
            : restored(await createVaultWith(contents, newWays, options));
        return { accounts, note: new TextDecoder().decode(note) };
      } finally {
        wipeContents(contents);
      }
    },
    erase: () =>
      mutex(async () => {
        lock.requireOpen();
        // A record that was not opened may name passkeys that an attacker chose.
        const held = lock.held() && (await reload().catch(() => null));
        lock.lock();
        await slots.erase().catch(failed('The wallet could not be erased', 'It is still here; try again.'));
        // Another document may have been opening a shared unlock at the same time.
        lock.endTerms();
        await finishErase().catch(failed('The keys are erased, but not all else', 'Try again.'));
        if (held === null || held.vault.record.v < recordVersion) return;
        for (const passkey of passkeyWraps(held.vault.record)) await forget(passkey);
      }),
    resumeErase: () => mutex(finishErase),
  };
}

export declare namespace createOwnerKeyring {
  interface Options {
    readonly access: () => Promise<VaultAccess>;
    readonly passkeys: () => Promise<PasskeyCeremonies>;
    readonly lock: Lock<HeldVault>;
    readonly mutex: Mutex;
    readonly slots: VaultSlots;
    readonly storage: Storage;
    readonly clock: Clock;
    readonly kdf?: Kdf | undefined;
    /** Deletes the wallet's data outside the vault. */
    readonly eraseRest: () => Promise<void>;
    /** @throws ProviderRpcError 4100 while locked */
    readonly requireUnlocked: () => HeldVault;
    /** Holds the next vault, unless the keyring was locked while it was being written. */
    readonly hold: (next: HeldVault) => HeldVault;
    /** Reads the open vault again, since another page may have written it. */
    readonly reload: () => Promise<HeldVault>;
    /** The same where another page has written it. @throws as `require` */
    readonly current: (require?: () => HeldVault) => Promise<HeldVault>;
    /** The accounts that the session knows. */
    readonly known: () => readonly Address[];
    /** Locks the other pages and ends the shared unlocks, after a change of the ways into the vault. */
    readonly endOthers: () => Promise<void>;
    /** Shares the unlock of a new vault, where unlocks are shared. */
    readonly createSharing: () => { readonly lend: Lend | undefined; start(): Promise<void> };
    /** Prompts for a passkey where the credential is one. */
    readonly openerOf: (credential: Credential) => Promise<Opener>;
    readonly openWith: (opener: Opener) => Promise<HeldVault>;
  }
}

/** Says what failed and what to do, with the name of the failure, whose text may contain secrets. */
const failed =
  (what: string, next: string) =>
  (error: unknown): never => {
    throw resourceUnavailable(`${what} (${errorName(error)}). ${next}`);
  };

/** Only keys below this level leave the keyring without the person's credential: they are for the sites that have them. */
const pursePath = /^m\/44'\/\d+'\/7715'\/\d+'\/\d+'$/;

const isOf =
  (credentialId: string) =>
  (passkey: object): boolean =>
    (passkey as Partial<PasskeyIdentity>).credentialId === credentialId;

/** @throws ProviderRpcError -32602 for a passkey that is not asleep */
function sleepingAt(record: VaultRecord, id: string): PasskeyIdentity {
  const passkey = asleepIn(record).find(isOf(id));
  if (passkey === undefined) throw invalidParams('id: the wallet has no such passkey');
  return passkey;
}

function passkeyAt(record: VaultRecord, id: string): PasskeyIdentity {
  return passkeyWraps(record).find((each) => each.id === id) ?? sleepingAt(record, id);
}

const passwordIn = (credential: Credential): string | undefined =>
  typeof credential === 'string' ? credential : undefined;

function requirePassword(password: unknown, name = 'password'): asserts password is string {
  if (typeof password !== 'string' || password === '') throw invalidParams(`${name}: it must not be empty`);
}
