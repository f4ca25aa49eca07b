/** ethers 5: `providers.Web3Provider`, its signer and its contracts. */
import { Contract, ContractFactory, type ContractFunction, providers, utils, version } from 'ethers-v5';
import type { Adapter, Explained, Library } from './client.js';
import { reverter } from './contracts.js';
import { createEthersActs, leftMeanwhile, typesWithoutDomain } from './ethers.js';
import { nodeReverts, onNode, refusals, reverts } from './expected.js';
import { createHeard } from './heard.js';

type Injected = providers.ExternalProvider & {
  on(event: string, listener: (news: never) => void): unknown;
};

const create: Library['create'] = (surroundings) => {
  const injected = surroundings.provider as Injected;
  const provider = new providers.Web3Provider(injected, 'any');
  provider.pollingInterval = surroundings.pollingInterval;
  const heard = createHeard();

  // "any" lets the chain change: the library looks which it is when it is asked, but once in a turn of the loop.
  const chainId = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return (await provider.getNetwork()).chainId;
  };
  injected.on('accountsChanged', (news: string[]) => heard.accounts.push([...news]));
  injected.on('chainChanged', () => chainId().then((changed) => heard.chains.push(changed), leftMeanwhile));

  const signer = provider.getSigner();
  const at = (address: string) => new Contract(address, reverter.abi, signer);
  const method = (address: string, name: string) => at(address)[name] as ContractFunction;
  const lower = (list: readonly string[]) => list.map((each) => each.toLowerCase());
  return {
    ...createEthersActs({
      provider,
      heard,
      signer: () => signer,
      listening: (address) => new Contract(address, reverter.abi, provider),
      transact: (address, name, ...args) => method(address, name)(...args),
      call: async (address, name) => at(address).callStatic[name]?.(),
      estimate: async (address, name) => at(address).estimateGas[name]?.(),
    }),
    connect: async () => lower(await provider.send('eth_requestAccounts', [])),
    reconnect: async () => lower(await provider.listAccounts()),
    chainId,
    signTypedData: ({ types, domain, message }) =>
      signer._signTypedData(domain, typesWithoutDomain(types), message),
    wait: async (hash) => ((await provider.waitForTransaction(hash)).status === 1 ? 'success' : 'reverted'),
    async deploy() {
      const deployed = await new ContractFactory(reverter.abi, reverter.code, signer).deploy();
      return (await deployed.deployed()).address.toLowerCase();
    },
    read: async (contract) => String(await method(contract, 'stored')()),
  };
};

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

const calls = (reason: string) => ({ class: 'CALL_EXCEPTION', reason });
const unpredictable = onNode({
  ...nodeReverts('UNPREDICTABLE_GAS_LIMIT'),
  custom: { class: 'UNPREDICTABLE_GAS_LIMIT', code: 3, reason: 'TooLow(1, 2)' },
});

export const ethersV5: Adapter = {
  version: version.replace('ethers/', ''),
  create,
  explain,
  expected: {
    // Known by the words "user denied"; the code is lost.
    ...refusals({ class: 'ACTION_REJECTED' }),
    'connect, refused': refused,
    'switch chain, refused': refused,
    'add a chain, refused': refused,
    'switch to an unknown chain': { class: 'ProviderRpcError', code: 4902 },
    ...reverts('call', {
      string: calls('Reverter: said no'),
      panic: calls('Panic(17)'),
      custom: calls('TooLow(1, 2)'),
      empty: calls('call revert exception'),
    }),
    ...reverts('estimate', unpredictable),
    ...reverts('send', unpredictable),
    'insufficient funds': { class: 'INSUFFICIENT_FUNDS', code: -32003 },
    'nonce too low': { class: 'NONCE_EXPIRED', code: -32003 },
    'replacement underpriced': { class: 'REPLACEMENT_UNDERPRICED', code: -32003 },
    'gas price under the minimum': { class: 'ProviderRpcError', code: -32003 },
    'service down': { class: 'ProviderRpcError', code: -32002 },
    'quota spent': { class: 'ProviderRpcError', code: -32005 },
  },
};
