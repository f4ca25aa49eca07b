import { useEffect, useState } from 'react';
import { type Address, formatEther, parseEther } from 'viem';
import {
  useAccount,
  useBalance,
  useConnect,
  useDisconnect,
  useSendTransaction,
  useSignMessage,
  useWaitForTransactionReceipt,
} from 'wagmi';
import { openWallet } from './wagmi';

export function App() {
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

function Account({ address }: { address: Address }) {
  const { disconnect } = useDisconnect();
  // Read again every ten seconds while the page is visible, for what others pay, and after each payment of ours.
  const { data: balance, refetch } = useBalance({ address, query: { refetchInterval: 10_000 } });
  const { signMessage, data: signature } = useSignMessage();
  const { sendTransaction, data: hash } = useSendTransaction();
  const { data: receipt, error: failure } = useWaitForTransactionReceipt({ hash });
  useEffect(() => {
    if (receipt) refetch();
  }, [receipt, refetch]);
  // Of the last action only, whichever it was.
  const [error, setError] = useState<Error | null>(null);

  function sign() {
    setError(null);
    signMessage({ message: 'Hello from React' }, { onError: setError });
  }

  function pay() {
    setError(null);
    sendTransaction({ to: address, value: parseEther('0.0001') }, { onError: setError });
  }

  return (
    <>
      <p id="account">{address}</p>
      <p id="balance">{balance && `${formatEther(balance.value)} ${balance.symbol}`}</p>
      <button type="button" onClick={sign}>
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
      <p id="payment">{hash && `${hash} ${receipt?.status ?? explain(failure) ?? 'waits for a block'}`}</p>
      <p role="alert">{explain(error)}</p>
    </>
  );
}

/** What went wrong, and what the wallet or the service says of it. */
function explain(error: (Error & { shortMessage?: string; details?: string }) | null) {
  return error && [error.shortMessage ?? error.message, error.details].filter(Boolean).join(' ');
}
