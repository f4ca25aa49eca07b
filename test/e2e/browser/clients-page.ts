/** The dapp of `clients.test.ts`: one library of the matrix, and the wallet that it found in the page. */
import { connectBridge } from '../../../src/bridge/client.js';
import type { Provider, Wallet } from '../../../src/index.js';
import { type Adapter, type ChainToAdd, type Client, createClient } from '../clients/client.js';
import { makeWallet, type WalletSettings } from './clients-wallet.js';

export interface ClientsPage {
  /** Absent where it is on another origin. */
  readonly wallet?: Wallet;
  readonly provider: Provider;
  readonly client: Client;
}

export interface PageSettings extends WalletSettings {
  readonly library: keyof typeof libraries;
  readonly chains: readonly ChainToAdd[];
  /** Of the library; ms. */
  readonly pollingInterval: number;
  /** The origin of the wallet; absent where it is in this page. */
  readonly host?: string;
}

/** Loaded alone: a page has one library. */
export const libraries = {
  viem: async () => (await import('../clients/viem.js')).viem,
  wagmi: async () => (await import('../clients/wagmi.js')).wagmi,
  'ethers 6': async () => (await import('../clients/ethers-v6.js')).ethersV6,
  'ethers 5': async () => (await import('../clients/ethers-v5.js')).ethersV5,
  'web3.js 4': async () => (await import('../clients/web3-v4.js')).web3V4,
  'web3.js 1': async () => (await import('../clients/web3-v1.js')).web3V1,
  'web3-onboard': async () => (await import('../clients/web3-onboard.js')).web3Onboard,
} as const satisfies Record<string, () => Promise<Adapter>>;

const settings: PageSettings = JSON.parse(document.getElementById('config')?.textContent as string);
const { library, chains, pollingInterval, host } = settings;

const wallet = host === undefined ? makeWallet(settings) : undefined;
const found = wallet ?? connectBridge({ host: host as string });
found.announce({ window: true });
const { ethereum: provider } = window as unknown as { readonly ethereum: Provider };
const client = await createClient(await libraries[library](), { provider, chains, pollingInterval });
Object.assign(window, { page: { ...(wallet && { wallet }), provider, client } satisfies ClientsPage });
