/** The wallet of MetaMask's test dapp, in the dapp's own page or on an origin of its own. */

import type { Approver } from '../../../src/approvals/question.js';
import { createWallet, type Wallet } from '../../../src/index.js';
import { hastenGuard } from '../../support/hasty-guard.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

export interface TestDappSettings {
  /** URLs of the services of the chains 33 and 1. */
  readonly service: string;
  readonly mainnet: string;
}

const ether = { name: 'Ether', symbol: 'ETH', decimals: 18 };

/** @param person asks; `window.asked` is called with the kind of each question */
export function makeWallet(
  { service, mainnet }: TestDappSettings,
  person: () => Promise<Approver>,
  more: Partial<createWallet.Options> = {},
): Wallet {
  hastenGuard();
  const { asked } = window as unknown as { asked(kind: string): void };
  return createWallet({
    networks: [
      { chainId: 33, url: service },
      { chainId: 1, url: mainnet, name: 'Ethereum Mainnet', currency: ether },
    ],
    name: 'test-dapp',
    pollingInterval: 300,
    async approver() {
      const { ask } = await person();
      return {
        ask(question, session) {
          asked(question.kind);
          return ask(question, session);
        },
      };
    },
    ...more,
  });
}
