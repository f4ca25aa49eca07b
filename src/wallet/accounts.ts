import type { Credential, PasskeyRestoreOptions, UnlockOptions } from '../approvals/owner.js';
import type { NewWays, Passkey } from '../keyring/credential.js';
import type { Keyring } from '../keyring/keyring.js';
import { requireWebCrypto } from '../keyring/web-crypto.js';
import type { Context, Signing } from '../methods/context.js';
import { errorCode, invalidParams, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { exportSession, withExported } from '../session/portable.js';
import { isLockTime, type SessionAccount, type SessionState } from '../session/session.js';
import { labelled, withAccountsOf } from '../session/vault-accounts.js';
import {
  readAccepted,
  readAddress,
  readBoolean,
  readCredential,
  readName,
  readOptions,
  readText,
} from './owner/arguments.js';
import { readNewPassword } from './owner/new-password.js';

/**
 * The functions of a wallet panel, which `request()` does not reach. Secrets leave the vault only through them, and only
 * for the password or a passkey. An argument of a wrong type is refused with -32602; the message names the argument and
 * never shows its value. On pages that were loaded over plain http, functions that need keys fail with -32002.
 */
export interface Accounts {
  /**
   * Unlocks with the password, or with a passkey, which the browser asks the person for.
   *
   * @example
   * await wallet.unlock('a long password');
   * await wallet.unlock({ passkey: true });
   * await wallet.unlock('a long password', { acceptUnproven: [account] }); // the person said that it is theirs
   *
   * @throws ProviderRpcError 4100, with one message for a wrong password and a damaged vault; 4001 if the person cancels;
   * 4200 where the browser has no passkeys that can open a wallet; -32002 with {@link Unproven} as `data` for a vault of an
   * older version that cannot be checked
   */
  unlock(credential: Credential, options?: UnlockOptions): Promise<void>;
  /**
   * Afterwards the old password opens nothing; passkeys stay. A wallet that has passkeys only gets its first password.
   *
   * @example
   * await wallet.changePassword('a long password', 'another long password');
   *
   * @throws ProviderRpcError 4100 for a wrong `current`; -32602 for a `next` of less than 8 characters or over 1 KiB
   */
  changePassword(current: Credential, next: string): Promise<void>;
  /**
   * Afterwards only passkeys open the wallet.
   *
   * @example
   * await wallet.addPasskey('My phone');
   * await wallet.removePassword();
   *
   * @throws ProviderRpcError -32602 without a passkey or a confirmed backup
   */
  removePassword(): Promise<void>;

  /**
   * The passkeys that open the wallet, locked or not.
   *
   * @example
   * const names = (await wallet.passkeys()).map(({ name }) => name);
   */
  passkeys(): Promise<readonly Passkey[]>;
  /**
   * Makes a passkey that opens the wallet. The browser asks the person twice. Other pages lock.
   *
   * @example
   * const { id } = await wallet.addPasskey('My phone');
   *
   * @throws ProviderRpcError 4001 if the person cancels; 4200 where the browser or device cannot do it (the message says to
   * use a password); -32002 if this device has one already; 4100 locked
   */
  addPasskey(name: string): Promise<Passkey>;
  /**
   * Asks for a passkey that is asleep since an upgrade of the vault, after which it opens the wallet again. Other pages lock.
   *
   * @example
   * const asleep = (await wallet.passkeys()).find((passkey) => passkey.asleep);
   * if (asleep) await wallet.wakePasskey(asleep.id);
   *
   * @throws ProviderRpcError -32602 for an id that is not asleep; 4001 if the person cancels; 4100 locked
   */
  wakePasskey(id: string): Promise<Passkey>;
  /**
   * Changes the name of a passkey, 1 to 40 characters.
   *
   * @example
   * const [passkey] = await wallet.passkeys();
   * if (passkey) await wallet.renamePasskey(passkey.id, 'My old phone');
   *
   * @throws ProviderRpcError -32602 for an unknown id, 4100 locked
   */
  renamePasskey(id: string, name: string): Promise<void>;
  /**
   * Afterwards the passkey opens nothing.
   *
   * @example
   * const [passkey] = await wallet.passkeys();
   * if (passkey) await wallet.removePasskey(passkey.id);
   *
   * @throws ProviderRpcError -32602 for the only way into the wallet, 4100 locked
   */
  removePasskey(id: string): Promise<void>;

  /**
   * A new BIP-39 mnemonic, 12 words by default, that is stored nowhere.
   *
   * @example
   * const words = await wallet.newMnemonic(24);
   * await wallet.importMnemonic(words, { password: 'a long password' });
   */
  newMnemonic(words?: 12 | 24): Promise<string>;
  /**
   * Creates a vault with a new mnemonic (12 words by default) and its first account. Show the mnemonic once: it is the
   * only backup, and `state().backup` is `needed` until {@link confirmBackup}.
   *
   * @example
   * const { mnemonic, account } = await wallet.create('a long password');
   * console.log(mnemonic.split(' ').length, account.address); // 12 '0x…'
   *
   * @throws ProviderRpcError -32602 for a password of less than 8 characters or over 1 KiB; -32002 if there is a vault
   */
  create(
    password: string,
    options?: { words?: 12 | 24 | undefined; replaceMissing?: boolean | undefined },
  ): Promise<{ mnemonic: string; account: SessionAccount }>;
  /**
   * Whether the wallet has a site of its own, on whose origin no script of a dapp runs: the option of `createWallet`, in a page
   * that is not a frame. Only there a passkey brings a wallet back.
   */
  readonly ownSite: boolean;
  /**
   * Creates a vault whose mnemonic comes from a new passkey, which opens it. Where the passkey is backed up by its password
   * manager, `restores` is true: {@link restoreFromPasskey} gives the same accounts on another device, or after the browser has
   * deleted everything, and `state().backup` is `done`. Where it lives on this device only, it unlocks the wallet, and the
   * mnemonic is its only backup: show it once. The browser asks the person twice.
   *
   * A person who deletes the passkey needs the mnemonic ({@link exportMnemonic}). A passkey belongs to the exact host: another one
   * is another wallet.
   *
   * @example
   * const { mnemonic, restores } = await wallet.createFromPasskey('My wallet');
   * if (!restores) console.log(mnemonic.split(' ').length); // 12, to be written down
   *
   * @throws ProviderRpcError 4200 on a page that is not the wallet's {@link ownSite}, and where the browser or device cannot do
   * it; 4001 if the person cancels; -32602 for a name that is not 1 to 40 characters; -32002 if there is a vault
   */
  createFromPasskey(
    name: string,
    options?: { readonly replaceMissing?: boolean | undefined },
  ): Promise<{ mnemonic: string; account: SessionAccount; restores: boolean }>;
  /**
   * Brings back the wallet of a passkey of {@link createFromPasskey}: its first account, and those that were used on the active
   * network, as {@link discover} finds them. The passkey opens the new vault. If none of the accounts was used, `confirm` is
   * called with the first before anything is stored.
   *
   * @example
   * const accounts = await wallet.restoreFromPasskey({
   *   confirm: ({ address }) => confirm(`Nothing has happened at ${address}. Use it?`),
   * });
   *
   * @throws ProviderRpcError 4001 if the person cancels, has no such passkey, or does not confirm; 4100 for a passkey that only
   * unlocks; -32002 with `data.reason` `passkey-unused` and `data.address` for a wallet without used accounts where there is no
   * `confirm`; else as {@link createFromPasskey}
   */
  restoreFromPasskey(options?: PasskeyRestoreOptions): Promise<readonly SessionAccount[]>;
  /**
   * The person has shown that the mnemonic is written down: sets `state().backup` to `done`.
   *
   * @example
   * await wallet.confirmBackup();
   * console.log(wallet.state().backup); // done
   */
  confirmBackup(): Promise<void>;
  /**
   * Imports a BIP-39 mnemonic and its first account. Without a vault, `password` or `passkey` creates one; else the wallet
   * must be unlocked, or `replace` set.
   *
   * @example
   * const account = await wallet.importMnemonic(mnemonic, { password: 'a long password' });
   *
   * @throws ProviderRpcError -32602 for an invalid mnemonic, path or password; 4100 when locked; -32002 for a password or
   * passkey where there is a vault
   */
  importMnemonic(mnemonic: string, options?: Accounts.MnemonicOptions): Promise<SessionAccount>;
  /**
   * Imports 64 hexadecimal digits, with or without `0x`.
   *
   * @example
   * const account = await wallet.importPrivateKey(privateKey, { password: 'a long password' });
   *
   * @throws ProviderRpcError as {@link importMnemonic}
   */
  importPrivateKey(privateKey: string, options?: Accounts.ImportOptions): Promise<SessionAccount>;
  /**
   * Imports the JSON of a version 3 keystore file.
   *
   * @example
   * const account = await wallet.importKeystore(await file.text(), 'its password', { password: 'a long password' });
   *
   * @throws ProviderRpcError -32602 naming the part that is wrong
   */
  importKeystore(
    json: string,
    keystorePassword: string,
    options?: Accounts.ImportOptions,
  ): Promise<SessionAccount>;

  /**
   * Derives an account of the first mnemonic.
   *
   * @example
   * const account = await wallet.deriveAccount("m/44'/60'/0'/0/0");
   *
   * @throws ProviderRpcError -32602 invalid BIP-32 path, 4100 locked
   */
  deriveAccount(path: string): Promise<SessionAccount>;
  /**
   * Derives the next account on the active network's path (RSKIP-57).
   *
   * @example
   * const second = await wallet.addAccount();
   * console.log(second.label); // Account 2
   *
   * @param mnemonicOf an account of the mnemonic to derive from; default: the first mnemonic
   * @throws ProviderRpcError -32602 without such a mnemonic, 4100 locked
   */
  addAccount(mnemonicOf?: Address): Promise<SessionAccount>;
  /**
   * Adds the accounts of all mnemonics that were used on the active network: on the paths of Rootstock (137), its testnet
   * (37310) and Ethereum (60), until five in a row were not. Used are those that have sent a transaction, or hold coins or
   * a token that the wallet lists or the person watches. Resolves with those that are new.
   *
   * @example
   * const found = await wallet.discover({ onProgress: (done, of) => console.log(`${done} of ${of}`) });
   *
   * @throws ProviderRpcError 4001 if aborted, which adds none; 4100 locked; the service's own error
   */
  discover(options?: Accounts.DiscoverOptions): Promise<readonly SessionAccount[]>;
  /**
   * Sets after how many milliseconds without a signature the keys lock, in all pages: 60,000 to 28,800,000. `null`: as the
   * page has configured.
   *
   * @example
   * await wallet.setLockAfter(5 * 60_000);
   *
   * @throws ProviderRpcError -32602 for another number
   */
  setLockAfter(milliseconds: number | null): Promise<void>;
  /**
   * Changes the label of an account.
   *
   * @example
   * await wallet.rename(account, 'Savings');
   *
   * @throws ProviderRpcError -32602 for an unknown address or a label over 40 characters, and for one that looks like
   * the name of a contact
   */
  rename(address: Address, label: string): Promise<void>;
  /**
   * Hides an account from pages and pickers, or shows it again. Its keys stay.
   *
   * @example
   * await wallet.hide(account, true);
   *
   * @throws ProviderRpcError -32602 for an unknown address, and for the last one that is shown
   */
  hide(address: Address, hidden: boolean): Promise<void>;
  /**
   * Deletes an imported key.
   *
   * @example
   * await wallet.remove(account);
   *
   * @throws ProviderRpcError -32602 for a derived or the only account, 4100 locked
   */
  remove(address: Address): Promise<void>;

  /**
   * The mnemonic that `address` comes from, by default the first one.
   *
   * @example
   * const words = await wallet.exportMnemonic('a long password');
   *
   * @throws ProviderRpcError 4100 wrong credential, -32602 no mnemonic; as {@link unlock}
   */
  exportMnemonic(credential: Credential, address?: Address): Promise<string>;
  /**
   * The BIP-39 passphrase of that mnemonic, without which it gives other accounts; empty for none.
   *
   * @example
   * const passphrase = await wallet.exportPassphrase('a long password');
   */
  exportPassphrase(credential: Credential, address?: Address): Promise<string>;
  /**
   * A private key, 32 bytes.
   *
   * @example
   * const key = await wallet.exportPrivateKey(account, 'a long password');
   *
   * @throws ProviderRpcError 4100 wrong credential, -32602 unknown address
   */
  exportPrivateKey(address: Address, credential: Credential): Promise<Hex>;
  /**
   * The JSON of a version 3 keystore file.
   *
   * @example
   * const json = await wallet.exportKeystore(account, { passkey: true }, 'a password of the file');
   *
   * @param filePassword encrypts the file; default: the wallet's password, where `credential` is that
   * @throws ProviderRpcError 4100 wrong credential, -32602 unknown address or no password for the file
   */
  exportKeystore(address: Address, credential: Credential, filePassword?: string): Promise<string>;
  /**
   * The text of an encrypted backup file: all secrets, labels, hidden accounts and watched tokens.
   *
   * @example
   * const text = await wallet.backup('a long password', 'a password of the file');
   *
   * @throws ProviderRpcError 4100 wrong credential; -32602 for a `filePassword` of less than 8 characters or over 1 KiB
   */
  backup(credential: Credential, filePassword: string): Promise<string>;
  /**
   * Restores a backup file into the open vault, or into a new one if there is no vault yet. Resolves with the accounts of
   * the file.
   *
   * @example
   * const accounts = await wallet.restore(await file.text(), 'a password of the file', { password: 'a long password' });
   *
   * @throws ProviderRpcError -32602 for another file or one that is cut short; -32002 for one of a newer version, and with
   * {@link Unproven} as `data` for one of an older version that cannot be checked; 4100 for a wrong `filePassword`; else
   * as {@link importMnemonic}
   */
  restore(
    file: string,
    filePassword: string,
    options?: Accounts.RestoreOptions,
  ): Promise<readonly SessionAccount[]>;
  /**
   * Deletes the wallet for good: the vault and its copies, the journal, batches, cursors and the session. Locks all pages.
   * Keys without a backup are lost. Needs no credential.
   *
   * @example
   * if (confirm('Delete this wallet for good?')) await wallet.erase();
   */
  erase(): Promise<void>;
  /**
   * Asks the browser to keep the wallet when storage runs low. Resolves with whether it will.
   *
   * @example
   * const isKept = await wallet.persist();
   */
  persist(): Promise<boolean>;
}

export declare namespace Accounts {
  /** Options for the vault when secrets are imported or restored. */
  interface VaultOptions extends NewWays {
    /** The password of a new vault. */
    readonly password?: string | undefined;
    /** Make a passkey for a new vault, instead of a password or beside it. */
    readonly passkey?: { readonly name: string } | undefined;
    /** Create a new vault in place of one that is lost or damaged. Default false. */
    readonly replaceMissing?: boolean | undefined;
    /**
     * Create a new vault in place of the present one, whose password was forgotten. The keys in it are lost for good.
     * Default false.
     */
    readonly replace?: boolean | undefined;
  }
  /** How a backup file is restored. */
  interface RestoreOptions extends VaultOptions {
    /** The accounts that the person has agreed to, for a file that cannot be checked. */
    readonly acceptUnproven?: readonly Address[] | undefined;
  }
  /** How a secret is imported. */
  interface ImportOptions extends VaultOptions {
    /** BIP-32 path of the first account of a mnemonic. Default: the active network's first. */
    readonly path?: string | undefined;
  }
  /** How a mnemonic is imported. */
  interface MnemonicOptions extends ImportOptions {
    /** BIP-39 passphrase. Default: none. */
    readonly passphrase?: string | undefined;
  }
  /** How used accounts are looked for. */
  interface DiscoverOptions {
    /** Called with the number of addresses that were checked, and of those to check, which grows. */
    onProgress?(done: number, of: number): void;
    /** Aborts the search: it rejects with 4001 and adds no account. */
    readonly signal?: AbortSignal | undefined;
  }
}

/** The functions that need the accounts. `vault-functions.ts` has the others. */
export function createAccounts(options: createAccounts.Options): Omit<Accounts, 'unlock' | 'passkeys'> {
  const { keyring, session, book, network, service, ownSite, changed } = options;

  const pathAt = (index: number): string => `m/44'/${network().coinType}'/0'/0/${index}`;

  const sessionAccount = (address: Address): SessionAccount =>
    session.state().accounts.find((account) => account.address === address) as SessionAccount;

  const addToSession = (added: Keyring.Account): SessionAccount => {
    session.update((state) => {
      const { accounts } = state;
      if (accounts.some(({ address }) => address === added.address)) return state;
      return withAccountsOf([...accounts, added])(state);
    });
    return sessionAccount(added.address);
  };

  const requireAccount = (value: unknown): SessionAccount => {
    const account = sessionAccount(readAddress(value));
    if (account === undefined) throw invalidParams('address: the wallet has no such account');
    return account;
  };

  /** The session of a new vault. The accounts of another vault cannot sign, so nothing of them stays. */
  const begin = (
    { watchOnly: _watchOnly, contacts: _contacts, ...previous }: SessionState,
    backup: SessionState['backup'],
  ): SessionState => ({ ...previous, accounts: [], permissions: {}, backup });

  /** Begins the session of a new vault with its accounts. */
  const beginWith = (
    accounts: readonly Keyring.Account[],
    backup: SessionState['backup'],
  ): readonly SessionAccount[] => {
    session.update((state) => ({ ...begin(state, backup), accounts: labelled(accounts, []) }));
    return accounts.map(({ address }) => sessionAccount(address));
  };

  const waysOf = ({ password, passkey }: Accounts.VaultOptions): NewWays => ({
    password:
      password === undefined && passkey !== undefined
        ? undefined
        : readNewPassword(password ?? '', 'password'),
    passkey: passkey && { name: readName(own(passkey).name, 'passkey.name') },
  });

  const replacing = ({ replaceMissing = false, replace = false }: Accounts.VaultOptions) => ({
    replaceMissing,
    replace,
  });

  const createVault = async (
    secret: Keyring.Secret,
    settings: Accounts.VaultOptions,
    backup: SessionState['backup'],
  ): Promise<SessionAccount> => {
    const account = await keyring.create(secret, waysOf(settings), replacing(settings));
    return beginWith([account], backup)[0] as SessionAccount;
  };

  /** Whether secrets are added to the open vault; else a vault is created with them. */
  const addsToVault = async ({ password, passkey, replace }: Accounts.VaultOptions): Promise<boolean> => {
    requireWebCrypto();
    if (replace === true) return false;
    const state = await keyring.state();
    if (state !== 'locked') return state === 'unlocked';
    // The keyring refuses, since it is locked.
    if (password === undefined && passkey === undefined) return true;
    throw new ProviderRpcError(
      errorCode.resourceUnavailable,
      'There is a wallet here already. Unlock it to add to it, or replace it.',
    );
  };

  /** Options of a search for used accounts on the active network. */
  const searchOptions = () => {
    const { assets } = session.state();
    // ERC-1155 is left out: its `balanceOf` takes a token id as well.
    const watched = (own(assets)[network().chainId] ?? []).filter((asset) => own(asset).type !== 'ERC1155');
    return {
      service: service(),
      coinTypes: [...new Set([network().coinType, 137, 37310, 60])],
      watched: watched.map(({ address }) => address),
    };
  };

  const recovery = async () =>
    (await import('./owner/recovery.js')).createRecovery({
      ...{ keyring, ownSite, search: searchOptions(), firstPath: pathAt(0) },
      begin: beginWith,
    });

  const importSecret = async (
    secret: Keyring.Secret,
    settings: Accounts.VaultOptions,
  ): Promise<SessionAccount> =>
    (await addsToVault(settings))
      ? addToSession(await keyring.add(secret))
      : createVault(secret, settings, 'done');

  const generateMnemonic = async (words?: number): Promise<string> => {
    requireWebCrypto();
    return (await import('../keyring/mnemonic.js')).createMnemonic(words);
  };

  const thenChanged = <T>(change: Promise<T>): Promise<T> =>
    change.then((result) => {
      changed();
      return result;
    });

  return {
    async changePassword(current, next) {
      const credential = readCredential(current, 'current');
      await keyring.changePassword(credential, readNewPassword(next, 'next'));
    },
    async removePassword() {
      if (session.state().backup !== 'done')
        throw invalidParams('The password stays until there is a backup: confirm one first.');
      await keyring.removePassword();
    },

    async addPasskey(name) {
      requireWebCrypto();
      return thenChanged(keyring.addPasskey(readName(name, 'name')));
    },
    async wakePasskey(id) {
      requireWebCrypto();
      return thenChanged(keyring.wakePasskey(readText(id, 'id')));
    },
    renamePasskey: async (id, name) =>
      thenChanged(keyring.renamePasskey(readText(id, 'id'), readName(name, 'name'))),
    async removePasskey(id) {
      const removed = (await keyring.passkeys()).find((passkey) => passkey.id === id);
      await thenChanged(keyring.removePasskey(readText(id, 'id')));
      // It may have been lost. The mnemonic, if it was written down, is confirmed once more.
      if (own(removed).restores) session.update((state) => ({ ...state, backup: 'needed' }));
    },

    async newMnemonic(words = 12) {
      if (words !== 12 && words !== 24) throw invalidParams('words: expected 12 or 24');
      return generateMnemonic(words);
    },
    async create(password, given) {
      const settings = readOptions(given, { words: 'number', replaceMissing: 'boolean' });
      readNewPassword(password, 'password');
      const mnemonic = await generateMnemonic(settings.words);
      const secret = { type: 'mnemonic', mnemonic, passphrase: '', path: pathAt(0) } as const;
      const { replaceMissing = false } = settings;
      return { mnemonic, account: await createVault(secret, own({ password, replaceMissing }), 'needed') };
    },
    ownSite,
    createFromPasskey: async (name, given) => (await recovery()).createFromPasskey(name, given),
    restoreFromPasskey: async (given) => (await recovery()).restoreFromPasskey(given),
    async confirmBackup() {
      session.update((state) => ({ ...state, backup: 'done' }));
    },
    async importMnemonic(mnemonic, given) {
      readText(mnemonic, 'mnemonic');
      const settings = readOptions(given, { ...importOptions, passphrase: 'string' });
      const { path = pathAt(0), passphrase = '' } = settings;
      return importSecret({ type: 'mnemonic', mnemonic, passphrase, path }, settings);
    },
    async importPrivateKey(privateKey, given) {
      readText(privateKey, 'privateKey');
      return importSecret({ type: 'private-key', privateKey }, readOptions(given, importOptions));
    },
    async importKeystore(json, keystorePassword, given) {
      readText(json, 'json');
      const password = readText(keystorePassword, 'keystorePassword');
      return importSecret({ type: 'keystore', json, password }, readOptions(given, importOptions));
    },

    deriveAccount: async (path) => addToSession(await keyring.derive(readText(path, 'path'))),
    addAccount: async (mnemonicOf) =>
      addToSession(await keyring.deriveNext(pathAt, optionalAddress(mnemonicOf, 'mnemonicOf'))),
    async discover(given) {
      const { onProgress, signal } = readOptions(given, { onProgress: 'function', signal: 'object' });
      const { findUsedAccounts } = await import('./owner/discover.js');
      const known = new Set((await keyring.accounts()).map(({ address }) => address));
      const used = await findUsedAccounts({
        ...searchOptions(),
        addressesAt: keyring.addresses,
        isKnown: (address) => known.has(address),
        signal,
        onProgress,
      });
      if (used.length === 0) return [];
      const added = await keyring.deriveAll(used);
      session.update(withAccountsOf(await keyring.accounts()));
      return added.map(({ address }) => sessionAccount(address));
    },
    async setLockAfter(milliseconds) {
      if (milliseconds !== null && !isLockTime(milliseconds))
        throw invalidParams('milliseconds: expected null or 60000 to 28800000');
      session.update(({ lockAfter: _before, ...state }) => ({
        ...state,
        ...(milliseconds !== null && { lockAfter: milliseconds }),
      }));
    },
    async rename(address, label) {
      const renamed = requireAccount(address);
      const next = readName(label, 'label');
      if (!keyring.locked() && (await (await book()).hasName(next)))
        throw invalidParams('label: a contact has a name that looks like this one');
      session.update(changeAccount(renamed.address, (account) => ({ ...account, label: next })));
    },
    async hide(address, hidden) {
      const { address: changed } = requireAccount(address);
      readBoolean(hidden, 'hidden');
      session.update((state) => {
        const isShown = (account: SessionAccount) => own(account).hidden !== true;
        if (hidden && !state.accounts.some((account) => isShown(account) && account.address !== changed))
          throw invalidParams('address: one account has to stay visible');
        return changeAccount(changed, ({ hidden: _hidden, ...account }) => ({
          ...account,
          ...(hidden && { hidden: true as const }),
        }))(state);
      });
    },
    async remove(address) {
      await keyring.remove(readAddress(address));
      session.update(withAccountsOf(await keyring.accounts()));
    },

    exportMnemonic: async (credential, address) =>
      keyring.exportMnemonic(readCredential(credential), optionalAddress(address)),
    exportPassphrase: async (credential, address) =>
      keyring.exportPassphrase(readCredential(credential), optionalAddress(address)),
    exportPrivateKey: async (address, credential) =>
      keyring.exportPrivateKey(readAddress(address), readCredential(credential)),
    async exportKeystore(address, credential, filePassword) {
      const account = readAddress(address);
      const proof = readCredential(credential);
      if (filePassword === undefined && typeof proof === 'string')
        return keyring.exportKeystore(account, proof);
      return keyring.exportKeystore(account, proof, readNewPassword(filePassword, 'filePassword'));
    },
    async backup(credential, filePassword) {
      const proof = readCredential(credential);
      const password = readNewPassword(filePassword, 'filePassword');
      return keyring.backup(proof, password, exportSession(session.state()));
    },
    async restore(file, filePassword, given) {
      readText(file, 'file');
      const password = readText(filePassword, 'filePassword');
      const settings = readOptions(given, { ...vaultOptions, acceptUnproven: 'array' });
      const adds = await addsToVault(settings);
      const ways = adds ? null : waysOf(settings);
      const how = { ...replacing(settings), ...readAccepted(settings) };
      const { accounts, note } = await keyring.restore(file, password, ways, how);
      session.update((state) => withExported(accounts, note)(adds ? state : begin(state, 'done')));
      await (await book()).restore();
      return accounts.map(({ address }) => sessionAccount(address));
    },
    erase: keyring.erase,
    async persist() {
      try {
        return (await globalThis.navigator.storage.persist()) === true;
      } catch {
        // No such function, or no storage at all.
        return false;
      }
    },
  };
}

const vaultOptions = {
  password: 'string',
  passkey: 'object',
  replaceMissing: 'boolean',
  replace: 'boolean',
} as const;
const importOptions = { ...vaultOptions, path: 'string' } as const;

const optionalAddress = (value: unknown, name?: string): Address | undefined =>
  value === undefined ? undefined : readAddress(value, name);

const changeAccount =
  (address: Address, change: (account: SessionAccount) => SessionAccount) =>
  (state: SessionState): SessionState => ({
    ...state,
    accounts: state.accounts.map((account) => (account.address === address ? change(account) : account)),
  });

export declare namespace createAccounts {
  interface Options extends Pick<Context, 'network' | 'session'> {
    readonly keyring: Keyring;
    /** The contacts in the vault. */
    readonly book: Signing['book'];
    /** The service of the active network. */
    readonly service: () => Service;
    readonly ownSite: boolean;
    /** Called when the passkeys have changed, which are not part of the session. */
    readonly changed: () => void;
  }
}
