import { BrowserProvider, formatEther, parseEther } from 'ethers';
import { createWallet } from 'graft-wallet';
import { enableButtons, on, show } from './page.js';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
const wallet = createWallet({ networks: [{ chainId: 31, url }] });

const provider = new BrowserProvider(wallet.provider);
let signer;

async function showAccount() {
  const balance = await provider.getBalance(signer.address);
  show('account', `${signer.address} has ${formatEther(balance)} tRBTC`);
}

on('connect', async () => {
  signer = await provider.getSigner();
  await showAccount();
  enableButtons();
});

on('sign', async () => {
  show('signature', await signer.signMessage('Hello from ethers'));
});

on('pay', async () => {
  const sent = await signer.sendTransaction({ to: signer.address, value: parseEther('0.0001') });
  show('payment', `${sent.hash} waits for a block`);
  const { status } = await sent.wait();
  show('payment', `${sent.hash} ${status === 1 ? 'success' : 'reverted'}`);
  await showAccount();
});
