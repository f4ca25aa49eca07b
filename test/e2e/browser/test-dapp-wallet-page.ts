/** The documents of the wallet of MetaMask's test dapp, on its own origin. */
import { serveBridge } from '../../../src/bridge/host.js';
import type { Wallet } from '../../../src/index.js';
import { makeWallet, type TestDappSettings } from './test-dapp-wallet.js';

export interface TestDappWalletPage {
  readonly wallet: Wallet;
}

interface Settings extends TestDappSettings {
  readonly allow: readonly string[];
  readonly frameMayAsk: readonly string[];
}

const { allow, frameMayAsk, ...settings }: Settings = JSON.parse(
  document.getElementById('config')?.textContent as string,
);
serveBridge({
  ...{ allow, frameMayAsk },
  wallet(origin, approver) {
    const wallet = makeWallet(settings, approver, { origin });
    Object.assign(window, { page: { wallet } satisfies TestDappWalletPage });
    return wallet;
  },
});
