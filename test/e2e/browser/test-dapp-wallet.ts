/** The wallet of MetaMask's test dapp, in the dapp's own page or on an origin of its own. */

import type { Approver } from '../../../src/approvals/question.js';
import { createWallet, type Wallet } from '../../../src/index.js';
import { hastenGuard } from '../../support/hasty-guard.js';
import { hastenKdf } from '../../support/hasty-kdf.js';
import { reportQuestions } from '../../support/report-questions.js';

hastenKdf();

export interface TestDappSettings {
  /** URLs of the services of the chains 33 and 1. */
  readonly service: string;
  readonly mainnet: string;
}

const ether = { name: 'Ether', symbol: 'ETH', decimals: 18 };

/** @param person asks; `window.asked` is called with the kind of each question that is drawn */
export function makeWallet(
  { service, mainnet }: TestDappSettings,
  person: () => Promise<Approver>,
  more: Partial<createWallet.Options> = {},
): Wallet {
  hastenGuard();
  reportQuestions();
  return createWallet({
    networks: [
      { chainId: 33, url: service },
      { chainId: 1, url: mainnet, name: 'Ethereum Mainnet', currency: ether },
    ],
    name: 'test-dapp',
    pollingInterval: 300,
    approver: person,
    ...more,
  });
}
