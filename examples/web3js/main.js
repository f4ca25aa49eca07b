import { createWallet } from 'graft-wallet';
import { Web3 } from 'web3';
import { enableButtons, on, show } from './page.js';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
const wallet = createWallet({ networks: [{ chainId: 31, url }] });

const web3 = new Web3(wallet.provider);
// Rootstock has no base fee: the default, a transaction of EIP-1559, web3.js would refuse to make.
web3.setConfig({ defaultTransactionType: '0x0' });
let account;

async function showAccount() {
  const balance = await web3.eth.getBalance(account);
  show('account', `${account} has ${web3.utils.fromWei(balance, 'ether')} tRBTC`);
}

on('connect', async () => {
  [account] = await web3.eth.requestAccounts();
  await showAccount();
  enableButtons();
});

on('sign', async () => {
  const message = web3.utils.utf8ToHex('Hello from web3.js');
  show('signature', await web3.eth.personal.sign(message, account, ''));
});

on('pay', async () => {
  const value = web3.utils.toWei('0.0001', 'ether');
  const sending = web3.eth.sendTransaction({ from: account, to: account, value });
  sending.once('transactionHash', (hash) => show('payment', `${hash} waits for a block`));
  const { transactionHash, status } = await sending;
  show('payment', `${transactionHash} ${status === 1n ? 'success' : 'reverted'}`);
  await showAccount();
});
