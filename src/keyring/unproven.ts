import type { Unproven } from '../approvals/owner.js';
import { resourceUnavailable } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { HeldVault } from './vault/access.js';
import { claimedAddresses } from './vault/claimed-addresses.js';
import type { Contents } from './vault/contents.js';
import { passkeyWraps, passwordWraps } from './vault/record.js';
import { isOutdated } from './vault/slots.js';
import { withContents } from './vault/vault.js';
import type { Opener } from './vault/wraps.js';

/**
 * Vaults and backup files of the format before the last could be written without their password. They open only after
 * the person has agreed to the accounts in them (docs/notes/security.md#vaults-that-cannot-be-checked).
 */

/**
 * Refuses an open vault that cannot be checked, unless the person has agreed to its accounts.
 * @param known the accounts of the session, which are agreed to by default where nothing speaks against the vault
 * @throws ProviderRpcError -32002 with {@link Unproven} as `data`
 */
export async function requireAgreedVault(
  { vault, loaded }: HeldVault,
  opener: Opener,
  known: readonly Address[],
  accepted: readonly Address[] | undefined,
): Promise<void> {
  const { record } = vault;
  const used = typeof opener === 'string' ? null : opener.credentialId;
  const losesPassword = used !== null && passwordWraps(record).length > 0;
  requireAgreed(
    {
      accounts: await withContents(vault, claimedAddresses),
      known,
      passkeys: passkeyWraps(record).flatMap(({ credentialId, name }) =>
        credentialId === used ? [] : [name],
      ),
      losesPassword,
    },
    accepted ?? (isOutdated(loaded) || losesPassword ? [] : known),
  );
}

/**
 * Refuses the contents of a backup file that cannot be checked, unless its accounts were accepted. None are by default: a
 * session that knows the accounts does not prove the file's author.
 * @throws ProviderRpcError -32002 with {@link Unproven} as `data`
 */
export async function requireAgreedFile(
  contents: Contents,
  known: readonly Address[],
  accepted: readonly Address[] = [],
): Promise<void> {
  const accounts = await claimedAddresses(contents);
  requireAgreed({ accounts, known, passkeys: [], losesPassword: false }, accepted);
}

/**
 * @param agreed the accounts that somebody has agreed to
 * @throws ProviderRpcError -32002 with {@link Unproven} as `data`
 */
function requireAgreed(found: Omit<Unproven, 'reason'>, agreed: readonly Address[]): void {
  const isAgreed = (address: Address) => agreed.includes(address);
  const isFound = (address: Address) => found.accounts.includes(address);
  if (found.accounts.length > 0 && found.accounts.every(isAgreed) && agreed.every(isFound)) return;
  throw resourceUnavailable(
    'An older version has stored this, and nothing in it proves that it is yours. Compare the accounts in data.accounts, and pass them as acceptUnproven.',
    own<Unproven>({ reason: 'vault-unproven', ...found }),
  );
}
