import { lazy } from '../async/lazy.js';
import type { Hash } from '../rpc/schema.js';
import type { Network } from '../service/networks.js';
import type { Core } from './core.js';

/**
 * The functions of a wallet that only its owner calls. Each group loads at its first call; here, so that the shell has
 * only their names.
 */
export function createOwnerFunctions(options: createOwnerFunctions.Options) {
  const { core, configured, changed } = options;
  return {
    /** The keys, the accounts, and the transactions that were signed with them. */
    accounts: lazy(async () => {
      const [{ keyring, transactions }, { createAccounts }] = await Promise.all([
        core.signing(),
        import('./accounts.js'),
      ]);
      const { session, network, reads: service } = core.context;
      const accounts = createAccounts({ keyring, session, network, service, changed });
      return {
        ...accounts,
        vaultState: keyring.state,
        lock: async () => keyring.lock(),
        transactions: async () => (await transactions()).list(),
        resend: async (hash: Hash) => (await transactions()).resend(hash),
        abandon: async (hash: Hash) => (await transactions()).abandon(hash),
        exportTransactions: async (format: 'json' | 'csv') => (await transactions()).export(format),
      };
    }),

    payments: lazy(async () => (await import('./payments.js')).createPayments(core)),

    addedNetworks: lazy(async () =>
      (await import('./added-networks.js')).createAddedNetworks({ context: core.context, configured }),
    ),
  };
}

export declare namespace createOwnerFunctions {
  interface Options {
    readonly core: Core;
    /** At least one. */
    readonly configured: readonly Network[];
    /** Called when the passkeys have changed, which are not part of the session. */
    readonly changed: () => void;
  }
}
