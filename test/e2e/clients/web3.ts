import type { Acts, TypedData } from './client.js';
import { failing, reverter } from './contracts.js';
import { refusals } from './expected.js';
import { chainParameter, createHeard } from './heard.js';

/** The acts that web3.js 1 and web3.js 4 say in the same words, with what they name differently. */

/** The result of a transaction's `send`. */
interface Sending extends PromiseLike<unknown> {
  once(event: 'transactionHash', listener: (hash: string) => void): unknown;
}

interface Method {
  call(): Promise<unknown>;
  estimateGas(options: { readonly from: string }): Promise<unknown>;
  send(options: { readonly from: string }): Sending;
}

export interface Emitter {
  on(event: string, listener: (news: never) => void): unknown;
  once(event: string, listener: (news: never) => void): unknown;
}

interface Deployed {
  readonly options: { readonly address?: string };
}

interface Contract {
  readonly methods: Readonly<Record<string, (...args: readonly unknown[]) => Method>>;
  readonly events: { Stored(): Emitter };
  deploy(options: { readonly data: string }): {
    send(options: { readonly from: string }): PromiseLike<Deployed>;
  };
}

export interface Web3Eth {
  requestAccounts(): Promise<string[]>;
  getAccounts(): Promise<string[]>;
  getChainId(): Promise<unknown>;
  getBalance(address: string): Promise<unknown>;
  sendTransaction(transaction: object): Sending;
  readonly Contract: new (abi: unknown, address?: string) => Contract;
}

export declare namespace createWeb3Acts {
  interface Options {
    readonly provider: unknown;
    readonly eth: Web3Eth;
    /** Sends a request that the library has no function for. */
    readonly request: (method: string, ...params: readonly unknown[]) => Promise<never>;
    readonly sign: (text: string, account: string) => Promise<string>;
    readonly signTypedData: (account: string, typedData: TypedData) => Promise<string>;
    /** Resolves when the library listens for heads. */
    readonly subscribeToHeads: () => Promise<Emitter>;
    readonly unsubscribe: (subscription: Emitter) => Promise<unknown>;
  }
}

export function createWeb3Acts(options: createWeb3Acts.Options): Acts {
  const { eth, request } = options;
  const { accounts, chains, blocks, stored, seen } = createHeard();
  const watching: Emitter[] = [];
  const sent = new Map<string, Promise<'success' | 'reverted'>>();

  const injected = options.provider as Emitter;
  injected.on('accountsChanged', (news: readonly string[]) => accounts.push([...news]));
  injected.on('chainChanged', (chainId: string) => chains.push(Number(chainId)));

  const at = (address?: string) => new eth.Contract(reverter.abi, address);
  const method = (contract: string, name: string, ...args: readonly unknown[]) =>
    (at(contract).methods[name] as (...args: readonly unknown[]) => Method)(...args);
  const lower = (list: readonly string[]) => list.map((each) => each.toLowerCase());
  const from = async () => (await eth.getAccounts())[0] as string;

  /** The library goes on until the receipt; a dapp that wants the hash takes the event. */
  const hashOf = (sending: Sending) =>
    new Promise<string>((resolve, reject) => {
      const mined = Promise.resolve(sending).then(
        () => 'success' as const,
        (error: { receipt?: object }) => {
          if (!error.receipt) throw error;
          return 'reverted' as const;
        },
      );
      mined.catch(reject);
      sending.once('transactionHash', (hash) => {
        sent.set(hash, mined);
        resolve(hash);
      });
    });

  return {
    connect: async () => lower(await eth.requestAccounts()),
    reconnect: async () => lower(await eth.getAccounts()),
    disconnect: () => request('wallet_revokePermissions', { eth_accounts: {} }),
    chainId: async () => Number(await eth.getChainId()),
    switchChain: (chainId) => request('wallet_switchEthereumChain', { chainId: `0x${chainId.toString(16)}` }),
    addChain: (chain) => request('wallet_addEthereumChain', chainParameter(chain)),

    signMessage: async (text) => options.sign(text, await from()),
    signTypedData: async (typedData) => options.signTypedData(await from(), typedData),

    balance: async (address) => String(await eth.getBalance(address)),
    send: async (transaction) => hashOf(eth.sendTransaction({ ...transaction, from: await from() })),
    wait: async (hash) => sent.get(hash) as Promise<'success' | 'reverted'>,
    async deploy() {
      const deployed = await at()
        .deploy({ data: reverter.code })
        .send({ from: await from() });
      return String(deployed.options.address).toLowerCase();
    },
    read: async (contract) => String(await method(contract, 'stored').call()),
    write: async (contract, value) => hashOf(method(contract, 'store', value).send({ from: await from() })),
    callFailing: async (contract, way) => String(await method(contract, failing[way].view).call()),
    estimateFailing: async (contract, way) =>
      String(await method(contract, failing[way].send).estimateGas({ from: await from() })),
    sendFailing: async (contract, way) =>
      hashOf(method(contract, failing[way].send).send({ from: await from() })),

    async watchBlocks() {
      const heads = await options.subscribeToHeads();
      heads.on('data', ({ number }: { readonly number: unknown }) => blocks.push(Number(number)));
      watching.push(heads);
    },
    async watchEvents(contract) {
      const events = at(contract).events.Stored();
      events.on('data', ({ returnValues }: Event) => stored.push(String(returnValues.value)));
      await connected(events);
      watching.push(events);
    },
    async unwatch() {
      for (const each of watching.splice(0)) await options.unsubscribe(each);
    },
    seen,
  };
}

interface Event {
  readonly returnValues: { readonly value: unknown };
}

/** Resolves when a subscription is there. */
export const connected = (subscription: Emitter): Promise<unknown> =>
  new Promise((resolve, reject) => {
    subscription.once('connected', resolve);
    subscription.once('error', reject);
  });

/** The wallet's own errors pass as they are. */
export const passedOn = {
  ...refusals({ class: 'ProviderRpcError', code: 4001 }),
  'switch to an unknown chain': { class: 'ProviderRpcError', code: 4902 },
  'insufficient funds': { class: 'ProviderRpcError', code: -32003 },
  'nonce too low': { class: 'ProviderRpcError', code: -32003 },
  'replacement underpriced': { class: 'ProviderRpcError', code: -32003 },
  'gas price under the minimum': { class: 'ProviderRpcError', code: -32003 },
  'service down': { class: 'ProviderRpcError', code: -32002 },
  'quota spent': { class: 'ProviderRpcError', code: -32005 },
};
