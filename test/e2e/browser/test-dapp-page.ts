/**
 * The wallet of `test-dapp.test.ts`, put in front of MetaMask's test dapp. It is there before the dapp starts;
 * the dapp knows nothing of it but EIP-1193 and EIP-6963.
 */
import { createWallet, type Wallet } from '../../../src/index.js';
import { confirmDelay, dangerDelay } from '../../../src/ui/dialog/clickjacking-guard.js';
import { dialog } from '../../../src/ui/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';

hastenKdf();

export interface TestDappPage {
  readonly wallet: Wallet;
  /** The kind of every question that a person was asked. */
  readonly questions: readonly string[];
  /** What the dapp was refused, as it reported it or left it unhandled: an EIP-1193 code, or ethers' own. */
  readonly failures: readonly { readonly code: unknown; readonly message: string }[];
  /** Transaction hashes that the dapp told the console. */
  readonly hashes: readonly string[];
}

const parameters = new URLSearchParams(location.search);
const url = (name: string) => parameters.get(name) as string;
const ether = { name: 'Ether', symbol: 'ETH', decimals: 18 };

// The guard's pauses, one in each of sixty dialogs, pass eight times as fast; `dialog.test.ts` waits them out.
const wait = window.setTimeout.bind(window) as (run: () => void, ms?: number) => number;
const isPause = (ms?: number) => ms === confirmDelay || ms === dangerDelay;
Object.assign(window, {
  setTimeout: (run: () => void, ms?: number) => wait(run, isPause(ms) ? (ms as number) / 8 : ms),
});

const questions: string[] = [];
const person = dialog();
const wallet = createWallet({
  networks: [
    { chainId: 33, url: url('service') },
    { chainId: 1, url: url('mainnet'), name: 'Ethereum Mainnet', currency: ether },
  ],
  name: 'test-dapp',
  pollingInterval: 300,
  approver: () => ({
    ask(question, session) {
      questions.push(question.kind);
      return person.ask(question, session);
    },
  }),
});

// The dapp enables its buttons for wallets that call themselves by MetaMask's name, and for no other.
wallet.announce({ window: true, isMetaMask: true });

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

Object.assign(window, { page: { wallet, questions, failures, hashes } satisfies TestDappPage });
