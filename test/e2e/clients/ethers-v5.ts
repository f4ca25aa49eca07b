/** ethers 5: `providers.Web3Provider`, its signer and its contracts. */
import {
  Contract,
  ContractFactory,
  type ContractFunction,
  providers,
  utils,
  version as words,
} from 'ethers-v5';
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

const version = words.replace('ethers/', '');

type Injected = providers.ExternalProvider & {
  on(event: string, listener: (news: never) => void): unknown;
};

const create: CreateClient = (surroundings) => {
  const injected = surroundings.provider as Injected;
  const provider = new providers.Web3Provider(injected, 'any');
  provider.pollingInterval = surroundings.pollingInterval;
  const watched: Contract[] = [];
  const { accounts, chains, blocks, stored, seen } = createHeard();

  // "any" lets the chain change: the library looks which it is when it is asked, but once in a turn of the loop.
  const chainId = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return (await provider.getNetwork()).chainId;
  };
  injected.on('accountsChanged', (news: string[]) => accounts.push([...news]));
  injected.on('chainChanged', () => chainId().then((changed) => chains.push(changed), leftMeanwhile));

  const run = <T>(act: () => Promise<T>) => outcome(act, explain);
  const signer = provider.getSigner();
  const at = (address: string) => new Contract(address, reverter.abi, signer);
  const method = (address: string, name: string) => at(address)[name] as ContractFunction;
  const addresses = (list: readonly string[]) => list.map((each) => each.toLowerCase());

  const client: Client = {
    connect: () => run(async () => addresses(await provider.send('eth_requestAccounts', []))),
    reconnect: () => run(async () => addresses(await provider.listAccounts())),
    disconnect: () => run(() => provider.send('wallet_revokePermissions', [{ eth_accounts: {} }])),
    chainId: () => run(chainId),
    switchChain: (chainId) =>
      run(() => provider.send('wallet_switchEthereumChain', [{ chainId: utils.hexValue(chainId) }])),
    addChain: (chain) => run(() => provider.send('wallet_addEthereumChain', [chainParameter(chain)])),

    signMessage: (text) => run(() => signer.signMessage(text)),
    signTypedData: ({ types: { EIP712Domain: _domain, ...types }, domain, message }) =>
      run(() => signer._signTypedData(domain, mutable(types), message)),

    balance: (address) => run(async () => String(await provider.getBalance(address))),
    send: (transaction) => run(async () => (await signer.sendTransaction(requestOf(transaction))).hash),
    wait: (hash) =>
      run(async () => ((await provider.waitForTransaction(hash)).status === 1 ? 'success' : 'reverted')),
    deploy: () =>
      run(async () => {
        const deployed = await new ContractFactory(reverter.abi, reverter.code, signer).deploy();
        return (await deployed.deployed()).address.toLowerCase();
      }),
    read: (contract) => run(async () => String(await method(contract, 'stored')())),
    write: (contract, value) => run(async () => (await method(contract, 'store')(value)).hash),
    callFailing: (contract, way) =>
      run(async () => String(await at(contract).callStatic[failing[way].view]?.())),
    estimateFailing: (contract, way) =>
      run(async () => String(await at(contract).estimateGas[failing[way].send]?.())),
    sendFailing: (contract, way) => run(async () => (await method(contract, failing[way].send)()).hash),

    watchBlocks: () =>
      run(async () => {
        provider.on('block', (number: number) => blocks.push(number));
        return null;
      }),
    watchEvents: (contract) =>
      run(async () => {
        const listening = new Contract(contract, reverter.abi, provider);
        watched.push(listening);
        listening.on('Stored', (_by: string, value: unknown) => stored.push(String(value)));
        return null;
      }),
    unwatch: () =>
      run(async () => {
        provider.removeAllListeners('block');
        for (const each of watched.splice(0)) each.removeAllListeners();
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

/**
 * `error.code` is the library's word, or the wallet's number where the library passes the error on as it is. A
 * revert that it decoded itself has `errorName`; what it could not explain is kept below in `error`.
 */
function explain(error: unknown): Explained {
  const shown = error as Shown;
  const isWord = typeof shown.code === 'string';
  const below = isWord ? deepest(shown.error) : shown;
  const { errorName, errorArgs } = shown;
  const [text] = isWord ? shown.message.split(/ [[(]/) : [shown.message];
  const decoded =
    errorName && errorName !== 'Error' ? `${errorName}(${errorArgs?.join(', ')})` : custom(below?.data);
  const reason = decoded ?? shown.reason ?? text;
  return {
    class: isWord ? String(shown.code) : shown.constructor.name,
    ...(below?.code !== undefined && { code: below.code }),
    ...(reason && { reason }),
    message: shown.message,
  };
}

interface Shown extends Error {
  readonly code?: number | string;
  readonly reason?: string | null;
  readonly errorName?: string | null;
  readonly errorArgs?: readonly unknown[];
  readonly data?: unknown;
  readonly error?: Shown;
}

/** What an estimate leaves to the dapp: the contract's own errors. */
function custom(data: unknown): string | undefined {
  try {
    const { name, args } = abi.parseError(data as string);
    return `${name}(${args.join(', ')})`;
  } catch {
    return undefined;
  }
}

const abi = new utils.Interface(reverter.abi);

const deepest = (error: Shown | undefined): Shown | undefined =>
  error?.error ? deepest(error.error) : error;

/** In what it has no word for, the library passes on the wallet's own error. */
const refused = { class: 'ProviderRpcError', code: 4001 };
/** Told by the words "user denied"; the code is lost. */
const rejected = { class: 'ACTION_REJECTED' };

export const ethersV5: Adapter = {
  version,
  create,
  lacks: [],
  expected: {
    'connect, refused': refused,
    'sign a message, refused': rejected,
    'sign typed data, refused': rejected,
    'switch chain, refused': refused,
    'switch to an unknown chain': { class: 'ProviderRpcError', code: 4902 },
    'add a chain, refused': refused,
    'send, refused': rejected,
    'call that reverts: string': { class: 'CALL_EXCEPTION', reason: 'Reverter: said no' },
    'call that reverts: panic': { class: 'CALL_EXCEPTION', reason: 'Panic(17)' },
    'call that reverts: custom': { class: 'CALL_EXCEPTION', reason: 'TooLow(1, 2)' },
    'call that reverts: empty': { class: 'CALL_EXCEPTION', reason: 'call revert exception' },
    'estimate that reverts: string': {
      seed: 'succeeds',
      node: { class: 'UNPREDICTABLE_GAS_LIMIT', code: 3, reason: 'execution reverted: Reverter: said no' },
    },
    'estimate that reverts: panic': {
      seed: 'succeeds',
      node: {
        class: 'UNPREDICTABLE_GAS_LIMIT',
        code: 3,
        reason: 'execution reverted: panic: arithmetic overflow or underflow (0x11)',
      },
    },
    'estimate that reverts: custom': {
      seed: 'succeeds',
      node: { class: 'UNPREDICTABLE_GAS_LIMIT', code: 3, reason: 'TooLow(1, 2)' },
    },
    'estimate that reverts: empty': {
      seed: 'succeeds',
      node: { class: 'UNPREDICTABLE_GAS_LIMIT', code: 3, reason: 'execution reverted' },
    },
    'send that reverts: string': {
      seed: 'succeeds',
      node: { class: 'UNPREDICTABLE_GAS_LIMIT', code: 3, reason: 'execution reverted: Reverter: said no' },
    },
    'send that reverts: panic': {
      seed: 'succeeds',
      node: {
        class: 'UNPREDICTABLE_GAS_LIMIT',
        code: 3,
        reason: 'execution reverted: panic: arithmetic overflow or underflow (0x11)',
      },
    },
    'send that reverts: custom': {
      seed: 'succeeds',
      node: { class: 'UNPREDICTABLE_GAS_LIMIT', code: 3, reason: 'TooLow(1, 2)' },
    },
    'send that reverts: empty': {
      seed: 'succeeds',
      node: { class: 'UNPREDICTABLE_GAS_LIMIT', code: 3, reason: 'execution reverted' },
    },
    'insufficient funds': { class: 'INSUFFICIENT_FUNDS', code: -32003 },
    'nonce too low': { class: 'NONCE_EXPIRED', code: -32003 },
    'replacement underpriced': { class: 'REPLACEMENT_UNDERPRICED', code: -32003 },
    'gas price under the minimum': { class: 'ProviderRpcError', code: -32003 },
    'service down': { class: 'ProviderRpcError', code: -32002 },
    'quota spent': { class: 'ProviderRpcError', code: -32005 },
  },
};
