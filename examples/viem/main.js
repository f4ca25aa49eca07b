import { createWallet } from 'graft-wallet';
import { rootstockTestnet as chain, graftTransport } from 'graft-wallet/viem';
import { createPublicClient, createWalletClient, formatEther, parseEther } from 'viem';
import { enableButtons, on, show } from './page.js';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
const wallet = createWallet({ networks: [{ chainId: chain.id, url }] });

const transport = graftTransport(wallet);
const reader = createPublicClient({ chain, transport });
const writer = createWalletClient({ chain, transport });
let account;

async function showAccount() {
  const balance = await reader.getBalance({ address: account });
  show('account', `${account} has ${formatEther(balance)} tRBTC`);
}

on('connect', async () => {
  [account] = await writer.requestAddresses();
  await showAccount();
  enableButtons();
});

on('sign', async () => {
  show('signature', await writer.signMessage({ account, message: 'Hello from viem' }));
});

on('pay', async () => {
  const hash = await writer.sendTransaction({ account, to: account, value: parseEther('0.0001') });
  show('payment', `${hash} waits for a block`);
  const { status } = await reader.waitForTransactionReceipt({ hash });
  show('payment', `${hash} ${status}`);
  await showAccount();
});
