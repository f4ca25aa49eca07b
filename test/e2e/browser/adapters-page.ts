import { ConnectButton, connectorsForWallets, RainbowKitProvider } from '@rainbow-me/rainbowkit';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { createConfig, useAccount, useSendTransaction, useSwitchChain, WagmiProvider } from 'wagmi';
import { graftWallet } from '../../../src/adapters/rainbowkit.js';
import { graftTransport, rootstockRegtest, rootstockTestnet } from '../../../src/adapters/viem.js';
import { createWallet } from '../../../src/index.js';

/** What the test looks at. */
export interface AdaptersPage {
  /** How often React ran the effect that announces the wallet. */
  effects: number;
  /** The ids of wagmi's connectors, as the list has them. */
  connectors(): string[];
  /** Listeners of each event at the provider. */
  listeners(): number[];
}

/** RainbowKit in React's StrictMode, with the wallet in its list and announced by an effect. */
export function startPage(): void {
  const urls = new URLSearchParams(location.search);
  const wallet = createWallet({
    networks: [
      { chainId: 31, url: urls.get('testnet') as string },
      { chainId: 33, url: urls.get('regtest') as string },
    ],
  });
  const config = createConfig({
    chains: [rootstockTestnet, rootstockRegtest],
    connectors: connectorsForWallets(
      [{ groupName: 'Recommended', wallets: [graftWallet({ wallet })] }],
      // Only WalletConnect needs one, and nobody here connects through it.
      { appName: 'A page', projectId: '0'.repeat(32) },
    ),
    transports: {
      [rootstockTestnet.id]: graftTransport(wallet),
      [rootstockRegtest.id]: graftTransport(wallet),
    },
  });
  const events = ['accountsChanged', 'chainChanged', 'connect', 'disconnect'];
  const seen: AdaptersPage = {
    effects: 0,
    connectors: () => config.connectors.map(({ id }) => id),
    listeners: () => events.map((event) => wallet.provider.listenerCount(event)),
  };
  Object.assign(window, { graft: wallet, seen });

  function App() {
    const { address, chainId } = useAccount();
    const { sendTransaction, data: hash, error } = useSendTransaction();
    const { switchChain } = useSwitchChain();
    useEffect(() => {
      seen.effects += 1;
      return wallet.announce();
    }, []);
    const button = (id: string, onClick: () => void) =>
      createElement('button', { key: id, id, type: 'button', onClick }, id);
    return [
      createElement(ConnectButton, { key: 'connect' }),
      createElement('p', { key: 'account', id: 'account' }, address && `${address} on ${chainId}`),
      button('pay', () => sendTransaction({ ...(address && { to: address }), value: 1n })),
      button('switch', () => switchChain({ chainId: rootstockRegtest.id })),
      createElement('p', { key: 'hash', id: 'hash' }, hash ?? error?.name),
    ];
  }

  // Without a graphics card, Chromium takes most of a processor to paint the spinner that waits behind our dialog.
  const still = document.createElement('style');
  still.textContent = '[data-rk] * { animation: none !important; }';
  document.head.append(still);

  const root = document.createElement('div');
  document.body.append(root);
  const kit = createElement(RainbowKitProvider, null, createElement(App));
  const query = createElement(QueryClientProvider, { client: new QueryClient() }, kit);
  createRoot(root).render(createElement(StrictMode, null, createElement(WagmiProvider, { config }, query)));
}
