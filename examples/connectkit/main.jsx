import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ConnectKitButton, ConnectKitProvider } from 'connectkit';
import { createRoot } from 'react-dom/client';
import { useAccount, useSignMessage, WagmiProvider } from 'wagmi';
import { config } from './wagmi.js';

function Account() {
  const { address } = useAccount();
  const { signMessage, data: signature, error } = useSignMessage();
  if (address === undefined) return null;
  return (
    <>
      <button type="button" onClick={() => signMessage({ message: 'Hello from ConnectKit' })}>
        Sign
      </button>
      <p id="account">{address}</p>
      <p id="signature">{signature ?? error?.shortMessage}</p>
    </>
  );
}

createRoot(document.getElementById('app')).render(
  <WagmiProvider config={config}>
    <QueryClientProvider client={new QueryClient()}>
      <ConnectKitProvider>
        <ConnectKitButton />
        <Account />
      </ConnectKitProvider>
    </QueryClientProvider>
  </WagmiProvider>,
);
