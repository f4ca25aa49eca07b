import createOnboard from '@web3-onboard/core';
import injected from '@web3-onboard/injected-wallets';
import { BrowserProvider, formatEther, parseEther } from 'ethers';
import { createWallet } from 'graft-wallet';
import { enableButtons, on, show } from './page.js';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
// Announced before the list of wallets is made: web3-onboard finds it there as any other one.
createWallet({ networks: [{ chainId: 31, url }] }).announce();

const onboard = createOnboard({
  wallets: [injected()],
  chains: [{ id: 31, token: 'tRBTC', label: 'Rootstock Testnet', rpcUrl: url }],
  accountCenter: { desktop: { enabled: false }, mobile: { enabled: false } },
  disableFontDownload: true,
});
let provider;
let signer;

async function showAccount() {
  const balance = await provider.getBalance(signer.address);
  show('account', `${signer.address} has ${formatEther(balance)} tRBTC`);
}

on('connect', async () => {
  const [connected] = await onboard.connectWallet();
  // Nothing was chosen, or the person refused: web3-onboard has said so itself.
  if (connected === undefined) return;
  provider = new BrowserProvider(connected.provider);
  signer = await provider.getSigner();
  await showAccount();
  enableButtons();
});

on('sign', async () => {
  show('signature', await signer.signMessage('Hello from web3-onboard'));
});

on('pay', async () => {
  const sent = await signer.sendTransaction({ to: signer.address, value: parseEther('0.0001') });
  show('payment', `${sent.hash} waits for a block`);
  const { status } = await sent.wait();
  show('payment', `${sent.hash} ${status === 1 ? 'success' : 'reverted'}`);
  await showAccount();
});
