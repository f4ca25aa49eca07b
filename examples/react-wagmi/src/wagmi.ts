import { createWallet } from 'graft-wallet';
import { graftTransport, rootstockTestnet } from 'graft-wallet/viem';
import { graft } from 'graft-wallet/wagmi';
import { createConfig } from 'wagmi';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';

// Once for the page, and in a module without components: React renders components again and again.
const wallet = createWallet({ networks: [{ chainId: rootstockTestnet.id, url }] });

export const config = createConfig({
  chains: [rootstockTestnet],
  connectors: [graft({ wallet })],
  transports: { [rootstockTestnet.id]: graftTransport(wallet) },
});

/** Opens the panel of the wallet: balances, accounts, backup. */
export const openWallet = () => wallet.open();
