/** The bridge to the wallet on its own site, in place of a wallet in this page. */
import { local } from 'virtual:local-service';
import { connectBridge } from '../../src/bridge/client.js';
import { button, during, explain, say, section } from '../dom.js';
import { walletOrigin } from '../places.js';
import { step } from '../steps.js';
import { startFaucet } from '../wallet/faucet.js';
import { followHeads } from '../wallet/network.js';

const bridge = connectBridge({ host: walletOrigin });
const { provider } = bridge;
bridge.announce({ window: true });

say(section('wallet-lead'), `Graft, at ${new URL(walletOrigin).host}`);
say(section('headline'), 'A wallet on a site of its own.');
const failed = (error: unknown) => say(section('service-error'), explain(error));
const open = (view: string) => during(button('open-wallet'), () => bridge.open(view), failed);
button('open-wallet').addEventListener('click', () => void open('home'));
button('network-chip').addEventListener('click', () => void open('networks'));

const account = () => bridge.state().accounts[0];
const watch = (listener: () => void) => {
  provider.on('accountsChanged', listener);
  provider.on('chainChanged', listener);
  provider.on('connect', listener);
};
const isLocal = () => local !== null && bridge.state().chainId === local.chainId;
startFaucet({ account, service: () => (isLocal() ? local?.url : undefined), watch }, () => void refresh());

const names: Readonly<Record<number, string>> = {
  30: 'Rootstock Mainnet',
  31: 'Rootstock Testnet',
  33: 'Rootstock Local',
};

async function refresh(): Promise<void> {
  const { chainId } = bridge.state();
  say(section('network-name'), chainId === null ? 'Starting…' : (names[chainId] ?? `Chain ${chainId}`));
  button('network-chip').dataset.testnet = String(chainId !== 30);
  const address = account();
  step('step-create', address !== undefined);
  step('step-connect', address !== undefined);
  if (address === undefined) return;
  try {
    const balance = await provider.request({ method: 'eth_getBalance', params: [address, 'latest'] });
    step('step-coins', BigInt(balance) > 0n);
    say(section('service-error'), '');
  } catch (error) {
    failed(error);
  }
}

watch(() => void refresh());
followHeads(provider, () => void refresh());
void refresh();
