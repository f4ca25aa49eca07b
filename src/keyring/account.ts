import type { Address } from '../rpc/schema.js';

/** An account of the wallet; `path` is `null` for one whose key was imported as such. */
export interface Account {
  readonly address: Address;
  readonly path: string | null;
}

/** What a person brings: a BIP-39 mnemonic and a BIP-32 path, a key in hexadecimal, or a version 3 file. */
export type Secret =
  | { readonly type: 'mnemonic'; readonly mnemonic: string; readonly path: string }
  | { readonly type: 'private-key'; readonly privateKey: string }
  | { readonly type: 'keystore'; readonly json: string; readonly password: string };
