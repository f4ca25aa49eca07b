import type { Credential, UnlockOptions } from '../approvals/owner.js';
import type { Keyring } from '../keyring/keyring.js';
import type { Accounts } from './accounts.js';
import { readAccepted, readCredential, readOptions } from './owner/arguments.js';

/** The owner's functions for the vault and its lock, which load without those for what is in it. */
export interface VaultFunctions extends Pick<Accounts, 'unlock' | 'passkeys'> {
  vaultState(): Promise<Keyring.State>;
  lock(): Promise<void>;
}

export const createVaultFunctions = (keyring: Keyring): VaultFunctions => ({
  vaultState: keyring.state,
  lock: async () => keyring.lock(),
  unlock: async (credential: Credential, given?: UnlockOptions) =>
    keyring.unlock(readCredential(credential), readAccepted(readOptions(given, { acceptUnproven: 'array' }))),
  passkeys: keyring.passkeys,
});
