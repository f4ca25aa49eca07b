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
  version,
} from 'ethers';
import type { Adapter, Explained, Library } from './client.js';
import { reverter } from './contracts.js';
import { createEthersActs, leftMeanwhile, typesWithoutDomain } from './ethers.js';
import { onNode, refusals, reverts } from './expected.js';
import { createHeard } from './heard.js';

type Injected = Eip1193Provider & { on(event: string, listener: (news: never) => void): unknown };

const create: Library['create'] = (surroundings) => {
  const injected = surroundings.provider as Injected;
  // Its quarter of a second of cache would make the count of requests depend on how fast one is.
  const provider = new BrowserProvider(injected, 'any', { cacheTimeout: -1 });
  provider.pollingInterval = surroundings.pollingInterval;
  const heard = createHeard();

  injected.on('accountsChanged', (news: string[]) => heard.accounts.push([...news]));
  // "any" lets the chain change; the library looks which it is when it is next asked, and then tells.
  injected.on('chainChanged', () => provider.getNetwork().catch(leftMeanwhile));
  provider.on('network', ({ chainId }: Network) => heard.chains.push(Number(chainId)));

  const signer = () => provider.getSigner();
  const reader = (address: string) => new Contract(address, reverter.abi, provider);
  const method = async (address: string, name: string) =>
    new Contract(address, reverter.abi, await signer()).getFunction(name);
  const acts = createEthersActs({
    provider,
    heard,
    signer,
    listening: reader,
    transact: async (address, name, ...args) => (await method(address, name))(...args),
    call: async (address, name) => (await method(address, name)).staticCall(),
    estimate: async (address, name) => (await method(address, name)).estimateGas(),
  });
  return {
    ...acts,
    connect: async () => [(await signer()).address.toLowerCase()],
    reconnect: async () => (await provider.listAccounts()).map(({ address }) => address.toLowerCase()),
    async chainId() {
      // After a change it answers once more with the chain that was.
      await provider.getNetwork();
      return Number((await provider.getNetwork()).chainId);
    },
    signTypedData: async ({ types, domain, message }) =>
      (await signer()).signTypedData(domain, typesWithoutDomain(types), message),
    async wait(hash) {
      try {
        await (await provider.getTransaction(hash))?.wait();
        return 'success';
      } catch (error) {
        if (isCallException(error) && error.receipt) return 'reverted';
        throw error;
      }
    },
    async deploy() {
      const factory = new ContractFactory(reverter.abi, reverter.code, await signer());
      const deployed = await (await factory.deploy()).waitForDeployment();
      return (await deployed.getAddress()).toLowerCase();
    },
    read: async (contract) => String(await reader(contract).getFunction('stored')()),
    async unwatch() {
      await acts.unwatch();
      // It does not wait until its filter is gone, and a page that is left would then answer no more.
      await provider.send('eth_uninstallFilter', ['0x0']);
    },
  };
};

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

const calls = (reason: string) => ({ class: 'CALL_EXCEPTION', reason });
const reasons = {
  string: calls('Reverter: said no'),
  panic: calls('Panic due to OVERFLOW(17)'),
  custom: calls('TooLow(1, 2)'),
  empty: calls('require(false)'),
};
const estimates = onNode({
  string: { ...reasons.string, code: 3 },
  panic: { ...reasons.panic, code: 3 },
  custom: { ...reasons.custom, code: 3 },
  empty: { ...reasons.empty, code: 3 },
});

/**
 * A revert that `staticCall` explains by the ABI has lost the wallet's error; an estimate keeps it. Prices that the
 * chain refuses, and outages, have no word of their own here.
 */
export const ethersV6: Adapter = {
  version,
  create,
  explain,
  expected: {
    ...refusals({ class: 'ACTION_REJECTED', code: 4001 }),
    'switch to an unknown chain': { class: 'UNKNOWN_ERROR', code: 4902 },
    ...reverts('call', reasons),
    ...reverts('estimate', estimates),
    ...reverts('send', estimates),
    'insufficient funds': { class: 'INSUFFICIENT_FUNDS', code: -32003 },
    'nonce too low': { class: 'NONCE_EXPIRED', code: -32003 },
    'replacement underpriced': { class: 'REPLACEMENT_UNDERPRICED', code: -32003 },
    'gas price under the minimum': { class: 'UNKNOWN_ERROR', code: -32003 },
    'service down': { class: 'UNKNOWN_ERROR', code: -32002 },
    'quota spent': { class: 'UNKNOWN_ERROR', code: -32005 },
  },
};
