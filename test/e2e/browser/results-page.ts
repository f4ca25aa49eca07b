/** The page of `results.test.ts`: an app with a row of buttons at its lower edge, and a wallet in the page. */

import { createWallet, type Hex } from '../../../src/index.js';
import { dialog } from '../../../src/ui/index.js';
import { hastenGuard } from '../../support/hasty-guard.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();
hastenGuard();

export interface ResultsPage {
  /** Makes the wallet and connects the page. Resolves with the account. */
  start(key: Hex): Promise<Hex>;
  /** Asks for a request and notes what comes of it. */
  ask(method: string, ...params: readonly unknown[]): void;
  /** Results, and the codes of errors. */
  readonly outcomes: unknown[];
  lock(): Promise<void>;
  destroy(): void;
}

const query = new URLSearchParams(location.search);
const wallet = createWallet({
  networks: [{ chainId: 31, url: query.get('url') as string }],
  pollingInterval: 200,
  look: { results: query.get('results') !== 'off' },
  ...(query.get('approver') === 'own' && { approver: () => dialog() }),
});
const request = wallet.provider.request as (args: object) => Promise<unknown>;

const page: ResultsPage = {
  async start(key) {
    const { address } = await wallet.importPrivateKey(key, { password: 'a password of this page' });
    await request({ method: 'eth_requestAccounts' });
    return address;
  },
  ask(method, ...params) {
    request({ method, params }).then(
      (result) => page.outcomes.push(result),
      ({ code }) => page.outcomes.push(code),
    );
  },
  outcomes: [],
  lock: () => wallet.lock(),
  destroy: () => wallet.destroy(),
};

Object.assign(window, { page });
