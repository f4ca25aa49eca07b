import { findForeignEndpoint, requireOwnName } from '../methods/add-chain.js';
import type { Context } from '../methods/context.js';
import { invalidParams } from '../rpc/errors.js';
import { createNetworks, type Network, type NetworkOptions } from '../service/networks.js';

/** The networks that the owner adds to the configured ones. They are kept over reloads. */
export interface AddedNetworks {
  /**
   * Adds a network once an endpoint has confirmed its chain id, without a dialog. The active network stays. Its URL is kept
   * where every script of the origin can read it, with the key in it.
   *
   * @example
   * await wallet.addNetwork({ chainId: 30, url: 'https://public-node.rsk.co' });
   *
   * @throws ProviderRpcError -32602 for invalid options, a chain that is known, the name of another network, or an endpoint of
   * another chain; as a read of the service if none can be reached
   */
  addNetwork(options: NetworkOptions): Promise<Network>;
  /**
   * Removes a network that a page or the owner has added. If it is active, the first configured one becomes active.
   * Transactions of it stay in the journal, and are not sent again unless it is added again.
   *
   * @example
   * await wallet.removeNetwork(30);
   *
   * @throws ProviderRpcError -32602 for a chain that was not added
   */
  removeNetwork(chainId: number): Promise<void>;
}

export function createAddedNetworks(options: createAddedNetworks.Options): AddedNetworks {
  const { context, configured } = options;
  const { session, networks } = context;
  return {
    async addNetwork(given) {
      const [network] = createNetworks([given]) as [Network];
      const requireUnknown = () => {
        if (networks.has(network.chainId))
          throw invalidParams('chainId: the wallet knows this chain already');
      };
      requireUnknown();
      requireOwnName(network, networks, 'name');
      const foreign = await findForeignEndpoint(context, network);
      if (foreign !== null) throw invalidParams(`url[${foreign}]: it serves another chain`);
      requireUnknown();
      context.addNetwork(network);
      return network;
    },
    async removeNetwork(chainId) {
      const [first] = configured as [Network];
      if (configured.some((network) => network.chainId === chainId))
        throw invalidParams('chainId: the network belongs to the configuration of this page');
      if (!networks.has(chainId)) throw invalidParams('chainId: no network with this chain id was added');
      session.update((state) => ({
        ...state,
        chainId: state.chainId === chainId ? first.chainId : state.chainId,
        chains: Object.fromEntries(Object.entries(state.chains).filter(([, id]) => id !== chainId)),
        networks: state.networks.filter((network) => network.chainId !== chainId),
      }));
    },
  };
}

export declare namespace createAddedNetworks {
  interface Options {
    readonly context: Pick<Context, 'session' | 'networks' | 'addNetwork' | 'probe'>;
    /** At least one. */
    readonly configured: readonly Network[];
  }
}
