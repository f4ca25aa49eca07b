import type { Wallet } from '../../src/index.js';
import { button, during, explain, say, section } from '../dom.js';
import { faucetOf } from './networks.js';

/** The amount that the faucet credits, in wei. */
const amount = 10n * 10n ** 18n;

/** The button that gives coins of the local chain to the first account. Calls `done` when they have arrived. */
export function startFaucet(wallet: Wallet, done: () => void): void {
  const show = () => {
    const hasAccount = wallet.state().accounts.length > 0;
    button('faucet').hidden = !hasAccount || faucetOf(wallet.network().urls[0]) === null;
  };
  show();
  wallet.watch(show);
  const getCoins = async () => {
    const [account] = wallet.state().accounts;
    const faucet = faucetOf(wallet.network().urls[0]);
    if (!account || faucet === null) return;
    const response = await fetch(faucet, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address: account.address, amount: `0x${amount.toString(16)}` }),
    });
    if (!response.ok) throw new Error(`The faucet gave nothing (HTTP ${response.status}).`);
    done();
  };
  button('faucet').addEventListener(
    'click',
    () => void during(button('faucet'), getCoins, (error) => say(section('service-error'), explain(error))),
  );
}
