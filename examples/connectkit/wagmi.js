import { getDefaultConfig } from 'connectkit';
import { createWallet } from 'graft-wallet';
import { graftTransport, rootstockTestnet } from 'graft-wallet/viem';
import { createConfig } from 'wagmi';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
const wallet = createWallet({ networks: [{ chainId: rootstockTestnet.id, url }] });
// ConnectKit takes a connector that it does not know for an extension that is missing, so the wallet is announced instead.
wallet.announce();

export const config = createConfig(
  getDefaultConfig({
    appName: 'Example',
    chains: [rootstockTestnet],
    connectors: [],
    transports: { [rootstockTestnet.id]: graftTransport(wallet) },
  }),
);
