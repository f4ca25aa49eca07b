import { ConnectButton, getDefaultConfig, RainbowKitProvider } from '@rainbow-me/rainbowkit';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { rootstockTestnet } from 'viem/chains';
import { http, useAccount, WagmiProvider } from 'wagmi';
import { createWallet } from '../../../src/index.js';

const Account = () => createElement('p', { id: 'account' }, useAccount().address);

/** The RainbowKit page of `life.test.ts`: as RainbowKit's guide makes it, with the wallet announced beside it. */
export function startPage(): void {
  const url = new URLSearchParams(location.search).get('service') as string;
  const wallet = createWallet({ networks: [{ chainId: 31, url }] });
  wallet.announce();
  Object.assign(window, { graft: wallet });

  const config = getDefaultConfig({
    appName: 'A page',
    // Only WalletConnect needs one, and nobody here connects through it.
    projectId: '0'.repeat(32),
    chains: [rootstockTestnet],
    transports: { [rootstockTestnet.id]: http(url) },
  });
  const open = () => void wallet.open();
  const content = [
    createElement(ConnectButton, { key: 'connect' }),
    createElement(Account, { key: 'account' }),
    createElement('button', { key: 'wallet', id: 'wallet', type: 'button', onClick: open }, 'My wallet'),
  ];

  // Without a graphics card, Chromium takes most of a processor to paint the spinner that waits behind our dialog.
  const still = document.createElement('style');
  still.textContent = '[data-rk] * { animation: none !important; }';
  document.head.append(still);

  const root = document.createElement('div');
  document.body.append(root);
  createRoot(root).render(
    createElement(
      WagmiProvider,
      { config },
      createElement(
        QueryClientProvider,
        { client: new QueryClient() },
        createElement(RainbowKitProvider, null, content),
      ),
    ),
  );
}
