import { lazy } from '../async/lazy.js';
import { purseKind } from '../purse/kind.js';
import type { Address, Hash } from '../rpc/schema.js';
import type { Network } from '../service/networks.js';
import type { Core } from './core.js';
import { createVaultFunctions } from './vault-functions.js';

/**
 * The functions of a wallet that only its owner calls. Each group loads at its first call; here, so that the shell has
 * only their names.
 */
export function createOwnerFunctions(options: createOwnerFunctions.Options) {
  const { core, configured, ownSite, changed } = options;
  const payments = lazy(async () => (await import('./payments.js')).createPayments(core));
  return {
    /** The vault and its lock. */
    vault: lazy(async () => createVaultFunctions((await core.signing()).keyring)),

    /** The keys and the accounts. */
    accounts: lazy(async () => {
      const [{ keyring, book, permissions, purses }, { createAccounts }] = await Promise.all([
        core.signing(),
        import('./accounts.js'),
      ]);
      const { session, network, origin, reads: service } = core.context;
      const accounts = createAccounts({ keyring, session, book, network, service, ownSite, changed });
      return {
        ...accounts,
        permissions: async () => (await permissions()).list(),
        endPermission: async (context: Hash) => (await permissions()).end(context),
        // A wallet without purses loads nothing of them.
        purses: async (lost?: readonly string[]) =>
          lost || (await keyring.records(purseKind)).length > 0 ? (await purses()).list(lost) : [],
        takeBack: async (address: Address) => (await purses()).takeBack(address, origin),
      };
    }),

    /** The transactions that were signed with the keys. */
    transactions: lazy(async () => (await core.signing()).transactions()),

    payments,

    contacts: lazy(async () => (await import('./contacts.js')).createContacts(core)),

    bitcoin: lazy(async () => (await import('./bitcoin.js')).createBitcoinSide(core)),

    allowances: lazy(async () => (await import('./allowances.js')).createAllowances(core, payments)),

    received: lazy(async () => (await import('./received.js')).createIncomingPayments(core)),

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
    readonly ownSite: boolean;
    /** Called when the passkeys have changed, which are not part of the session. */
    readonly changed: () => void;
  }
}
