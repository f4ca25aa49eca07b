import type { Hex } from 'viem';
import { headless } from '../../../packages/kit/src/testing/index.js';
import {
  createMemoryStorage,
  createVolatileMemory,
  createWallet,
  type SessionMemory,
  type Storage,
  type Wallet,
} from '../../../src/index.js';
// The wallet loads it after the first transaction: here beforehand, so that it comes with no other act.
import '../../../src/wallet/following.js';
import type { Decision } from '../../support/person.js';
import { type ChainToAdd, type Client, createClient, type Library, type Surroundings } from './client.js';

/** Where a wallet and a library live together: this process ({@link openHere}), or a page. */
export interface Place {
  /** The wallet's two accounts, in lower case. */
  readonly accounts: readonly [string, string];
  /** The library, new after each {@link reload}. */
  client(): Client;
  /** What the person answers from now on; `accounts` are those to share. */
  decide(answer: Decision): Promise<void>;
  /** Every question that was asked, by kind, oldest first. */
  asked(): Promise<readonly string[]>;
  /** The owner gives the page these accounts, in place of those that it has. */
  share(accounts: readonly string[]): Promise<void>;
  /** The owner takes back what the page was given. */
  revoke(): Promise<void>;
  /** The wallet sees this block, which is new (a quantity): what it remembered of the one before is gone. */
  look(block: string): Promise<void>;
  /** The owner chooses another chain. */
  chooseChain(chainId: number): Promise<void>;
  /** The owner removes the networks that the page has added. */
  removeChains(): Promise<void>;
  /**
   * The page is left and opened again: another wallet, another library, the same stores. `looks` is how often
   * the wallet looks at the head, in milliseconds; by default so seldom that no look falls into an act.
   */
  reload(looks?: number): Promise<void>;
  close(): Promise<void>;
}

export interface Setting extends Pick<Surroundings, 'chains' | 'pollingInterval'> {
  readonly library: Library;
  /** Chains that the wallet is configured for, the active one first. */
  readonly known: readonly ChainToAdd[];
}

export type OpenPlace = (setting: Setting) => Promise<Place>;

const password = 'a password for the libraries';
const seldom = 3_600_000;

export const openHere: OpenPlace = async ({ library, known, chains, pollingInterval }) => {
  const storage: Storage = createMemoryStorage();
  const memory: SessionMemory = createVolatileMemory();
  let decision: Decision = 'approve';
  const approver = headless({
    password,
    answer: () =>
      typeof decision === 'string'
        ? decision === 'approve'
        : { approved: true, accounts: decision.accounts as Hex[] },
  });
  const open = (looks = seldom): Wallet =>
    createWallet({
      networks: known.map(({ chainId, name, url }) => ({ chainId, name, url })),
      approver: () => approver,
      // Closing the one closes nothing for the other: they share what a browser would keep.
      storage: { ...storage, close() {} },
      memory,
      origin: 'https://dapp.example',
      pollingInterval: looks,
    });
  const attach = () => createClient(library, { provider: wallet.provider, chains, pollingInterval });
  const detach = async () => {
    await client.unwatch();
    wallet.destroy();
  };

  let wallet = open();
  const { account } = await wallet.create(password);
  const second = await wallet.addAccount();
  let client = await attach();

  return {
    accounts: [account.address, second.address],
    client: () => client,
    decide: async (answer) => {
      decision = answer;
    },
    asked: async () => approver.asked.map(({ kind }) => kind),
    async share(accounts) {
      const before = decision;
      decision = { accounts };
      await wallet.provider.request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] });
      decision = before;
    },
    revoke: async () => wallet.disconnect(),
    look: async (block) =>
      void (await wallet.provider.request({ method: 'eth_getBlockByNumber', params: [block as Hex, false] })),
    chooseChain: async (chainId) => wallet.switchChain(chainId),
    async removeChains() {
      for (const { chainId } of wallet.state().networks) await wallet.removeNetwork(chainId);
    },
    async reload(looks) {
      await detach();
      wallet = open(looks);
      client = await attach();
    },
    close: detach,
  };
};
