import type { Address } from '../rpc/schema.js';

/** What proves that the owner is present: the password, or one of the wallet's passkeys. */
export type Credential = string | { readonly passkey: true };

/** A password for the keys, or the name of a passkey to be made instead. */
export type Protection = { readonly password: string } | { readonly passkey: { readonly name: string } };

/** How to create or import a wallet. Into an open wallet, a secret is imported without a password or passkey. */
export interface OwnerOptions {
  readonly password?: string;
  readonly passkey?: { readonly name: string };
  /** A wallet that is lost or damaged gives way to this one. */
  readonly replaceMissing?: boolean;
  /** The wallet that is here gives way to this one (a forgotten password). */
  readonly replace?: boolean;
}

/**
 * What a person does with their own wallet before it can sign: set it up, unlock it, recover it, erase it. An approver gets
 * it with the questions that need it; it is the part of the wallet's `Accounts` that those questions use.
 */
export interface Owner {
  unlock(credential: Credential): Promise<void>;
  /** A new BIP-39 mnemonic that is stored nowhere. */
  newMnemonic(words?: 12 | 24): Promise<string>;
  create(
    password: string,
    options?: { readonly replaceMissing?: boolean },
  ): Promise<{ readonly mnemonic: string; readonly account: OwnerAccount }>;
  importMnemonic(
    mnemonic: string,
    options?: OwnerOptions & { readonly passphrase?: string },
  ): Promise<OwnerAccount>;
  importPrivateKey(privateKey: string, options?: OwnerOptions): Promise<OwnerAccount>;
  importKeystore(json: string, keystorePassword: string, options?: OwnerOptions): Promise<OwnerAccount>;
  /** Opens a backup file of a whole wallet. */
  restore(file: string, filePassword: string, options?: OwnerOptions): Promise<readonly OwnerAccount[]>;
  /** The person has repeated the words. */
  confirmBackup(): Promise<void>;
  /** Also while the wallet is locked. */
  passkeys(): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Looks for accounts of the mnemonic that have been used. */
  discover(options?: {
    onProgress?(done: number, of: number): void;
    signal?: AbortSignal;
  }): Promise<readonly OwnerAccount[]>;
  /** Asks the browser to keep the data; whether it will. */
  persist(): Promise<boolean>;
  /** Removes everything. */
  erase(): Promise<void>;
}

export interface OwnerAccount {
  readonly address: Address;
  readonly label: string;
}
