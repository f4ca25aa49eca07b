/** The wallet of this page: Graft, and the panel that comes with it. */
import { createWallet } from '../../src/index.js';
import { inspector } from '../../src/inspect/index.js';
import { panel } from '../../src/ui/index.js';
import { explain, say, section } from '../dom.js';
import { step } from '../steps.js';
import { startFaucet } from './faucet.js';
import { followHeads, startNetwork } from './network.js';
import { configuredNetworks } from './networks.js';
import { startSettings } from './settings.js';
import { startTrust } from './trust.js';
import { showUsage } from './usage.js';

const wallet = createWallet({ networks: configuredNetworks(), name: 'demo' });
// Before the first request of the service, so that none is missed.
inspector(section('inspector'), wallet);
wallet.announce({ window: true });

let remove = panel(section('panel'), wallet);
startNetwork(wallet, startSettings(wallet));
startTrust(wallet);
const recipient = {
  account: () => wallet.state().accounts[0]?.address,
  service: () => wallet.network().urls[0],
  watch: wallet.watch,
};
startFaucet(recipient, () => {
  // New coins are shown at once, and not when the panel reads the balance next.
  remove();
  remove = panel(section('panel'), wallet);
  void refresh();
});

async function refresh(): Promise<void> {
  const vault = await wallet.vaultState();
  const [account] = wallet.state().accounts;
  const hasWallet = vault === 'locked' || vault === 'unlocked';
  step('step-create', hasWallet);
  step('step-connect', (wallet.state().permissions[location.origin]?.accounts.length ?? 0) > 0);
  showUsage(wallet);
  if (!account) return;
  try {
    const params = [account.address, 'latest'] as const;
    const balance = await wallet.provider.request({ method: 'eth_getBalance', params });
    step('step-coins', BigInt(balance) > 0n);
    say(section('service-error'), '');
  } catch (error) {
    say(section('service-error'), explain(error));
  }
}

wallet.watch(() => void refresh());
followHeads(wallet.provider, () => void refresh());
void refresh();
