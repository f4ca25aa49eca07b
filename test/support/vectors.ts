import { readFileSync } from 'node:fs';
import type { Hex } from '../../src/rpc/schema.js';

/** Published vectors in `test/support/vectors`, each file with its source and licence. */
const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8'));

interface Signed {
  readonly privateKey: Hex;
  readonly message: string;
}

export const rfc6979: readonly (Signed & { readonly r: Hex; readonly s: Hex })[] = read('rfc6979').vectors;

export const eip191: Signed & { readonly address: Hex; readonly digest: Hex; readonly signature: Hex } =
  read('eip191').vectors[0];

export const eip155: {
  readonly privateKey: Hex;
  readonly transaction: Record<'nonce' | 'gasPrice' | 'gas' | 'to' | 'value' | 'data', Hex> & {
    chainId: number;
  };
  readonly signingHash: Hex;
  readonly raw: Hex;
} = read('eip155').vectors[0];

export const bip32: readonly {
  readonly vector: number;
  readonly seed: Hex;
  readonly path: string;
  readonly privateKey: Hex;
}[] = read('bip32').vectors;

export const bip39: readonly { readonly entropy: Hex; readonly mnemonic: string }[] = read('bip39').vectors;

export const bip39Accounts: readonly {
  readonly mnemonic: string;
  readonly seed?: Hex;
  readonly path: string;
  readonly privateKey?: Hex;
  readonly address: Hex;
}[] = read('bip39').accounts.vectors;

export const etherMail: {
  readonly privateKey: Hex;
  readonly typedData: { readonly types: object; readonly message: object };
  readonly encodeType: string;
  readonly digest: Hex;
  readonly signature: Hex;
} = read('eip712').etherMail;

export const typedDataV1: readonly { readonly typedData: object; readonly digest: Hex }[] = read('eip712').v1;

export const keystores: readonly {
  readonly name: string;
  readonly json: { readonly [member: string]: unknown };
  readonly password: string;
  readonly privateKey: Hex;
}[] = read('keystore-v3').vectors;

/** A vault that the first version of the format wrote, as it lies in storage. */
export const vaultV1: {
  readonly 'slot-b': Record<string, unknown>;
  readonly pointer: Record<string, unknown>;
} = read('vault-v1');

/** What a browser keeps of one vault. */
export interface StoredVault {
  readonly 'slot-a'?: Record<string, unknown>;
  readonly 'slot-b'?: Record<string, unknown>;
  readonly pointer?: Record<string, unknown>;
  readonly sentinel: { readonly vaultId: string; readonly gen: number } | null;
  readonly copy: Record<string, unknown> | null;
}

/** Vaults that the second version of the format wrote. */
export const vaultV2: Readonly<
  Record<'password' | 'passkeys' | 'passkey only' | 'weak' | 'full' | 'strong', StoredVault>
> = read('vault-v2');

/** A backup file of the first version, and its password "file password". */
export const backupV1: { readonly file: { readonly vault: Record<string, unknown> } } = read('backup-v1');
