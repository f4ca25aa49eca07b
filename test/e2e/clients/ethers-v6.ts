/** ethers 6: `BrowserProvider`, its signer and its contracts. */
import {
  BrowserProvider,
  Contract,
  ContractFactory,
  type Eip1193Provider,
  type EthersError,
  Interface,
  isCallException,
  isError,
  type Network,
  toQuantity,
  version,
} from 'ethers';
import {
  type Adapter,
  type Client,
  type CreateClient,
  type Explained,
  outcome,
  type Transaction,
} from './client.js';
import { failing, reverter } from './contracts.js';
import { chainParameter, createHeard } from './heard.js';

type Injected = Eip1193Provider & { on(event: string, listener: (news: never) => void): unknown };

const create: CreateClient = (surroundings) => {
  const injected = surroundings.provider as Injected;
  // Its quarter of a second of cache would make the count of requests depend on how fast one is.
  const provider = new BrowserProvider(injected, 'any', { cacheTimeout: -1 });
  provider.pollingInterval = surroundings.pollingInterval;
  const watched: Contract[] = [];
  const { accounts, chains, blocks, stored, seen } = createHeard();

  injected.on('accountsChanged', (news: string[]) => accounts.push([...news]));
  // "any" lets the chain change; the library looks which it is when it is next asked, and then tells.
  injected.on('chainChanged', () => provider.getNetwork().catch(leftMeanwhile));
  provider.on('network', ({ chainId }: Network) => chains.push(Number(chainId)));

  const run = <T>(act: () => Promise<T>) => outcome(act, explain);
  const method = async (address: string, name: string) =>
    new Contract(address, reverter.abi, await provider.getSigner()).getFunction(name);

  const client: Client = {
    connect: () => run(async () => [(await provider.getSigner()).address.toLowerCase()]),
    reconnect: () =>
      run(async () => (await provider.listAccounts()).map(({ address }) => address.toLowerCase())),
    disconnect: () => run(() => provider.send('wallet_revokePermissions', [{ eth_accounts: {} }])),
    chainId: () =>
      run(async () => {
        // After a change it answers once more with the chain that was.
        await provider.getNetwork();
        return Number((await provider.getNetwork()).chainId);
      }),
    switchChain: (chainId) =>
      run(() => provider.send('wallet_switchEthereumChain', [{ chainId: toQuantity(chainId) }])),
    addChain: (chain) => run(() => provider.send('wallet_addEthereumChain', [chainParameter(chain)])),

    signMessage: (text) => run(async () => (await provider.getSigner()).signMessage(text)),
    signTypedData: ({ types: { EIP712Domain: _domain, ...types }, domain, message }) =>
      run(async () => (await provider.getSigner()).signTypedData(domain, mutable(types), message)),

    balance: (address) => run(async () => String(await provider.getBalance(address))),
    send: (transaction) =>
      run(async () => (await (await provider.getSigner()).sendTransaction(requestOf(transaction))).hash),
    wait: (hash) =>
      run(async () => {
        try {
          await (await provider.getTransaction(hash))?.wait();
          return 'success';
        } catch (error) {
          if (isCallException(error) && error.receipt) return 'reverted';
          throw error;
        }
      }),
    deploy: () =>
      run(async () => {
        const factory = new ContractFactory(reverter.abi, reverter.code, await provider.getSigner());
        const deployed = await (await factory.deploy()).waitForDeployment();
        return (await deployed.getAddress()).toLowerCase();
      }),
    read: (contract) =>
      run(async () => String(await new Contract(contract, reverter.abi, provider).getFunction('stored')())),
    write: (contract, value) => run(async () => (await (await method(contract, 'store'))(value)).hash),
    callFailing: (contract, way) =>
      run(async () => String(await (await method(contract, failing[way].view)).staticCall())),
    estimateFailing: (contract, way) =>
      run(async () => String(await (await method(contract, failing[way].send)).estimateGas())),
    sendFailing: (contract, way) =>
      run(async () => (await (await method(contract, failing[way].send))()).hash),

    watchBlocks: () =>
      run(async () => {
        await provider.on('block', (number: number) => blocks.push(number));
        return null;
      }),
    watchEvents: (contract) =>
      run(async () => {
        const listening = new Contract(contract, reverter.abi, provider);
        watched.push(listening);
        await listening.on('Stored', (_by: string, value: bigint) => stored.push(String(value)));
        return null;
      }),
    unwatch: () =>
      run(async () => {
        await provider.removeAllListeners('block');
        for (const each of watched.splice(0)) await each.removeAllListeners();
        // It does not wait until its filter is gone, and a page that is left would then answer no more.
        await provider.send('eth_uninstallFilter', ['0x0']);
        return null;
      }),
    seen,
  };
  return client;
};

