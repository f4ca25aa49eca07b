/** The wallet of this page: Graft, with a panel to manage it. */
import { createWallet } from '../../src/index.js';
import { explain, make, say, section } from '../dom.js';
import { startAccount } from './account.js';
import { showUsage, startActivity } from './activity.js';
import { startExport } from './export.js';
import { followHeads, startNetwork } from './network.js';
import { configuredNetworks } from './networks.js';
import { createPanel } from './panel.js';
import { startSettings } from './settings.js';
import { startSite } from './site.js';
import { startBackup, startStart } from './start.js';

const wallet = createWallet({ networks: configuredNetworks(), name: 'demo' });
wallet.announce({ window: true });

const panel = createPanel(wallet);
let isBackingUp = false;

const startBackingUp = startBackup(
  () => wallet.network().testnet,
  () => {
    isBackingUp = false;
    void refresh();
  },
);
startStart(panel, async (create) => {
  isBackingUp = true;
  try {
    startBackingUp(await create());
  } catch (error) {
    isBackingUp = false;
    throw error;
  }
});
startAccount(panel);
startNetwork(panel, startSettings(wallet));
startSite(panel);
startActivity(panel);
startExport(panel);

panel.watch(({ vault, balance }) => {
  const hasWallet = vault === 'locked' || vault === 'unlocked';
  section('wallet-loading').hidden = true;
  section('wallet-start').hidden = hasWallet;
  section('wallet-backup').hidden = !hasWallet || !isBackingUp;
  section('wallet-home').hidden = !hasWallet || isBackingUp;
  section('lock').hidden = vault !== 'unlocked' || isBackingUp;
  const isConnected = (wallet.state().permissions[location.origin]?.accounts.length ?? 0) > 0;
  step('step-create', hasWallet && !isBackingUp);
  step('step-coins', balance !== null && balance > 0n);
  step('step-connect', isConnected);
});

/** Marks a step as done, visibly and for screen readers. */
function step(id: string, isDone: boolean): void {
  const item = section(id);
  if (item.hasAttribute('data-done') === isDone) return;
  item.toggleAttribute('data-done', isDone);
  item.querySelector('.unseen')?.remove();
  if (isDone) item.append(make('span', { class: 'unseen' }, ' (done)'));
}

async function refresh(): Promise<void> {
  try {
    await panel.refresh();
    say(section('service-error'), '');
  } catch (error) {
    say(section('wallet-loading'), explain(error));
    say(section('service-error'), explain(error));
  }
  showUsage(wallet);
}

wallet.watch(() => void refresh());
followHeads(wallet, () => void refresh());
void refresh();
