/** The wallet of the client matrix, in the dapp's own page or on an origin of its own. */

import { createWallet, type Wallet } from '../../../src/index.js';
import { hastenGuard } from '../../support/hasty-guard.js';
import { hastenKdf } from '../../support/hasty-kdf.js';
import { reportQuestions } from '../../support/report-questions.js';
import type { ChainToAdd } from '../clients/client.js';

hastenKdf();

export interface WalletSettings {
  readonly known: readonly ChainToAdd[];
  /** Milliseconds between two polls of the head. */
  readonly looks: number;
}

export function makeWallet(
  { known, looks }: WalletSettings,
  more: Partial<createWallet.Options> = {},
): Wallet {
  hastenGuard();
  reportQuestions();
  return createWallet({
    networks: known.map(({ chainId, name, url }) => ({ chainId, name, url })),
    name: 'clients',
    pollingInterval: looks,
    ...more,
  });
}
