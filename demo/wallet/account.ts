import { checksumAddress, type SessionAccount } from '../../src/index.js';
import { shorten, showAmount } from '../amounts.js';
import { button, during, explain, input, make, say, section } from '../dom.js';
import { avatar } from './avatar.js';
import { faucetOf } from './networks.js';
import type { Panel } from './panel.js';

/** The amount that the faucet credits, in wei. */
const faucetAmount = 10n * 10n ** 18n;

/** The card of the selected account, and the list of all accounts. */
export function startAccount(panel: Panel): void {
  const { wallet } = panel;
  const failed = (error: unknown) => say(section('home-error'), explain(error));
  const act = (id: string, task: () => Promise<void>) => {
    say(section('home-error'), '');
    void during(button(id), task, failed);
  };
  /** The address with the checksum of the active network (ERC-1191). */
  const checksummed = (account: SessionAccount) => checksumAddress(account.address, wallet.network().chainId);

  panel.watch(({ vault, account, accounts, balance }) => {
    if (!account) return;
    const isLocked = vault === 'locked';
    const faucet = faucetOf(wallet.network().urls[0]);
    section('account-avatar').replaceChildren(avatar(account.address));
    say(section('account-label'), account.label);
    say(section('lock-state'), isLocked ? 'Locked' : 'Unlocked');
    section('lock-state').dataset.locked = String(isLocked);
    say(section('balance'), balance === null ? '–' : showAmount(balance));
    say(section('balance-symbol'), wallet.network().currency.symbol);
    const address = checksummed(account);
    say(section('account-address'), shorten(address, 8));
    button('copy-address').title = address;
    button('copy-address').setAttribute('aria-label', `Copy address ${address}`);
    button('lock').hidden = isLocked;
    section('unlock-form').hidden = !isLocked;
    section('account-buttons').hidden = isLocked && faucet === null;
    button('faucet').hidden = faucet === null;
    button('faucet').className = isLocked ? 'secondary' : 'primary';
    button('add-account').hidden = isLocked;
    section('accounts-section').hidden = accounts.length < 2;
    section('accounts').replaceChildren(...accounts.map((each) => row(each, each === account)));
  });

  const row = (account: SessionAccount, isSelected: boolean) => {
    const starter = make(
      'button',
      { type: 'button', class: 'account-row', 'aria-pressed': String(isSelected) },
      avatar(account.address),
      make('span', {}, make('b', {}, account.label), make('code', {}, shorten(checksummed(account), 5))),
    );
    starter.addEventListener('click', () => panel.select(account.address));
    return make('li', {}, starter);
  };

  button('copy-address').addEventListener('click', async () => {
    const { account } = panel.shown();
    if (!account) return;
    await navigator.clipboard.writeText(checksummed(account));
    say(section('copy-note'), 'Copied');
    setTimeout(() => say(section('copy-note'), 'Copy'), 1_500);
  });
  button('faucet').addEventListener('click', () => act('faucet', getCoins));
  button('add-account').addEventListener('click', () =>
    act('add-account', async () => panel.select((await wallet.addAccount()).address)),
  );
  button('lock').addEventListener('click', () => act('lock', wallet.lock));
  section('unlock-form').addEventListener('submit', (event) => {
    event.preventDefault();
    act('unlock', async () => {
      await wallet.unlock(input('unlock-password').value);
      input('unlock-password').value = '';
    });
  });

  async function getCoins(): Promise<void> {
    const { account } = panel.shown();
    const faucet = faucetOf(wallet.network().urls[0]);
    if (!account || faucet === null) return;
    const response = await fetch(faucet, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address: account.address, amount: `0x${faucetAmount.toString(16)}` }),
    });
    if (!response.ok) throw new Error(`The faucet gave nothing (HTTP ${response.status}).`);
    await panel.refresh();
  }
}
