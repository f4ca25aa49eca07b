/**
 * The wallet of `test-dapp.ts`, put in front of MetaMask's test dapp: in its page, or over the bridge. It is there before
 * the dapp starts; the dapp knows nothing of it but EIP-1193 and EIP-6963.
 */
import { connectBridge } from '../../../src/bridge/client.js';
import { dialog } from '../../../src/ui/index.js';
import { makeWallet, type TestDappSettings } from './test-dapp-wallet.js';
import type { TestDappWalletPage } from './test-dapp-wallet-page.js';

export interface TestDappPage extends Partial<TestDappWalletPage> {
  /** What the dapp was refused, as it reported it or left it unhandled: an EIP-1193 code, or ethers' own. */
  readonly failures: readonly { readonly code: unknown; readonly message: string }[];
  /** Transaction hashes that the dapp told the console. */
  readonly hashes: readonly string[];
}

const { host, ...settings }: TestDappSettings & { readonly host?: string } = JSON.parse(
  document.getElementById('config')?.textContent as string,
);
const wallet = host === undefined ? makeWallet(settings, async () => dialog()) : undefined;

// The dapp enables its buttons for wallets that call themselves by MetaMask's name, and for no other.
(wallet ?? connectBridge({ host: host as string })).announce({ window: true, isMetaMask: true });

const failures: { code: unknown; message: string }[] = [];
const failed = (error: unknown) => {
  if (error instanceof Error && 'code' in error) failures.push({ code: error.code, message: error.message });
};
addEventListener('unhandledrejection', ({ reason }) => failed(reason));
const { error: report, log } = console;
console.error = (...args) => {
  for (const arg of args) failed(arg);
  report(...args);
};

const hashes: string[] = [];
console.log = (...args) => {
  for (const arg of args) {
    const hash = arg?.hash ?? arg;
    if (typeof hash === 'string' && /^0x[\da-f]{64}$/.test(hash)) hashes.push(hash);
  }
  log(...args);
};

Object.assign(window, { page: { ...(wallet && { wallet }), failures, hashes } satisfies TestDappPage });
