import { lazy } from '../async/lazy.js';
import type { Network } from '../service/networks.js';
import { knownNetworks, type Session } from '../session/session.js';
import type { Core } from './core.js';

/**
 * The functions of a wallet that only its owner calls. Each group loads at its first call; here, so that the shell has
 * only their names.
 */
export function createOwnerFunctions(options: createOwnerFunctions.Options) {
  const { core, session, origin, configured, network, changed } = options;
  return {
    /** The keys, the accounts, and the transactions that were signed with them. */
    accounts: lazy(async () => {
      const [{ keyring, transactions }, { createAccounts }] = await Promise.all([
        core.signing(),
        import('./accounts.js'),
      ]);
      const accounts = createAccounts({ keyring, session, network, service: core.context.reads, changed });
      return {
        ...accounts,
        vaultState: keyring.state,
        lock: async () => keyring.lock(),
        transactions: transactions.list,
        resend: transactions.resend,
        abandon: transactions.abandon,
        exportTransactions: transactions.export,
      };
    }),

    payments: lazy(async () => {
      const { createPayments } = await import('./payments.js');
      const networks = () => knownNetworks(configured, session.state());
      return createPayments({ core, session, origin, networks, now: Date.now });
    }),

    addedNetworks: lazy(async () => {
      const { createAddedNetworks } = await import('./added-networks.js');
      return createAddedNetworks({ context: core.context, configured });
    }),
  };
}

export declare namespace createOwnerFunctions {
  interface Options {
    readonly core: Core;
    readonly session: Session;
    /** The origin of the wallet's page. */
    readonly origin: string;
    /** At least one. */
    readonly configured: readonly Network[];
    /** The active one. */
    readonly network: () => Network;
    /** Called when the passkeys have changed, which are not part of the session. */
    readonly changed: () => void;
  }
}
