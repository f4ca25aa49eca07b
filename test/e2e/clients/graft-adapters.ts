/** Our own adapters: what `graft-wallet/viem` and `graft-wallet/wagmi` give to the libraries in place of a provider. */
import type { Chain } from 'viem';
import { graftAccount, graftTransport, rootstockRegtest } from '../../../src/adapters/viem.js';
import { graft } from '../../../src/adapters/wagmi.js';
import type { Provider } from '../../../src/index.js';
import type { Adapter, ChainToAdd } from './client.js';
import { onNode, reverts } from './expected.js';
import { chainOf, contractReverts, createWith as createViem, type ViemSetup, viem } from './viem.js';
import { createWith as createWagmi, wagmi } from './wagmi.js';

const holder = (provider: unknown) => ({ provider: provider as Provider });

/** The adapter's chain, with its fees and its fields of a block, at the endpoint of the matrix. */
const chain = (told: ChainToAdd): Chain => {
  const { rpcUrls } = chainOf(told);
  return told.chainId === rootstockRegtest.id ? { ...rootstockRegtest, rpcUrls } : chainOf(told);
};
const transport: ViemSetup['transport'] = (provider) => graftTransport(holder(provider));

/** The transport, with the address as viem's account: the wallet sends. */
export const graftViem: Adapter = {
  ...viem,
  create: createViem({ transport, chain, account: (_, address) => address }),
};

/** The transport and the `Account`: viem prepares a transaction, the person approves its signature, viem sends it. */
export const graftViemAccount: Adapter = {
  ...viem,
  create: createViem({
    transport,
    chain,
    account: (provider, address) => graftAccount(holder(provider), address),
  }),
  expected: {
    ...viem.expected,
    // viem estimates the gas itself, before it asks for the signature.
    ...reverts('send', onNode(contractReverts)),
  },
};

/** The connector and the transport, beside no announced wallet. */
export const graftWagmi: Adapter = {
  ...wagmi,
  expected: {
    ...wagmi.expected,
    // The chain names Multicall3, through which wagmi reads: of a revert it passes on the data, and not the node's message.
    'call that reverts: empty': {
      class: 'ContractFunctionRevertedError',
      code: 3,
      reason: 'The contract function "viewEmpty" reverted.',
    },
  },
  create: createWagmi({
    transport,
    chain,
    parameters: (provider) => ({
      connectors: [graft({ wallet: holder(provider) })],
      multiInjectedProviderDiscovery: false,
      // The connector reconnects with what the wallet remembers, so that wagmi needs no storage for it.
      storage: null,
    }),
  }),
};
