/** web3.js 1: the same words as its successor in an older grammar, of callbacks and event emitters. */
import module from 'web3-v1';
import type { Adapter, Explained, Library } from './client.js';
import { nodeReverts, onNode, reverts, succeeds } from './expected.js';
import { connected, createWeb3Acts, type Emitter, passedOn, type Web3Eth } from './web3.js';

// Its types tell of a default export, which the CommonJS module behind them has not.
const Web3 = module as unknown as typeof module.default;

const create: Library['create'] = ({ provider }) => {
  const web3 = new Web3(provider as never);
  const { eth } = web3;
  // What it has no function for, it lets a dapp add.
  web3.extend({
    property: 'wallet',
    methods: [
      { name: 'wallet_revokePermissions', call: 'wallet_revokePermissions', params: 1 },
      { name: 'wallet_switchEthereumChain', call: 'wallet_switchEthereumChain', params: 1 },
      { name: 'wallet_addEthereumChain', call: 'wallet_addEthereumChain', params: 1 },
      { name: 'eth_signTypedData_v4', call: 'eth_signTypedData_v4', params: 2 },
    ],
  });
  const { wallet } = web3 as unknown as { wallet: Extension };
  const request = async (method: string, ...params: readonly unknown[]) =>
    wallet[method]?.(...params) as Promise<never>;
  return createWeb3Acts({
    provider,
    eth: eth as unknown as Web3Eth,
    request,
    sign: (text, account) => eth.personal.sign(text, account, ''),
    signTypedData: (account, typedData) => request('eth_signTypedData_v4', account, typedData),
    async subscribeToHeads() {
      const heads = eth.subscribe('newBlockHeaders') as unknown as Emitter;
      await connected(heads);
      return heads;
    },
    unsubscribe: (subscription) =>
      new Promise((done) => (subscription as Subscription).unsubscribe(done as () => void)),
  });
};

type Extension = Readonly<Record<string, (...params: readonly unknown[]) => Promise<unknown>>>;

interface Subscription extends Emitter {
  unsubscribe(done: () => void): unknown;
}

/** It has no classes: the wallet's own errors pass as they are, others are an `Error` with a text. */
function explain(error: unknown): Explained {
  const shown = error as Error & { readonly code?: number; readonly reason?: string };
  const { code, reason, message } = shown;
  return {
    class: shown.constructor.name,
    ...(code !== undefined && { code }),
    reason: reason ?? message.replace(/\n.*/s, ''),
    message,
  };
}

/** It decodes nothing, and estimates nothing before a send. */
export const web3V1: Adapter = {
  version: Web3.version,
  create,
  explain,
  expected: {
    ...passedOn,
    ...reverts('call', nodeReverts('ProviderRpcError')),
    ...reverts('estimate', onNode(nodeReverts('ProviderRpcError'))),
    ...reverts('send', succeeds),
  },
};
