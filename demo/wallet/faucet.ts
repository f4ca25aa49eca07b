import { button, during, explain, say, section } from '../dom.js';
import { faucetOf } from './networks.js';

/** The amount that the faucet credits, in wei. */
const amount = 10n * 10n ** 18n;

/** Who gets coins. */
export interface Recipient {
  /** The first account; `undefined` before there is one. */
  account(): string | undefined;
  /** The URL of the active network's service; `undefined` where it is not known. */
  service(): string | undefined;
  /** Calls `listener` after each change of both. */
  watch(listener: () => void): void;
}

/** The button that gives coins of the local chain to the first account. Calls `done` when they have arrived. */
export function startFaucet({ account, service, watch }: Recipient, done: () => void): void {
  const show = () => {
    button('faucet').hidden = account() === undefined || faucetOf(service()) === null;
  };
  show();
  watch(show);
  const getCoins = async () => {
    const address = account();
    const faucet = faucetOf(service());
    if (address === undefined || faucet === null) return;
    const response = await fetch(faucet, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address, amount: `0x${amount.toString(16)}` }),
    });
    if (!response.ok) throw new Error(`The faucet gave nothing (HTTP ${response.status}).`);
    done();
  };
  button('faucet').addEventListener(
    'click',
    () => void during(button('faucet'), getCoins, (error) => say(section('service-error'), explain(error))),
  );
}
