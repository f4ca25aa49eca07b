import { wipe } from '../../builtins.js';
import { invalidParams } from '../../rpc/errors.js';
import type { Secret } from '../account.js';
import { derivePrivateKey, readPath } from '../hd.js';
import { readPrivateKey } from '../private-key.js';
import { addressOf } from '../signer.js';
import type { Contents, ContentsAccount } from './contents.js';

/**
 * The contents that a secret adds to the vault: its first account, and the entropy of a mnemonic. The caller wipes them.
 * @throws ProviderRpcError -32602; the message contains nothing of the secret
 */
export async function readSecret(secret: Secret): Promise<Contents> {
  switch (secret.type) {
    case 'mnemonic': {
      readPath(secret.path);
      const { readMnemonic } = await import('../mnemonic.js');
      const entropy = readMnemonic(secret.mnemonic);
      return { mnemonics: [entropy], accounts: [await deriveAccount(entropy, secret.path)] };
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
export async function deriveAccount(entropy: Uint8Array, path: string): Promise<ContentsAccount> {
  readPath(path);
  const { seedOf } = await import('../mnemonic.js');
  const seed = await seedOf(entropy);
  try {
    const privateKey = await derivePrivateKey(seed, path);
    return { address: addressOf(privateKey), privateKey, path };
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

/** The contents with the added ones that are new. Returns `contents` itself if none are. */
export function mergeContents(contents: Contents, added: Contents): Contents {
  const { mnemonics, accounts } = contents;
  const isKnown = (entropy: Uint8Array) =>
    mnemonics.some(
      (known) => known.length === entropy.length && known.every((byte, i) => byte === entropy[i]),
    );
  const addresses = new Set(accounts.map((account) => account.address));
  const newMnemonics = added.mnemonics.filter((entropy) => !isKnown(entropy));
  const newAccounts = added.accounts.filter(({ address }) => !addresses.has(address));
  if (newMnemonics.length + newAccounts.length === 0) return contents;
  return { mnemonics: [...mnemonics, ...newMnemonics], accounts: [...accounts, ...newAccounts] };
}

export function wipeContents({ mnemonics, accounts }: Contents): void {
  for (const entropy of mnemonics) wipe(entropy);
  for (const { privateKey } of accounts) wipe(privateKey);
}
