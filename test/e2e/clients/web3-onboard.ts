/**
 * web3-onboard with its injected wallets: it finds the announced wallet (EIP-6963), connects to it, follows its
 * accounts and its chain, and switches. For everything else its documentation hands the provider that it gave
 * out to ethers, and so does this.
 */
import createOnboard from '@web3-onboard/core';
import manifest from '@web3-onboard/core/package.json' with { type: 'json' };
import injected from '@web3-onboard/injected-wallets';
import type { Acts, Adapter, ChainToAdd, Library } from './client.js';
import { ethersV6 } from './ethers-v6.js';

/** The wallet's name in the list that a person would choose from. */
const label = 'Graft';
/** Where this dapp keeps the names of the wallets that were connected last. */
const key = 'connectedWallets';

const create: Library['create'] = (surroundings) => {
  let last: readonly string[] = JSON.parse(localStorage.getItem(key) ?? '[]');
  const onboard = createOnboard({
    wallets: [injected()],
    chains: surroundings.chains.map(chainOf),
    accountCenter: { desktop: { enabled: false }, mobile: { enabled: false } },
    disableFontDownload: true,
  });
  const accounts: (readonly string[])[] = [];
  const chains: number[] = [];
  const wallet = () => onboard.state.get().wallets[0];
  const follow = () => {
    const now = wallet();
    // It asks for the balance with every change: what has not got one yet is on its way.
    if (now?.accounts.some(({ balance }) => balance === null)) return;
    const addresses = addressesOf(now);
    if (String(addresses) !== String(accounts.at(-1) ?? [])) accounts.push(addresses);
    const chainId = now && Number(now.chains[0]?.id);
    if (chainId !== undefined && chainId !== chains.at(-1)) chains.push(chainId);
    if (accounts.length === 0) return;
    last = now ? [now.label] : [];
    localStorage.setItem(key, JSON.stringify(last));
  };
  onboard.state.select('wallets').subscribe(follow);

  const connect = async () => {
    const [connected] = await onboard.connectWallet({ autoSelect: { label, disableModals: true } });
    if (!connected) throw new Unsaid('connectWallet', '[]');
    return addressesOf(connected);
  };
  const setChain = async (chainId: number) => {
    if (!(await onboard.setChain({ chainId }))) throw new Unsaid('setChain', 'false');
    while (chains.at(-1) !== chainId) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  let ethers: Acts | undefined;
  const through = <Name extends keyof Acts>(name: Name) =>
    (async (...args: never[]) => {
      const provider = wallet()?.provider;
      if (provider === undefined) throw new Unsaid('state.get().wallets', '[]');
      ethers ??= await ethersV6.create({ ...surroundings, provider });
      return (ethers[name] as (...args: never[]) => unknown)(...args);
    }) as Acts[Name];

  return {
    connect,
    async reconnect() {
      if (wallet()) return addressesOf(wallet());
      return last.includes(label) ? connect() : [];
    },
    async disconnect() {
      await onboard.disconnectWallet({ label });
    },
    chainId: async () => Number(wallet()?.chains[0]?.id),
    switchChain: setChain,
    // There is no function of its own: a chain is added on the way to it.
    addChain: ({ chainId }) => setChain(chainId),

    signMessage: through('signMessage'),
    signTypedData: through('signTypedData'),
    balance: through('balance'),
    send: through('send'),
    wait: through('wait'),
    deploy: through('deploy'),
    read: through('read'),
    write: through('write'),
    callFailing: through('callFailing'),
    estimateFailing: through('estimateFailing'),
    sendFailing: through('sendFailing'),
    watchBlocks: through('watchBlocks'),
    watchEvents: through('watchEvents'),
    unwatch: async () => ethers?.unwatch(),
    async seen() {
      const { blocks, stored } = (await ethers?.seen()) ?? { blocks: [], stored: [] };
      return { accounts, chains, blocks, stored };
    },
  };
};

const chainOf = ({ chainId, name, url }: ChainToAdd) => ({
  id: chainId,
  token: 'tRBTC',
  label: name,
  rpcUrl: url,
});

const addressesOf = (wallet?: { readonly accounts: readonly { readonly address: string }[] }) =>
  wallet?.accounts.map(({ address }) => address.toLowerCase()) ?? [];

/** It keeps errors to itself: what it resolves with is all that a dapp sees. */
class Unsaid extends Error {
  readonly value: string;

  constructor(act: string, value: string) {
    super(`${act} resolved with ${value}`);
    this.value = value;
  }
}

export const web3Onboard: Adapter = {
  version: manifest.version,
  create,
  explain: (error) =>
    error instanceof Unsaid ? { class: error.value, message: error.message } : ethersV6.explain(error),
  expected: {
    ...ethersV6.expected,
    'connect, refused': { class: '[]' },
    'switch chain, refused': { class: 'false' },
    'add a chain, refused': { class: 'false' },
    // Known to the dapp, so it is added on the way: one question.
    'switch to an unknown chain': 'succeeds',
  },
};
