/** The wallet of this page: Graft, and the panel that comes with it. */
import { createWallet } from '../../src/index.js';
import { panel } from '../../src/ui/index.js';
import { explain, make, say, section } from '../dom.js';
import { startFaucet } from './faucet.js';
import { followHeads, startNetwork } from './network.js';
import { configuredNetworks } from './networks.js';
import { startSettings } from './settings.js';
import { showUsage } from './usage.js';

const wallet = createWallet({ networks: configuredNetworks(), name: 'demo' });
wallet.announce({ window: true });

let remove = panel(section('panel'), wallet);
startNetwork(wallet, startSettings(wallet));
startFaucet(wallet, () => {
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

/** Marks a step as done, visibly and for screen readers. */
function step(id: string, isDone: boolean): void {
  const item = section(id);
  if (item.hasAttribute('data-done') === isDone) return;
  item.toggleAttribute('data-done', isDone);
  item.querySelector('.unseen')?.remove();
  if (isDone) item.append(make('span', { class: 'unseen' }, ' (done)'));
}

wallet.watch(() => void refresh());
followHeads(wallet, () => void refresh());
void refresh();
