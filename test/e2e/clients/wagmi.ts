/** wagmi core: the connector that it makes of an announced wallet (EIP-6963), and its actions. */
import {
  type Config,
  type CreateConfigParameters,
  connect,
  createConfig,
  deployContract,
  disconnect,
  estimateGas,
  getBalance,
  getConnection,
  injected,
  readContract,
  reconnect,
  sendTransaction,
  signMessage,
  signTypedData,
  switchChain,
  unstable_connector,
  version,
  waitForTransactionReceipt,
  watchBlockNumber,
  watchConnection,
  watchContractEvent,
  writeContract,
} from '@wagmi/core';
import {
  type Address,
  type Chain,
  type EIP1193Provider,
  encodeFunctionData,
  type Hex,
  type Transport,
} from 'viem';
import type { Adapter, ChainToAdd, Library } from './client.js';
import { failing, reverter } from './contracts.js';
import { onNode, reverts } from './expected.js';
import { createHeard } from './heard.js';
import { chainOf, explain, requestOf, viem, watchingActs } from './viem.js';

const { abi } = reverter;

/** How a config of wagmi reaches the wallet. */
export interface WagmiSetup {
  transport(provider: EIP1193Provider): Transport;
  chain(told: ChainToAdd): Chain;
  /** Further parameters of the config: its connectors, and where it keeps what it reconnects with. */
  parameters(provider: EIP1193Provider): Omit<Partial<CreateConfigParameters>, 'client'>;
}

export const createWith =
  (setup: WagmiSetup): Library['create'] =>
  (surroundings) => {
    const { chains, pollingInterval } = surroundings;
    const provider = surroundings.provider as EIP1193Provider;
    const [home, ...others] = chains.map(setup.chain);
    const config: Config = createConfig({
      ...setup.parameters(provider),
      chains: [home as Chain, ...others],
      transports: Object.fromEntries(chains.map(({ chainId }) => [chainId, setup.transport(provider)])),
      pollingInterval,
    });

    const heard = createHeard();
    const { accounts, chains: chainIds } = heard;
    watchConnection(config, {
      onChange(now, before) {
        if (String(lower(now.addresses)) !== String(lower(before.addresses)))
          accounts.push(lower(now.addresses));
        if (now.chainId !== undefined && now.chainId !== before.chainId) chainIds.push(now.chainId);
      },
    });

    return {
      async connect() {
        const [connector] = config.connectors;
        if (connector === undefined) throw new Error('No wallet was announced.');
        return lower((await connect(config, { connector })).accounts);
      },
      reconnect: async () => lower((await inTurn(() => reconnect(config)))[0]?.accounts),
      disconnect: () => disconnect(config),
      chainId: async () => getConnection(config).chainId as number,
      async switchChain(chainId) {
        await switchChain(config, { chainId });
      },
      // There is no action of its own: a chain is added on the way to it.
      async addChain(added) {
        const { name: chainName, nativeCurrency, rpcUrls } = setup.chain(added);
        await switchChain(config, {
          chainId: added.chainId,
          addEthereumChainParameter: { chainName, nativeCurrency, rpcUrls: rpcUrls.default.http },
        });
      },

      signMessage: (message) => signMessage(config, { message }),
      signTypedData: (typedData) => signTypedData(config, typedData as never),

      balance: async (address) => String((await getBalance(config, { address: address as Address })).value),
      send: (transaction) =>
        sendTransaction(config, requestOf(transaction) as Parameters<typeof sendTransaction>[1]),
      // A transaction that reverted is an error here: what running it once more says.
      async wait(hash) {
        try {
          return (await waitForTransactionReceipt(config, { hash: hash as Hex })).status;
        } catch (error) {
          if (explain(error).class === 'ExecutionRevertedError') return 'reverted';
          throw error;
        }
      },
      async deploy() {
        const hash = await deployContract(config, { abi, bytecode: reverter.code as Hex });
        const { contractAddress } = await waitForTransactionReceipt(config, { hash });
        return (contractAddress as Address).toLowerCase();
      },
      read: async (address) =>
        String(await readContract(config, { abi, address: address as Address, functionName: 'stored' })),
      write: (address, value) =>
        writeContract(config, {
          abi,
          address: address as Address,
          functionName: 'store',
          args: [BigInt(value)],
        }),
      callFailing: async (address, way) =>
        String(
          await readContract(config, { abi, address: address as Address, functionName: failing[way].view }),
        ),
      estimateFailing: async (address, way) =>
        String(
          await estimateGas(config, {
            to: address as Address,
            data: encodeFunctionData({ abi, functionName: failing[way].send }),
          }),
        ),
      sendFailing: (address, way) =>
        writeContract(config, { abi, address: address as Address, functionName: failing[way].send }),

      ...watchingActs(
        heard,
        (options) => watchBlockNumber(config, options),
        (options) => watchContractEvent(config, options),
      ),
    };
  };

/** wagmi has one flag for all configs: a config that reconnects beside another one gets no connection. */
let reconnecting: Promise<unknown> = Promise.resolve();
function inTurn<T>(run: () => Promise<T>): Promise<T> {
  const turn = reconnecting.then(run);
  reconnecting = turn.catch(() => {});
  return turn;
}

const lower = (addresses: readonly Address[] = []) => addresses.map((address) => address.toLowerCase());

/** It estimates no calls of contracts, only transactions: what the contract says is not decoded by its ABI. */
const reverted = (reason: string) => ({ class: 'ExecutionRevertedError', code: 3, reason });

export const wagmi: Adapter = {
  version,
  // No connector is named: the announced wallets are found. `unstable_connector` is what wagmi calls the
  // transport that reads through them; it keeps in `localStorage` what it reconnects with.
  create: createWith({
    transport: () => unstable_connector(injected),
    chain: chainOf,
    parameters: () => ({}),
  }),
  explain,
  // Its actions are viem's, and so are nearly all of its errors.
  expected: {
    ...viem.expected,
    // Known to the dapp, so it is added on the way: one question.
    'switch to an unknown chain': 'succeeds',
    ...reverts(
      'estimate',
      onNode({
        string: reverted('Execution reverted with reason: Reverter: said no.'),
        panic: reverted('Execution reverted with reason: panic: arithmetic overflow or underflow (0x11).'),
        custom: reverted('Execution reverted for an unknown reason.'),
        empty: reverted('Execution reverted for an unknown reason.'),
      }),
    ),
  },
};
