/** The page of `clients.test.ts`: the wallet, and one library of the matrix that found it there. */
import { createWallet, type Wallet } from '../../../src/index.js';
import { hastenKdf } from '../../support/hasty-kdf.js';
import type { Adapter, ChainToAdd, PartialClient } from '../clients/client.js';

hastenKdf();

export interface ClientsPage {
  readonly wallet: Wallet;
  readonly client: PartialClient;
}

/** What the page is told in its address: `?settings=` and this as JSON. */
export interface PageSettings {
  readonly library: keyof typeof libraries;
  readonly known: readonly ChainToAdd[];
  readonly chains: readonly ChainToAdd[];
  /** Of the library, and of the wallet; ms. */
  readonly pollingInterval: number;
  readonly looks: number;
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

const settings: PageSettings = JSON.parse(new URLSearchParams(location.search).get('settings') as string);
const { library, known, chains, pollingInterval, looks } = settings;

// Who shows a dialog to a person says so: the test is the person, and counts.
new MutationObserver((changes) => {
  for (const { addedNodes } of changes)
    for (const node of addedNodes)
      if (node instanceof Element && node.hasAttribute('data-graft'))
        (window as unknown as { asked(kind: string | null): void }).asked(node.getAttribute('data-graft'));
}).observe(document.body, { childList: true });

const wallet = createWallet({
  networks: known.map(({ chainId, name, url }) => ({ chainId, name, url })),
  name: 'clients',
  pollingInterval: looks,
});
wallet.announce({ window: true });
const { create } = await libraries[library]();
const { ethereum: provider } = window as unknown as { readonly ethereum: unknown };
const client = await create({ provider, chains, pollingInterval });
Object.assign(window, { page: { wallet, client } satisfies ClientsPage });
