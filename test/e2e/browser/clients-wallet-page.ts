/** The three documents of the wallet in `clients.test.ts`, on its own origin. */
import { serveBridge } from '../../../src/bridge/host.js';
import type { Wallet } from '../../../src/index.js';
import { makeWallet, type WalletSettings } from './clients-wallet.js';

export interface ClientsWalletPage {
  /** The wallet as the dapp has it. */
  readonly wallet: Wallet;
}

interface Settings extends WalletSettings {
  readonly allow: readonly string[];
  readonly frameMayAsk: readonly string[];
}

const { allow, frameMayAsk, ...settings }: Settings = JSON.parse(
  document.getElementById('config')?.textContent as string,
);
serveBridge({
  ...{ allow, frameMayAsk },
  wallet(origin, approver) {
    const wallet = makeWallet(settings, { origin, approver });
    Object.assign(window, { page: { wallet } satisfies ClientsWalletPage });
    return wallet;
  },
});
