import type { Address } from '../rpc/schema.js';

/** Proof that the owner is present: the password, or one of the wallet's passkeys. */
export type Credential = string | { readonly passkey: true };

/** A password for the keys, or the name of a passkey to be made instead. */
export type Protection = { readonly password: string } | { readonly passkey: { readonly name: string } };

/** How a wallet is unlocked. */
export interface UnlockOptions {
  /**
   * The accounts that the person has agreed to, for a vault that cannot be checked (see {@link Unproven}); an empty list
   * agrees to none. Default: the accounts that the wallet has known here, unless something speaks against the vault.
   */
  readonly acceptUnproven?: readonly Address[] | undefined;
}

/**
 * A vault or backup file of an older version, which somebody could have written without its password: `data` of the
 * error -32002 that refuses it. A person has to confirm that the accounts are theirs.
 */
export interface Unproven {
  /** Names the refusal for programs. */
  readonly reason: 'vault-unproven';
  /** The accounts that it would open, lower case. */
  readonly accounts: readonly Address[];
  /** The accounts that the wallet has known here, lower case. */
  readonly known: readonly Address[];
  /** Names of passkeys that will open nothing until they are used once more. */
  readonly passkeys: readonly string[];
  /** Whether its password will open nothing, because a passkey was used in its place. */
  readonly losesPassword: boolean;
}

/** The wallet that a passkey gives, where nothing was found on the chain of any of its accounts. */
export interface PasskeyWallet {
  /** Its first account, lower case. */
  readonly address: Address;
  /** `unused`: its accounts were never used on the active network. `unknown`: the network could not be asked. */
  readonly found: 'unused' | 'unknown';
}

/** How a wallet is brought back by its passkey. */
export interface PasskeyRestoreOptions {
  /** The passkey's name in this wallet, 1 to 40 characters. Default `Passkey`. */
  readonly name?: string | undefined;
  /**
   * Asks the person whether a wallet without used accounts is theirs: a device may give another value than before. Without it
   * such a wallet is refused.
   *
   * @example
   * await wallet.restoreFromPasskey({
   *   confirm: ({ address }) => confirm(`Nothing has happened at ${address}. Use it?`),
   * });
   */
  confirm?(wallet: PasskeyWallet): boolean | Promise<boolean>;
  /**
   * Called with the number of addresses that were checked, and of those to check, which grows.
   *
   * @example
   * await wallet.restoreFromPasskey({ onProgress: (done, of) => console.log(`${done} of ${of}`) });
   */
  onProgress?(done: number, of: number): void;
  /** Aborts it: it rejects with 4001, and nothing is stored. */
  readonly signal?: AbortSignal | undefined;
  /** Whether to replace a wallet that is lost or damaged. Default false. */
  readonly replaceMissing?: boolean | undefined;
  /** Whether to replace the present wallet, whose keys are lost then. Default false. */
  readonly replace?: boolean | undefined;
}

/** How to create or import a wallet. Into an open wallet, a secret is imported without a password or passkey. */
export interface OwnerOptions {
  /** The password of a new vault, 8 characters to 1,024 bytes. */
  readonly password?: string | undefined;
  /** The name of a passkey to be made for a new vault. */
  readonly passkey?: { readonly name: string } | undefined;
  /** Whether to replace a wallet that is lost or damaged. */
  readonly replaceMissing?: boolean | undefined;
  /** Whether to replace the existing wallet (after a forgotten password). */
  readonly replace?: boolean | undefined;
  /** For a backup file that cannot be checked: the accounts that the person has agreed to. */
  readonly acceptUnproven?: readonly Address[] | undefined;
}

/**
 * The functions by which a person sets up, unlocks, recovers and erases their own wallet. An approver gets them with the
 * questions that need them; they are the part of the wallet's `Accounts` that those questions use.
 */
export interface Owner {
  /** Loads the code of the functions that set a wallet up, before the person needs one. Rejects if it does not load. */
  prepare?(): Promise<unknown>;
  /**
   * Unlocks with the password or a passkey.
   * @throws ProviderRpcError 4100 for a wrong one, 4001 if the person cancels; -32002 with {@link Unproven} as `data`
   */
  unlock(credential: Credential, options?: UnlockOptions): Promise<void>;
  /** A new BIP-39 mnemonic that is stored nowhere. */
  newMnemonic(words?: 12 | 24): Promise<string>;
  /** Creates a vault with a new mnemonic of 12 words, and its first account. */
  create(
    password: string,
    options?: { readonly replaceMissing?: boolean | undefined },
  ): Promise<{ readonly mnemonic: string; readonly account: OwnerAccount }>;
  /** Whether the page is the wallet's own site, where a passkey can bring a wallet back. */
  readonly ownSite: boolean;
  /** Creates a vault whose mnemonic comes from a new passkey. `restores`: the passkey brings the wallet back. */
  createFromPasskey(
    name: string,
    options?: { readonly replaceMissing?: boolean | undefined },
  ): Promise<{ readonly mnemonic: string; readonly account: OwnerAccount; readonly restores: boolean }>;
  /** Brings a wallet back by the passkey that it was created from. */
  restoreFromPasskey(options?: PasskeyRestoreOptions): Promise<readonly OwnerAccount[]>;
  /** Imports a BIP-39 mnemonic and its first account. */
  importMnemonic(
    mnemonic: string,
    options?: OwnerOptions & { readonly passphrase?: string | undefined },
  ): Promise<OwnerAccount>;
  /** Imports 64 hexadecimal digits, with or without `0x`. */
  importPrivateKey(privateKey: string, options?: OwnerOptions): Promise<OwnerAccount>;
  /** Imports the JSON of a version 3 keystore file. */
  importKeystore(json: string, keystorePassword: string, options?: OwnerOptions): Promise<OwnerAccount>;
  /** Opens a backup file of a whole wallet. */
  restore(file: string, filePassword: string, options?: OwnerOptions): Promise<readonly OwnerAccount[]>;
  /** The person has repeated the words. */
  confirmBackup(): Promise<void>;
  /** The wallet's passkeys, also while it is locked. `asleep`: it opens nothing until `wakePasskey`. */
  passkeys(): Promise<
    readonly { readonly id: string; readonly name: string; readonly asleep?: true | undefined }[]
  >;
  /** Asks for a passkey that is asleep, which then opens the wallet again. */
  wakePasskey(id: string): Promise<unknown>;
  /** Looks for accounts of the mnemonic that have been used. */
  discover(options?: {
    onProgress?(done: number, of: number): void;
    signal?: AbortSignal | undefined;
  }): Promise<readonly OwnerAccount[]>;
  /** Asks the browser to keep the data. Resolves with whether it will. */
  persist(): Promise<boolean>;
  /** Removes everything. */
  erase(): Promise<void>;
}

/** An account as the functions of {@link Owner} resolve with it. */
export interface OwnerAccount {
  /** Lower case. */
  readonly address: Address;
  /** For display, such as `Account 1`. */
  readonly label: string;
}
