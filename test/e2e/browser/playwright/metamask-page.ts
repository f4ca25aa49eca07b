import { connect, createConfig, http, injected } from '@wagmi/core';
import { defineChain } from 'viem';

/** A dapp that offers MetaMask and no other wallet, as wagmi finds it: by its flags, and by EIP-6963. */

const chain = defineChain({
  id: 33,
  name: 'Local',
  nativeCurrency: { name: 'Coin', symbol: 'tRBTC', decimals: 18 },
  rpcUrls: { default: { http: [] } },
});
const config = createConfig({
  chains: [chain],
  connectors: [injected({ target: 'metaMask' })],
  transports: { 33: http() },
});

Object.assign(window, {
  /** The accounts that a connector of wagmi gets: the one for MetaMask's flags, or the one of an announced `rdns`. */
  async connectMetaMask(by: 'flags' | 'rdns') {
    const isAnnounced = ({ id }: { readonly id: string }) => id === 'io.metamask';
    const connector = config.connectors.find((each) => isAnnounced(each) === (by === 'rdns'));
    if (!connector) throw new Error(`No connector by ${by}`);
    return (await connect(config, { connector })).accounts;
  },
});
