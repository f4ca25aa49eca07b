/**
 * A plain dapp: it does not import the wallet, but discovers it by EIP-6963 and uses it by EIP-1193. A test checks the
 * imports.
 */
import { shorten, showAmount } from '../amounts.js';
import { button, choice, during, explain, input, make, say, section } from '../dom.js';
import { readNumber } from './abi.js';
import { type Connection, createConnections } from './connection.js';
import { type Discovered, discover } from './eip1193.js';
import { createLive } from './live.js';
import { startPayment } from './payment.js';
import { startPlay } from './play.js';
import { createReceipts } from './receipt.js';
import { startSigning } from './signing.js';
import { startToken } from './token.js';
import { createWire } from './wire.js';

const chains: Readonly<Record<number, { readonly name: string; readonly symbol: string }>> = {
  30: { name: 'Rootstock Mainnet', symbol: 'RBTC' },
  31: { name: 'Rootstock Testnet', symbol: 'tRBTC' },
  33: { name: 'Rootstock Local', symbol: 'tRBTC' },
};
/** A recipient that is filled in on the local chain, where coins have no value. */
const exampleRecipient = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';

const connections = createConnections(createWire().through);
const live = createLive(connections);
const receipt = createReceipts(live);
let connected: Connection | null = null;

const connection = (): Connection => {
  if (!connected) throw new Error('Connect a wallet first.');
  return connected;
};

startPayment(connection, receipt);
startPlay(connection, receipt);
startSigning(connection);
const token = startToken(connection, receipt, live);

connections.watch((next) => {
  const previous = connected;
  connected = next;
  section('connect').hidden = next !== null;
  section('connected').hidden = next === null;
  button('disconnect').hidden = next === null;
  section('actions').toggleAttribute('disabled', next === null);
  if (next) show(next);
  if (next?.chainId !== previous?.chainId || next?.account !== previous?.account) {
    say(section('dapp-error'), '');
    void token.changed(next).catch(() => undefined);
    if (next?.chainId !== previous?.chainId)
      for (const id of ['pay-to', 'token-to']) input(id).value = next?.chainId === 33 ? exampleRecipient : '';
  }
});

function show({ account, chainId }: Connection): void {
  const chain = chains[chainId] ?? { name: `Chain ${chainId}`, symbol: 'coins' };
  say(section('dapp-account'), shorten(account, 6));
  section('dapp-account').title = account;
  say(section('pay-unit'), chain.symbol);
  const known = { ...chains, [chainId]: chain };
  choice('dapp-chain').replaceChildren(
    ...Object.entries(known).map(([id, { name }]) => make('option', { value: id }, name)),
  );
  choice('dapp-chain').value = String(chainId);
  void showBalance();
}

async function showBalance(): Promise<void> {
  const from = connected;
  if (!from) return;
  try {
    const balance = readNumber(await from.request('eth_getBalance', [from.account, 'latest']));
    const symbol = chains[from.chainId]?.symbol ?? '';
    if (from === connected) say(section('dapp-balance'), `${showAmount(balance)} ${symbol}`);
  } catch (error) {
    if (from === connected) say(section('dapp-balance'), explain(error));
  }
}
live.onBlock(() => void showBalance());

choice('dapp-chain').addEventListener('change', async () => {
  const { request, chainId } = connection();
  try {
    const wanted = Number(choice('dapp-chain').value);
    await request('wallet_switchEthereumChain', [{ chainId: `0x${wanted.toString(16)}` }]);
    say(section('dapp-error'), '');
  } catch (error) {
    choice('dapp-chain').value = String(chainId);
    say(section('dapp-error'), explain(error));
  }
});

button('disconnect').addEventListener(
  'click',
  () => void during(button('disconnect'), connections.disconnect, connectFailed),
);

discover((wallet) => {
  section('no-wallets').hidden = true;
  section('wallets').append(make('li', {}, connectButton(wallet)));
  void connections.resume(wallet).catch(connectFailed);
});

function connectButton(wallet: Discovered): HTMLElement {
  const { name, icon, rdns } = wallet.info;
  const starter = make(
    'button',
    { type: 'button', class: 'wallet-choice', 'data-rdns': rdns },
    make('img', { src: icon, alt: '', width: '40', height: '40' }),
    make('span', {}, make('b', {}, `Connect ${name}`), make('small', {}, rdns)),
  );
  starter.addEventListener('click', () => {
    say(section('connect-error'), '');
    void during(starter, () => connections.connect(wallet), connectFailed);
  });
  return starter;
}

function connectFailed(error: unknown): void {
  say(section('connect-error'), explain(error));
}
