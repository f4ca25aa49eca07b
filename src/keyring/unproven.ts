import type { Unproven } from '../approvals/owner.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { HeldVault } from './vault/access.js';
import { passkeyWraps, passwordWraps } from './vault/record.js';
import type { Opener } from './vault/wraps.js';

/**
 * Vaults and backup files of the format before the last could be written without their password. They open only where
 * somebody has agreed to the accounts in them (docs/notes/security.md#vaults-that-cannot-be-checked).
 */

/**
 * Refuses an open vault that cannot be checked, unless somebody has agreed to its accounts.
 * @param known the accounts of the session, which are agreed to by default where nothing speaks against the vault
 * @throws ProviderRpcError -32002 with {@link Unproven} as `data`
 */
export function requireAgreedVault(
  { vault: { record }, loaded, accounts }: HeldVault,
  opener: Opener,
  known: readonly Address[],
  accepted: readonly Address[] | undefined,
): void {
  const used = typeof opener === 'string' ? null : opener.credentialId;
  const losesPassword = used !== null && passwordWraps(record).length > 0;
  const isOutdated = loaded.kind === 'record' && loaded.isOutdated === true;
  requireAgreed(
    {
      accounts: accounts.map(({ address }) => address),
      known,
      passkeys: passkeyWraps(record).flatMap(({ credentialId, name }) =>
        credentialId === used ? [] : [name],
      ),
      losesPassword,
    },
    accepted ?? (isOutdated || losesPassword ? [] : known),
  );
}

/**
 * @param agreed the accounts that somebody has agreed to
 * @throws ProviderRpcError -32002 with {@link Unproven} as `data`
 */
export function requireAgreed(found: Omit<Unproven, 'reason'>, agreed: readonly Address[]): void {
  const isAgreed = (address: Address) => agreed.includes(address);
  const isFound = (address: Address) => found.accounts.includes(address);
  if (found.accounts.length > 0 && found.accounts.every(isAgreed) && agreed.every(isFound)) return;
  throw new ProviderRpcError(
    errorCode.resourceUnavailable,
    'An older version has stored this, and nothing in it proves that it is yours. Compare the accounts in data.accounts, and pass them as acceptUnproven.',
    own<Unproven>({ reason: 'vault-unproven', ...found }),
  );
}
