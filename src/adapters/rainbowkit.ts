/** graft-wallet/rainbowkit: the wallet in the list of RainbowKit 2, which is a peer dependency. */
import { icon as graftIcon } from '../provider/icon.js';
import { type CreateGraftConnector, type GraftConnector, graft } from './wagmi.js';

/**
 * The wallet for a group of RainbowKit's `connectorsForWallets` or `getDefaultConfig`. It is listed as installed, and
 * connects as {@link graft} does.
 *
 * @example
 * import { getDefaultConfig } from '@rainbow-me/rainbowkit';
 *
 * const config = getDefaultConfig({
 *   appName: 'Example',
 *   projectId: '<PROJECT_ID>',
 *   chains: [rootstockTestnet],
 *   transports: { [rootstockTestnet.id]: graftTransport(wallet) },
 *   wallets: [{ groupName: 'Recommended', wallets: [graftWallet({ wallet })] }],
 * });
 */
export function graftWallet(options: graft.Options): () => RainbowKitWallet {
  const { id = 'graft', name = 'Graft', icon = graftIcon, rdns = 'io.github.graft-wallet' } = options;
  const create = graft(options);
  return () => ({
    id,
    name,
    rdns,
    iconUrl: icon,
    iconBackground: '#172b26',
    installed: true,
    // RainbowKit finds its own details of a wallet on the connector.
    createConnector: (details) => (config) => ({ ...create(config), ...details }),
  });
}

/** RainbowKit's `Wallet`, as far as it is used. */
export interface RainbowKitWallet {
  readonly id: string;
  readonly name: string;
  readonly rdns: string;
  readonly iconUrl: string;
  readonly iconBackground: string;
  readonly installed: true;
  createConnector(details: object): (config: Parameters<CreateGraftConnector>[0]) => GraftConnector;
}
