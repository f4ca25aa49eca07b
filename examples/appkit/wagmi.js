import { createAppKit } from '@reown/appkit';
import { WagmiAdapter } from '@reown/appkit-adapter-wagmi';
import { createWallet } from 'graft-wallet';
import { graftTransport, rootstockTestnet } from 'graft-wallet/viem';
import { graft } from 'graft-wallet/wagmi';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
// Of your project at Reown, whose servers give AppKit the list of other wallets. This one is found without it.
const projectId = import.meta.env.VITE_PROJECT_ID ?? '0'.repeat(32);

const wallet = createWallet({ networks: [{ chainId: rootstockTestnet.id, url }] });
const networks = [rootstockTestnet];

const adapter = new WagmiAdapter({
  projectId,
  networks,
  connectors: [graft({ wallet })],
  transports: { [rootstockTestnet.id]: graftTransport(wallet) },
});

export const config = adapter.wagmiConfig;
export const kit = createAppKit({
  adapters: [adapter],
  networks,
  projectId,
  // Wallets only. With Base Account its SDK would load as well, and report to its own servers.
  enableBaseAccount: false,
  enableCoinbase: false,
  features: { analytics: false, email: false, socials: false },
});
