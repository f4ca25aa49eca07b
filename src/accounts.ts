import type { Keyring } from './keyring/keyring.js';
import { own } from './rpc/own.js';
import type { Network } from './service/networks.js';
import type { Session, SessionAccount } from './session/session.js';

/**
 * The owner's functions: what a wallet panel calls, and what `request()` never reaches. Secrets leave the vault
 * only here, and only for the password.
 */
export interface Accounts {
  /** A new mnemonic and its first account. Show the mnemonic once: it is the only backup. */
  create(
    password: string,
    options?: { words?: 12 | 24; replaceMissing?: boolean },
  ): Promise<{ mnemonic: string; account: SessionAccount }>;
  /** `password` is needed where no vault exists yet; else the wallet must be unlocked. @throws -32602, 4100 */
  importMnemonic(mnemonic: string, options?: Accounts.ImportOptions): Promise<SessionAccount>;
  importPrivateKey(privateKey: string, options?: Accounts.ImportOptions): Promise<SessionAccount>;
  /** A version 3 keystore file. @throws ProviderRpcError -32602 naming the part that is wrong */
  importKeystore(
    json: string,
    keystorePassword: string,
    options?: Accounts.ImportOptions,
  ): Promise<SessionAccount>;
  /** @throws ProviderRpcError -32602 for a bad BIP-32 path, 4100 when locked */
  deriveAccount(path: string): Promise<SessionAccount>;
  /** The next account on the active network's path (RSKIP-57). */
  addAccount(): Promise<SessionAccount>;
}

export declare namespace Accounts {
  interface CreateOptions {
    readonly password: string;
    /** Start anew although a vault was here once and is gone or damaged. */
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

  const remember = ({ address, path }: Keyring.Account): SessionAccount => {
    const known = session.state().accounts.find((account) => account.address === address);
    if (known) return known;
    const account = { address, label: `Account ${session.state().accounts.length + 1}`, path };
    session.update((state) => ({ ...state, accounts: [...state.accounts, account] }));
    return account;
  };

  /** A new vault starts a new list: accounts of one that is gone cannot sign. */
  const establish = async (secret: Keyring.Secret, { password, replaceMissing }: Accounts.CreateOptions) => {
    const account = await keyring.create(secret, password, { replaceMissing: replaceMissing ?? false });
    session.update((previous) => ({ ...previous, accounts: [], permissions: {} }));
    return remember(account);
  };

  const take = async (secret: Keyring.Secret, settings: Accounts.ImportOptions): Promise<SessionAccount> => {
    const state = await keyring.state();
    if (state === 'locked' || state === 'unlocked') return remember(await keyring.add(secret));
    return establish(secret, own({ ...settings, password: settings.password ?? '' }));
  };

  return {
    async create(password, settings) {
      const { words = 12, replaceMissing = false } = own(settings);
      const { createMnemonic } = await import('./keyring/mnemonic.js');
      const mnemonic = createMnemonic({ words });
      const secret = { type: 'mnemonic', mnemonic, path: pathAt(0) } as const;
      return { mnemonic, account: await establish(secret, { password, replaceMissing }) };
    },
    importMnemonic: (mnemonic, settings) =>
      take({ type: 'mnemonic', mnemonic, path: own(settings).path ?? pathAt(0) }, own(settings)),
    importPrivateKey: (privateKey, settings) => take({ type: 'private-key', privateKey }, own(settings)),
    importKeystore: (json, keystorePassword, settings) =>
      take({ type: 'keystore', json, password: keystorePassword }, own(settings)),
    deriveAccount: async (path) => remember(await keyring.derive(path)),
    async addAccount() {
      const taken = new Set(session.state().accounts.map((account) => account.path));
      let index = 0;
      while (taken.has(pathAt(index))) index++;
      return remember(await keyring.derive(pathAt(index)));
    },
  };
}

export declare namespace createAccounts {
  interface Options {
    readonly keyring: Keyring;
    readonly session: Session;
    readonly network: () => Network;
  }
}
