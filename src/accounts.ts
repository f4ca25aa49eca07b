import type { Keyring } from './keyring/keyring.js';
import { requireWebCrypto } from './keyring/web-crypto.js';
import { invalidParams } from './rpc/errors.js';
import { type OptionType, requireTypes } from './rpc/options.js';
import { own } from './rpc/own.js';
import type { Address, Hex } from './rpc/schema.js';
import { bytesOf } from './rpc/size.js';
import type { Network } from './service/networks.js';
import type { Session, SessionAccount } from './session/session.js';

/**
 * The functions of a wallet panel, which `request()` does not reach. Secrets leave the vault only through them, and only
 * for the password. An argument of a wrong type is refused with -32602; the message names the argument and never shows
 * its value. On pages that were loaded over plain http, functions that need keys fail with -32002.
 */
export interface Accounts {
  /** @throws ProviderRpcError 4100, with one message for a wrong password and a damaged vault */
  unlock(password: string): Promise<void>;
  /**
   * Afterwards the old password opens nothing.
   * @throws ProviderRpcError 4100 for a wrong `current`; -32602 for a `next` of less than 8 characters or over 1 KiB
   */
  changePassword(current: string, next: string): Promise<void>;
  /** The words of the first mnemonic. @throws ProviderRpcError 4100 wrong password, -32602 no mnemonic */
  exportMnemonic(password: string): Promise<string>;
  /** A private key, 32 bytes. @throws ProviderRpcError 4100 wrong password, -32602 unknown address */
  exportPrivateKey(address: Address, password: string): Promise<Hex>;
  /** The JSON of a version 3 keystore file. @throws ProviderRpcError 4100 wrong password, -32602 unknown address */
  exportKeystore(address: Address, password: string): Promise<string>;
  /**
   * Creates a vault with a new mnemonic (12 words by default) and its first account. Show the mnemonic once: it is the
   * only backup.
   * @throws ProviderRpcError -32602 for a password of less than 8 characters or over 1 KiB; -32002 if there is a vault
   */
  create(
    password: string,
    options?: { words?: 12 | 24; replaceMissing?: boolean },
  ): Promise<{ mnemonic: string; account: SessionAccount }>;
  /**
   * Imports a BIP-39 mnemonic and its first account. Without a vault, `password` creates one; else the wallet must be
   * unlocked.
   * @throws ProviderRpcError -32602 for an invalid mnemonic, path or password; 4100 when locked
   */
  importMnemonic(mnemonic: string, options?: Accounts.ImportOptions): Promise<SessionAccount>;
  /** Imports 64 hexadecimal digits, with or without `0x`. @throws ProviderRpcError as {@link importMnemonic} */
  importPrivateKey(privateKey: string, options?: Accounts.ImportOptions): Promise<SessionAccount>;
  /** Imports the JSON of a version 3 keystore file. @throws ProviderRpcError -32602 naming the part that is wrong */
  importKeystore(
    json: string,
    keystorePassword: string,
    options?: Accounts.ImportOptions,
  ): Promise<SessionAccount>;
  /** Derives an account of the first mnemonic. @throws ProviderRpcError -32602 invalid BIP-32 path, 4100 locked */
  deriveAccount(path: string): Promise<SessionAccount>;
  /** Derives the next account on the active network's path (RSKIP-57). @throws ProviderRpcError 4100 locked */
  addAccount(): Promise<SessionAccount>;
}

export declare namespace Accounts {
  interface CreateOptions {
    readonly password: string;
    /** Create a new vault in place of one that is lost or damaged. Default false. */
    readonly replaceMissing?: boolean;
  }
  interface ImportOptions extends Partial<CreateOptions> {
    /** BIP-32 path of the first account of a mnemonic. Default: the active network's first. */
    readonly path?: string;
  }
}

