/** The wallet's documents in `bridge.ts`: the frame in a dapp's page, and a tab of its own that pays and listens too. */

import { headless } from '../../packages/kit/src/testing/index.js';
import { serveBridge } from '../../src/bridge/host.js';
import { createWallet, type RecordedTransaction } from '../../src/index.js';
import { hastenGuard } from '../support/hasty-guard.js';
import { reportQuestions } from '../support/report-questions.js';
import { createSoakPage, type SoakPage } from './bridge-page.js';

/** In the wallet's own tab. */
export interface SoakWalletPage extends SoakPage {
  /** Imports the key. Resolves with the account. */
  make(privateKey: string, password: string): Promise<string>;
  transactions(): Promise<readonly RecordedTransaction[]>;
}

interface Config {
  readonly url: string;
  readonly allow: readonly string[];
  readonly password: string;
}

const { url, allow, password } = JSON.parse(
  document.getElementById('config')?.textContent as string,
) as Config;
const options = { networks: [{ chainId: 33, url }], name: 'soak', pollingInterval: 200 };

if (location.pathname === '/') {
  const wallet = createWallet({ ...options, approver: () => headless({ password }) });
  const page: SoakWalletPage = {
    ...createSoakPage(wallet.provider),
    make: async (privateKey, secret) =>
      (await wallet.importPrivateKey(privateKey as `0x${string}`, { password: secret })).address,
    transactions: () => wallet.transactions({ limit: 10_000 }),
  };
  Object.assign(window, { page });
} else {
  hastenGuard();
  reportQuestions();
  serveBridge({ allow, wallet: (origin, approver) => createWallet({ ...options, origin, approver }) });
}
