import type { Address } from '../../rpc/schema.js';
import { wipe } from '../builtins.js';
import { addressOf } from '../signer.js';
import type { Contents, ContentsMnemonic } from './contents.js';
import { deriveAccounts } from './secrets.js';

/**
 * Checks the claims of contents of the versions 1 and 2. An attacker could have written those of version 2, so an
 * address counts only if it is that of the key beside it (docs/notes/security.md#vaults-that-cannot-be-checked).
 */

/**
 * Whether each address is that of its key, each account with a path comes from a mnemonic at that path, and there is no
 * optional record: no build wrote one before version 3.
 */
export async function isConsistent({ mnemonics, accounts, optional }: Contents): Promise<boolean> {
  if (optional !== undefined) return false;
  if (accounts.some(({ address, privateKey }) => !isAddressOf(address, privateKey))) return false;
  const { derived, paths } = derivedOf(accounts);
  const known = new Set<number>();
  try {
    for (const mnemonic of mnemonics) {
      const found = await addressesAt(mnemonic, paths);
      for (const [at, { address }] of derived.entries()) if (found[at] === address) known.add(at);
    }
  } catch {
    // A path or a mnemonic of no known form.
    return false;
  }
  return known.size === derived.length;
}

/**
 * Returns the accounts of contents, and the first account of each mnemonic that none of them comes from: consent to the
 * contents includes the accounts that are derived from it later.
 */
export async function claimedAddresses({ mnemonics, accounts }: Contents): Promise<readonly Address[]> {
  const claimed = new Set(accounts.map(({ address }) => address));
  const { derived, paths } = derivedOf(accounts);
  const firstPath = paths[0]?.replace(/\d+$/, '0') ?? rootstockPath;
  for (const mnemonic of mnemonics) {
    const found = await addressesAt(mnemonic, [...paths, firstPath]);
    if (!derived.some(({ address }, at) => found[at] === address)) claimed.add(found.at(-1) as Address);
  }
  return [...claimed];
}

function derivedOf(accounts: Contents['accounts']) {
  const derived = accounts.filter(({ path }) => path !== null);
  return { derived, paths: derived.map(({ path }) => path as string) };
}

/** For a vault without any derived account. */
const rootstockPath = "m/44'/137'/0'/0/0";

function isAddressOf(address: Address, privateKey: Uint8Array): boolean {
  try {
    return addressOf(privateKey) === address;
  } catch {
    return false;
  }
}

async function addressesAt(
  mnemonic: ContentsMnemonic,
  paths: readonly string[],
): Promise<readonly Address[]> {
  const accounts = await deriveAccounts(mnemonic, paths);
  for (const { privateKey } of accounts) wipe(privateKey);
  return accounts.map(({ address }) => address);
}