export function createAccounts(options: createAccounts.Options): Accounts {
  const { keyring, session, network } = options;

  const pathAt = (index: number): string => `m/44'/${network().coinType}'/0'/0/${index}`;

  const addToSession = ({ address, path }: Keyring.Account): SessionAccount => {
    const known = session.state().accounts.find((account) => account.address === address);
    if (known) return known;
    const account = { address, label: `Account ${session.state().accounts.length + 1}`, path };
    session.update((state) => ({ ...state, accounts: [...state.accounts, account] }));
    return account;
  };

  /** Creates a vault. It replaces the session's accounts, since those of a lost vault cannot sign. */
  const createVault = async (
    secret: Keyring.Secret,
    { password, replaceMissing }: Accounts.CreateOptions,
  ) => {
    requirePassword(password, 'password');
    const account = await keyring.create(secret, password, { replaceMissing: replaceMissing ?? false });
    session.update((previous) => ({ ...previous, accounts: [], permissions: {} }));
    return addToSession(account);
  };

  const importSecret = async (
    secret: Keyring.Secret,
    settings: Accounts.ImportOptions,
  ): Promise<SessionAccount> => {
    requireWebCrypto();
    const state = await keyring.state();
    if (state === 'locked' || state === 'unlocked') return addToSession(await keyring.add(secret));
    return createVault(secret, own({ ...settings, password: settings.password ?? '' }));
  };

  return {
    unlock: async (password) => keyring.unlock(text(password, 'password')),
    async changePassword(current, next) {
      text(current, 'current');
      requirePassword(next, 'next');
      await keyring.changePassword(current, next);
    },
    exportMnemonic: async (password) => keyring.exportMnemonic(text(password, 'password')),
    exportPrivateKey: async (address, password) =>
      keyring.exportPrivateKey(addressOf(address), text(password, 'password')),
    exportKeystore: async (address, password) =>
      keyring.exportKeystore(addressOf(address), text(password, 'password')),
    async create(password, given) {
      const { words, replaceMissing } = optionsOf(given, { words: 'number', replaceMissing: 'boolean' });
      requirePassword(password, 'password');
      requireWebCrypto();
      const { createMnemonic } = await import('./keyring/mnemonic.js');
      const mnemonic = createMnemonic({ words: (words ?? 12) as 12 | 24 });
      const secret = { type: 'mnemonic', mnemonic, path: pathAt(0) } as const;
      const settings = { password, ...(replaceMissing !== undefined && { replaceMissing }) };
      return { mnemonic, account: await createVault(secret, settings) };
    },
    async importMnemonic(mnemonic, given) {
      text(mnemonic, 'mnemonic');
      const settings = optionsOf(given, importOptions);
      return importSecret({ type: 'mnemonic', mnemonic, path: settings.path ?? pathAt(0) }, settings);
    },
    async importPrivateKey(privateKey, given) {
      text(privateKey, 'privateKey');
      return importSecret({ type: 'private-key', privateKey }, optionsOf(given, importOptions));
    },
    async importKeystore(json, keystorePassword, given) {
      text(json, 'json');
      const password = text(keystorePassword, 'keystorePassword');
      return importSecret({ type: 'keystore', json, password }, optionsOf(given, importOptions));
    },
    deriveAccount: async (path) => addToSession(await keyring.derive(text(path, 'path'))),
    async addAccount() {
      const taken = new Set(session.state().accounts.map((account) => account.path));
      let index = 0;
      while (taken.has(pathAt(index))) index++;
      return addToSession(await keyring.derive(pathAt(index)));
    },
  };
}

const importOptions = { password: 'string', replaceMissing: 'boolean', path: 'string' } as const;

/** The message does not contain the value, which may be a secret passed as the wrong argument. */
const wrong = (name: string, rule: string) => invalidParams(`${name}: expected ${rule}`);

function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw wrong(name, 'a string');
  return value;
}

function addressOf(value: unknown): Address {
  if (!/^0x[0-9a-f]{40}$/i.test(text(value, 'address'))) throw wrong('address', 'an address');
  return value as Address;
}

function optionsOf<Options extends object>(
  given: Options | undefined,
  types: { readonly [name in keyof Options]-?: OptionType },
): Options {
  if (given !== undefined) requireTypes(given, types);
  return given ?? ({} as Options);
}

/** Checks a new password; an old one must still unlock. The message is for the person who chooses the password. */
function requirePassword(value: unknown, name: string): void {
  const password = text(value, name);
  const which = name === 'next' ? 'The new password' : 'The password';
  if ([...password.slice(0, 16)].length < 8)
    throw invalidParams(`${which} is too short: choose at least 8 characters.`);
  if (bytesOf(password, 1024) > 1024) throw invalidParams(`${which} is too long: at most 1,024 bytes.`);
}

export declare namespace createAccounts {
  interface Options {
    readonly keyring: Keyring;
    readonly session: Session;
    readonly network: () => Network;
  }
}
