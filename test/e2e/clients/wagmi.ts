/** wagmi core: the connector that it makes of an announced wallet (EIP-6963), and its actions. */
import {
  type Config,
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
import { type Address, type Chain, defineChain, encodeFunctionData, type Hex } from 'viem';
import {
  type Adapter,
  type ChainToAdd,
  type Client,
  type CreateClient,
  type Expectation,
  outcome,
  type Transaction,
} from './client.js';
import { failing, reverter } from './contracts.js';
import { createHeard } from './heard.js';
import { explain, viem } from './viem.js';

const { abi } = reverter;

const create: CreateClient = ({ chains, pollingInterval }) => {
  const [home, ...others] = chains.map(chainOf);
  // No connector is named: the announced wallets are found. `unstable_connector` is what wagmi calls the
  // transport that reads through them; it keeps in `localStorage` what it reconnects with.
  const config: Config = createConfig({
    chains: [home as Chain, ...others],
    transports: Object.fromEntries(chains.map(({ chainId }) => [chainId, unstable_connector(injected)])),
    pollingInterval,
  });

  const { accounts, chains: chainIds, blocks, stored, seen } = createHeard();
  let unwatch: (() => void)[] = [];
  watchConnection(config, {
    onChange(now, before) {
      if (String(lower(now.addresses)) !== String(lower(before.addresses)))
        accounts.push(lower(now.addresses));
      if (now.chainId !== undefined && now.chainId !== before.chainId) chainIds.push(now.chainId);
    },
  });

  const act = <T>(run: () => Promise<T>) => outcome(run, explain);
  const client: Client = {
    connect: () =>
      act(async () => {
        const [connector] = config.connectors;
        if (connector === undefined) throw new Error('No wallet was announced.');
        return lower((await connect(config, { connector })).accounts);
      }),
    reconnect: () => act(async () => lower((await reconnect(config))[0]?.accounts)),
    disconnect: () =>
      act(async () => {
        await disconnect(config);
        return null;
      }),
    chainId: () => act(async () => getConnection(config).chainId as number),
    switchChain: (chainId) =>
      act(async () => {
        await switchChain(config, { chainId });
        return null;
      }),
    // There is no action of its own: a chain is added on the way to it.
    addChain: (added) =>
      act(async () => {
        const { name: chainName, nativeCurrency, rpcUrls } = chainOf(added);
        await switchChain(config, {
          chainId: added.chainId,
          addEthereumChainParameter: { chainName, nativeCurrency, rpcUrls: rpcUrls.default.http },
        });
        return null;
      }),

    signMessage: (message) => act(() => signMessage(config, { message })),
    signTypedData: (typedData) => act(() => signTypedData(config, typedData as never)),

    balance: (address) =>
      act(async () => String((await getBalance(config, { address: address as Address })).value)),
    send: (transaction) => act(() => sendTransaction(config, requestOf(transaction))),
    // A transaction that reverted is an error here: what running it once more says.
    wait: (hash) =>
      act(async () => {
        try {
          return (await waitForTransactionReceipt(config, { hash: hash as Hex })).status;
        } catch (error) {
          if (explain(error).class === 'ExecutionRevertedError') return 'reverted';
          throw error;
        }
      }),
    deploy: () =>
      act(async () => {
        const hash = await deployContract(config, { abi, bytecode: reverter.code as Hex });
        const { contractAddress } = await waitForTransactionReceipt(config, { hash });
        return (contractAddress as Address).toLowerCase();
      }),
    read: (address) =>
      act(async () =>
        String(await readContract(config, { abi, address: address as Address, functionName: 'stored' })),
      ),
    write: (address, value) =>
      act(() =>
        writeContract(config, {
          abi,
          address: address as Address,
          functionName: 'store',
          args: [BigInt(value)],
        }),
      ),
    callFailing: (address, way) =>
      act(async () =>
        String(
          await readContract(config, { abi, address: address as Address, functionName: failing[way].view }),
        ),
      ),
    estimateFailing: (address, way) =>
      act(async () =>
        String(
          await estimateGas(config, {
            to: address as Address,
            data: encodeFunctionData({ abi, functionName: failing[way].send }),
          }),
        ),
      ),
    sendFailing: (address, way) =>
      act(() => writeContract(config, { abi, address: address as Address, functionName: failing[way].send })),

    watchBlocks: () =>
      act(async () => {
        unwatch.push(
          watchBlockNumber(config, { onBlockNumber: (number) => void blocks.push(Number(number)) }),
        );
        return null;
      }),
    watchEvents: (address) =>
      act(async () => {
        unwatch.push(
          watchContractEvent(config, {
            abi,
            address: address as Address,
            eventName: 'Stored',
            onLogs: (logs) => void stored.push(...logs.map(({ args }) => String(args.value))),
          }),
        );
        return null;
      }),
    unwatch: () =>
      act(async () => {
        for (const stop of unwatch) stop();
        unwatch = [];
        return null;
      }),
    seen,
  };
  return client;
};

const lower = (addresses: readonly Address[] = []) => addresses.map((address) => address.toLowerCase());

const chainOf = ({ chainId, name, url }: ChainToAdd) =>
  defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });

const requestOf = ({ to, nonce, ...amounts }: Transaction) =>
  ({
    to: to as Address,
    ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, BigInt(amount)])),
    ...(nonce !== undefined && { nonce }),
  }) as Parameters<typeof sendTransaction>[1];

/** It estimates no calls of contracts, only transactions: what the contract says is not decoded by its ABI. */
const reverted = (reason: string): Expectation => ({ class: 'ExecutionRevertedError', code: 3, reason });

export const wagmi: Adapter = {
  version,
  create,
  lacks: [],
  // Its actions are viem's, and so are nearly all of its errors.
  expected: {
    ...viem.expected,
    // Known to the dapp, so it is added on the way: one question.
    'switch to an unknown chain': 'succeeds',
    'estimate that reverts: string': {
      seed: 'succeeds',
      node: reverted('Execution reverted with reason: Reverter: said no.'),
    },
    'estimate that reverts: panic': {
      seed: 'succeeds',
      node: reverted('Execution reverted with reason: panic: arithmetic overflow or underflow (0x11).'),
    },
    'estimate that reverts: custom': {
      seed: 'succeeds',
      node: reverted('Execution reverted for an unknown reason.'),
    },
    'estimate that reverts: empty': {
      seed: 'succeeds',
      node: reverted('Execution reverted for an unknown reason.'),
    },
  },
};
