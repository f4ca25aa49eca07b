import type { Address } from '../rpc/schema.js';

/** An account of the wallet. */
export interface KeyringAccount {
  readonly address: Address;
  /** BIP-32 path; `null` for an imported private key. */
  readonly path: string | null;
}

/** A secret to import: a BIP-39 mnemonic with a BIP-32 path, a private key in hexadecimal, or a version 3 keystore file. */
export type Secret =
  | {
      readonly type: 'mnemonic';
      readonly mnemonic: string;
      readonly path: string;
      /** BIP-39 passphrase. Default: none. */
      readonly passphrase?: string | undefined;
    }
  | { readonly type: 'private-key'; readonly privateKey: string }
  | { readonly type: 'keystore'; readonly json: string; readonly password: string };
