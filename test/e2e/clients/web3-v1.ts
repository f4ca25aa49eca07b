/** web3.js 1: the same words as its successor in an older grammar, of callbacks and event emitters. */
import module from 'web3-v1';
import { type Adapter, type Client, type CreateClient, type Explained, outcome } from './client.js';
import { failing, reverter } from './contracts.js';
import { chainParameter, createHeard } from './heard.js';

// Its types tell of a default export, which the CommonJS module behind them has not.
const Web3 = module as unknown as typeof module.default;

const version = Web3.version;

interface Injected {
  on(event: 'accountsChanged', listener: (accounts: readonly string[]) => void): unknown;
  on(event: 'chainChanged', listener: (chainId: string) => void): unknown;
}

const create: CreateClient = ({ provider }) => {
  const injected = provider as Injected;
  const web3 = new Web3(provider as never);
  // What it has no function for, it lets a dapp add.
  web3.extend({
    property: 'wallet',
    methods: [
      { name: 'revokePermissions', call: 'wallet_revokePermissions', params: 1 },
      { name: 'switchChain', call: 'wallet_switchEthereumChain', params: 1 },
      { name: 'addChain', call: 'wallet_addEthereumChain', params: 1 },
      { name: 'signTypedData', call: 'eth_signTypedData_v4', params: 2 },
    ],
  });
  const { wallet } = web3 as unknown as { wallet: Extension };

  const watching: { unsubscribe(done?: () => void): unknown }[] = [];
  const sent = new Map<string, Promise<'success' | 'reverted'>>();
  const { accounts, chains, blocks, stored, seen } = createHeard();

  injected.on('accountsChanged', (news) => accounts.push([...news]));
  injected.on('chainChanged', (chainId) => chains.push(Number(chainId)));

  const act = <T>(run: () => Promise<T>) => outcome(run, explain);
  const at = (address?: string) => new web3.eth.Contract(reverter.abi as never, address);
  const lower = (list: readonly string[]) => list.map((each) => each.toLowerCase());
  const account = async () => (await web3.eth.getAccounts())[0] as string;

  /** The library goes on until the receipt; a dapp that wants the hash takes the event. */
  const hashOf = (sending: PromiseLike<unknown>) =>
    new Promise<string>((resolve, reject) => {
      const mined = Promise.resolve(sending).then(
        () => 'success' as const,
        (error: { receipt?: object }) => {
          if (!error.receipt) throw error;
          return 'reverted' as const;
        },
      );
      mined.catch(reject);
      (sending as Sending).once('transactionHash', (hash) => {
        sent.set(hash, mined);
        resolve(hash);
      });
    });

  const client: Client = {
    connect: () => act(async () => lower(await web3.eth.requestAccounts())),
    reconnect: () => act(async () => lower(await web3.eth.getAccounts())),
    disconnect: () => act(() => wallet.revokePermissions({ eth_accounts: {} })),
    chainId: () => act(() => web3.eth.getChainId()),
    switchChain: (chainId) => act(() => wallet.switchChain({ chainId: web3.utils.toHex(chainId) })),
    addChain: (chain) => act(() => wallet.addChain(chainParameter(chain))),

    signMessage: (text) => act(async () => web3.eth.personal.sign(text, await account(), '')),
    signTypedData: (typedData) => act(async () => wallet.signTypedData(await account(), typedData)),

    balance: (address) => act(() => web3.eth.getBalance(address)),
    send: (transaction) =>
      act(async () => hashOf(web3.eth.sendTransaction({ ...transaction, from: await account() }))),
    wait: (hash) => act(async () => sent.get(hash) as Promise<'success' | 'reverted'>),
    deploy: () =>
      act(async () => {
        const sending = at().deploy({ data: reverter.code });
        const deployed = await sending.send({ from: await account() });
        return deployed.options.address.toLowerCase();
      }),
    read: (contract) => act(async () => String(await at(contract).methods.stored().call())),
    write: (contract, value) =>
      act(async () =>
        hashOf(
          at(contract)
            .methods.store(value)
            .send({ from: await account() }),
        ),
      ),
    callFailing: (contract, way) =>
      act(async () => String(await at(contract).methods[failing[way].view]().call())),
    estimateFailing: (contract, way) =>
      act(async () => {
        const from = await account();
        return String(await at(contract).methods[failing[way].send]().estimateGas({ from }));
      }),
    sendFailing: (contract, way) =>
      act(async () =>
        hashOf(
          at(contract)
            .methods[failing[way].send]()
            .send({ from: await account() }),
        ),
      ),

    watchBlocks: () =>
      act(async () => {
        const heads = web3.eth.subscribe('newBlockHeaders');
        heads.on('data', ({ number }) => blocks.push(number));
        await connected(heads);
        watching.push(heads);
        return null;
      }),
    watchEvents: (contract) =>
      act(async () => {
        const events = at(contract).events.Stored();
        events.on('data', ({ returnValues }: Event) => stored.push(returnValues.value));
        await connected(events);
        watching.push(events);
        return null;
      }),
    unwatch: () =>
      act(async () => {
        for (const each of watching.splice(0)) await new Promise<void>((done) => each.unsubscribe(done));
        return null;
      }),
    seen,
  };
  return client;
};