/** The page was left: nobody is there to be told. */
const leftMeanwhile = () => {};

const mutable = <T>(lists: Readonly<Record<string, readonly T[]>>): Record<string, T[]> =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, [...list]]));

const requestOf = ({ gas, ...rest }: Transaction) => ({ ...rest, ...(gas && { gasLimit: gas }) });

/** `error.code` is the library's word; the wallet's own error is in `info.error`, or in `error` when unknown. */
function explain(error: unknown): Explained {
  const { code, shortMessage, message } = error as EthersError;
  const { info, error: unexplained } = error as { info?: { error?: Below }; error?: Below };
  const below = info?.error ?? unexplained;
  return {
    class: String(code ?? (error as Error).constructor.name),
    ...(below?.code !== undefined && { code: below.code }),
    reason: reverted(error) ?? (isError(error, 'UNKNOWN_ERROR') ? below?.message : undefined) ?? shortMessage,
    message,
  };
}

interface Below {
  readonly code?: number;
  readonly message?: string;
}

/** `reason` is what Solidity has built in; the contract's own errors its ABI explains. */
function reverted(error: unknown): string | undefined {
  if (!isCallException(error)) return undefined;
  const custom = error.data && error.data !== '0x' ? abi.parseError(error.data) : null;
  return custom && !builtIn.includes(custom.name)
    ? `${custom.name}(${custom.args.join(', ')})`
    : (error.reason ?? undefined);
}

const abi = new Interface(reverter.abi);
const builtIn = ['Error', 'Panic'];

const rejected = { class: 'ACTION_REJECTED', code: 4001 };

/**
 * A revert that `staticCall` explains by the ABI has lost the wallet's error; an estimate keeps it. Prices that the
 * chain refuses, and outages, have no word of their own here.
 */
export const ethersV6: Adapter = {
  version,
  create,
  lacks: [],
  expected: {
    'connect, refused': rejected,
    'sign a message, refused': rejected,
    'sign typed data, refused': rejected,
    'switch chain, refused': rejected,
    'switch to an unknown chain': { class: 'UNKNOWN_ERROR', code: 4902 },
    'add a chain, refused': rejected,
    'send, refused': rejected,
    'call that reverts: string': { class: 'CALL_EXCEPTION', reason: 'Reverter: said no' },
    'call that reverts: panic': { class: 'CALL_EXCEPTION', reason: 'Panic due to OVERFLOW(17)' },
    'call that reverts: custom': { class: 'CALL_EXCEPTION', reason: 'TooLow(1, 2)' },
    'call that reverts: empty': { class: 'CALL_EXCEPTION', reason: 'require(false)' },
    'estimate that reverts: string': {
      seed: 'succeeds',
      node: { class: 'CALL_EXCEPTION', code: 3, reason: 'Reverter: said no' },
    },
    'estimate that reverts: panic': {
      seed: 'succeeds',
      node: { class: 'CALL_EXCEPTION', code: 3, reason: 'Panic due to OVERFLOW(17)' },
    },
    'estimate that reverts: custom': {
      seed: 'succeeds',
      node: { class: 'CALL_EXCEPTION', code: 3, reason: 'TooLow(1, 2)' },
    },
    'estimate that reverts: empty': {
      seed: 'succeeds',
      node: { class: 'CALL_EXCEPTION', code: 3, reason: 'require(false)' },
    },
    'send that reverts: string': {
      seed: 'succeeds',
      node: { class: 'CALL_EXCEPTION', code: 3, reason: 'Reverter: said no' },
    },
    'send that reverts: panic': {
      seed: 'succeeds',
      node: { class: 'CALL_EXCEPTION', code: 3, reason: 'Panic due to OVERFLOW(17)' },
    },
    'send that reverts: custom': {
      seed: 'succeeds',
      node: { class: 'CALL_EXCEPTION', code: 3, reason: 'TooLow(1, 2)' },
    },
    'send that reverts: empty': {
      seed: 'succeeds',
      node: { class: 'CALL_EXCEPTION', code: 3, reason: 'require(false)' },
    },
    'insufficient funds': { class: 'INSUFFICIENT_FUNDS', code: -32003 },
    'nonce too low': { class: 'NONCE_EXPIRED', code: -32003 },
    'replacement underpriced': { class: 'REPLACEMENT_UNDERPRICED', code: -32003 },
    'gas price under the minimum': { class: 'UNKNOWN_ERROR', code: -32003 },
    'service down': { class: 'UNKNOWN_ERROR', code: -32002 },
    'quota spent': { class: 'UNKNOWN_ERROR', code: -32005 },
  },
};
