import { invalidParams } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import type { Secret } from '../account.js';
import { sliceBytes, wipe } from '../builtins.js';
import { derivePrivateKey, readPath } from '../hd.js';
import { readPrivateKey } from '../private-key.js';
import { addressOf } from '../signer.js';
import type { Contents, ContentsAccount, ContentsMnemonic } from './contents.js';
import { sameBytes } from './encryption.js';

/**
 * The contents that a secret adds to the vault: its first account, and a mnemonic. The caller wipes them.
 * @throws ProviderRpcError -32602; the message contains nothing of the secret
 */
export async function readSecret(secret: Secret): Promise<Contents> {
  switch (secret.type) {
    case 'mnemonic': {
      readPath(secret.path);
      const { readMnemonic, readPassphrase } = await import('../mnemonic.js');
      const passphrase = readPassphrase(own(secret).passphrase ?? '');
      const mnemonic = { entropy: readMnemonic(secret.mnemonic), passphrase };
      return { mnemonics: [mnemonic], accounts: [await deriveAccount(mnemonic, secret.path)] };
    }
    case 'private-key':
      return { mnemonics: [], accounts: [importedAccount(readPrivateKey(secret.privateKey))] };
    case 'keystore': {
      const { importKeystore } = await import('../keystore-v3.js');
      return {
        mnemonics: [],
        accounts: [importedAccount(await importKeystore(secret.json, secret.password))],
      };
    }
    default:
      throw invalidParams('secret: expected a mnemonic, a private key or a keystore');
  }
}

/** @throws ProviderRpcError -32602 naming `path` */
export async function deriveAccount(mnemonic: ContentsMnemonic, path: string): Promise<ContentsAccount> {
  const [account] = await deriveAccounts(mnemonic, [path]);
  return account as ContentsAccount;
}

/** @throws ProviderRpcError -32602 naming `path` */
export async function deriveAccounts(
  { entropy, passphrase }: ContentsMnemonic,
  paths: readonly string[],
): Promise<ContentsAccount[]> {
  for (const path of paths) readPath(path);
  const { seedOf } = await import('../mnemonic.js');
  const seed = await seedOf(entropy, passphrase);
  try {
    const accounts: ContentsAccount[] = [];
    for (const path of paths) {
      const privateKey = await derivePrivateKey(seed, path);
      accounts.push({ address: addressOf(privateKey), privateKey, path });
    }
    return accounts;
  } finally {
    wipe(seed);
  }
}

const importedAccount = (privateKey: Uint8Array): ContentsAccount => ({
  address: addressOf(privateKey),
  privateKey,
  path: null,
});

export const noContents: Contents = { mnemonics: [], accounts: [] };

/** @throws ProviderRpcError -32602 naming `address` */
export function accountAt({ accounts }: Contents, address: Address): ContentsAccount {
  const account = accounts.find((each) => each.address === address.toLowerCase());
  if (account === undefined) throw invalidParams('address: the wallet has no such account');
  return account;
}

/**
 * The mnemonic that an account was derived from; without `address` the first one.
 * @throws ProviderRpcError -32602 for an account whose key was imported
 */
export async function mnemonicOfAccount(contents: Contents, address?: Address): Promise<ContentsMnemonic> {
  const { mnemonics } = contents;
  if (address === undefined) {
    if (mnemonics[0] === undefined)
      throw invalidParams('The wallet has no mnemonic: its keys were imported.');
    return mnemonics[0];
  }
  const { path, address: wanted } = accountAt(contents, address);
  if (path !== null)
    for (const mnemonic of mnemonics) {
      const derived = await deriveAccount(mnemonic, path);
      wipe(derived.privateKey);
      if (derived.address === wanted) return mnemonic;
    }
  throw invalidParams('address: the key of this account was imported, it comes from no mnemonic');
}

/** The contents with the added ones that are new; all else of them stays. Returns `contents` itself if none are. */
export function mergeContents(contents: Contents, added: Contents): Contents {
  const { mnemonics, accounts, optional = [] } = contents;
  const isKnown = (mnemonic: ContentsMnemonic) =>
    mnemonics.some(
      ({ entropy, passphrase }) =>
        sameBytes(entropy, mnemonic.entropy) && sameBytes(passphrase, mnemonic.passphrase),
    );
  const addresses = new Set(accounts.map((account) => account.address));
  const newMnemonics = added.mnemonics.filter((mnemonic) => !isKnown(mnemonic));
  const newAccounts = added.accounts.filter(({ address }) => !addresses.has(address));
  const newOptional = (added.optional ?? []).filter(
    ({ kind, bytes }) => !optional.some((known) => known.kind === kind && sameBytes(known.bytes, bytes)),
  );
  if (newMnemonics.length + newAccounts.length + newOptional.length === 0) return contents;
  return {
    ...contents,
    mnemonics: [...mnemonics, ...newMnemonics],
    accounts: [...accounts, ...newAccounts],
    optional: [...optional, ...newOptional],
  };
}

/** A copy that outlives the bytes which lent contents are views of. The caller wipes it. */
export const copyContents = ({ mnemonics, accounts, note, optional }: Contents): Contents => ({
  mnemonics: mnemonics.map(({ entropy, passphrase }) => ({
    entropy: sliceBytes(entropy),
    passphrase: sliceBytes(passphrase),
  })),
  accounts: accounts.map((account) => ({ ...account, privateKey: sliceBytes(account.privateKey) })),
  note: note && sliceBytes(note),
  optional: optional?.map(({ kind, bytes }) => ({ kind, bytes: sliceBytes(bytes) })),
});

export function wipeContents({ mnemonics, accounts, optional = [] }: Contents): void {
  for (const { entropy, passphrase } of mnemonics) {
    wipe(entropy);
    wipe(passphrase);
  }
  for (const { privateKey } of accounts) wipe(privateKey);
  for (const { bytes } of optional) wipe(bytes);
}
