import { createWallet } from 'graft-wallet';
import { graftTransport, rootstockTestnet } from 'graft-wallet/viem';
import { graft } from 'graft-wallet/wagmi';
import { createConfig } from 'wagmi';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';

// Once for the page, outside of every component: StrictMode renders components twice.
const wallet = createWallet({ networks: [{ chainId: rootstockTestnet.id, url }] });

export const config = createConfig({
  chains: [rootstockTestnet],
  connectors: [graft({ wallet })],
  transports: { [rootstockTestnet.id]: graftTransport(wallet) },
});

/** Balances, accounts, backup: what the wallet itself has. */
export const openWallet = () => wallet.open();
