import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { formatEther, parseEther } from 'viem';
import {
  useAccount,
  useBalance,
  useConnect,
  useDisconnect,
  useSendTransaction,
  useSignMessage,
  useWaitForTransactionReceipt,
  WagmiProvider,
} from 'wagmi';
import { config, openWallet } from './wagmi.js';

function App() {
  const { address, status } = useAccount();
  if (status === 'connected') return <Account address={address} />;
  return status === 'reconnecting' ? <p>One moment…</p> : <Connect />;
}

function Connect() {
  const { connect, connectors, error } = useConnect();
  return (
    <>
      {connectors.map((connector) => (
        <button key={connector.uid} type="button" onClick={() => connect({ connector })}>
          Connect {connector.name}
        </button>
      ))}
      <p role="alert">{explain(error)}</p>
    </>
  );
}

/** What went wrong, and what the wallet or the service says of it. */
const explain = (error) =>
  error && [error.shortMessage ?? error.message, error.details].filter(Boolean).join(' ');

function Account({ address }) {
  const { disconnect } = useDisconnect();
  const { data: balance } = useBalance({ address });
  const { signMessage, data: signature, error: refused } = useSignMessage();
  const { sendTransaction, data: hash, error: failed } = useSendTransaction();
  const { data: receipt } = useWaitForTransactionReceipt({ hash });
  const pay = () => sendTransaction({ to: address, value: parseEther('0.0001') });
  const error = refused ?? failed;
  return (
    <>
      <p id="account">{address}</p>
      <p id="balance">{balance && `${formatEther(balance.value)} ${balance.symbol}`}</p>
      <button type="button" onClick={() => signMessage({ message: 'Hello from React' })}>
        Sign
      </button>
      <button type="button" onClick={pay}>
        Pay
      </button>
      <button type="button" onClick={openWallet}>
        My wallet
      </button>
      <button type="button" onClick={() => disconnect()}>
        Disconnect
      </button>
      <p id="signature">{signature}</p>
      <p id="payment">{hash && `${hash} ${receipt?.status ?? 'waits for a block'}`}</p>
      <p role="alert">{explain(error)}</p>
    </>
  );
}

createRoot(document.getElementById('app')).render(
  <StrictMode>
    <WagmiProvider config={config}>
      <QueryClientProvider client={new QueryClient()}>
        <App />
      </QueryClientProvider>
    </WagmiProvider>
  </StrictMode>,
);