interface Extension {
  revokePermissions(permissions: object): Promise<null>;
  switchChain(chain: object): Promise<null>;
  addChain(chain: object): Promise<null>;
  signTypedData(account: string, typedData: object): Promise<string>;
}

/** What `sendTransaction` and a contract's `send` return. */
interface Sending extends PromiseLike<unknown> {
  once(event: 'transactionHash', listener: (hash: string) => void): unknown;
}

interface Event {
  readonly returnValues: { readonly value: string };
}

const connected = (subscription: object) =>
  new Promise((resolve, reject) => {
    const events = subscription as { once(event: string, listener: (news: unknown) => void): unknown };
    events.once('connected', resolve);
    events.once('error', reject);
  });

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

const refused = { class: 'ProviderRpcError', code: 4001 };
const rejected = { class: 'ProviderRpcError', code: -32003 };

/** It decodes nothing, and estimates nothing before a send. */
export const web3V1: Adapter = {
  version,
  create,
  lacks: [],
  expected: {
    'connect, refused': refused,
    'sign a message, refused': refused,
    'sign typed data, refused': refused,
    'switch chain, refused': refused,
    'switch to an unknown chain': { class: 'ProviderRpcError', code: 4902 },
    'add a chain, refused': refused,
    'send, refused': refused,
    'call that reverts: string': {
      class: 'ProviderRpcError',
      code: 3,
      reason: 'execution reverted: Reverter: said no',
    },
    'call that reverts: panic': {
      class: 'ProviderRpcError',
      code: 3,
      reason: 'execution reverted: panic: arithmetic overflow or underflow (0x11)',
    },
    'call that reverts: custom': { class: 'ProviderRpcError', code: 3, reason: 'execution reverted' },
    'call that reverts: empty': { class: 'ProviderRpcError', code: 3, reason: 'execution reverted' },
    'estimate that reverts: string': {
      seed: 'succeeds',
      node: { class: 'ProviderRpcError', code: 3, reason: 'execution reverted: Reverter: said no' },
    },
    'estimate that reverts: panic': {
      seed: 'succeeds',
      node: {
        class: 'ProviderRpcError',
        code: 3,
        reason: 'execution reverted: panic: arithmetic overflow or underflow (0x11)',
      },
    },
    'estimate that reverts: custom': {
      seed: 'succeeds',
      node: { class: 'ProviderRpcError', code: 3, reason: 'execution reverted' },
    },
    'estimate that reverts: empty': {
      seed: 'succeeds',
      node: { class: 'ProviderRpcError', code: 3, reason: 'execution reverted' },
    },
    'send that reverts: string': 'succeeds',
    'send that reverts: panic': 'succeeds',
    'send that reverts: custom': 'succeeds',
    'send that reverts: empty': 'succeeds',
    'insufficient funds': rejected,
    'nonce too low': rejected,
    'replacement underpriced': rejected,
    'gas price under the minimum': rejected,
    'service down': { class: 'ProviderRpcError', code: -32002 },
    'quota spent': { class: 'ProviderRpcError', code: -32005 },
  },
};
