/** web3.js 4: `web3.eth`, its contracts, and subscriptions, which it takes for granted where there is `on`. */
import { type EIP1193Provider, type EthExecutionAPI, errors, Web3 } from 'web3';
import { type Adapter, type Client, type CreateClient, type Explained, outcome } from './client.js';
import { failing, reverter } from './contracts.js';
import { chainParameter, createHeard } from './heard.js';

const version = Web3.version;

const create: CreateClient = ({ provider, pollingInterval }) => {
  const injected = provider as EIP1193Provider<EthExecutionAPI>;
  const web3 = new Web3(injected);
  // A chain without a base fee: its default, a transaction of EIP-1559, it refuses to make there.
  web3.setConfig({ defaultTransactionType: '0x0', transactionPollingInterval: pollingInterval });

  const watching: { unsubscribe(): Promise<void> }[] = [];
  const sent = new Map<string, Promise<'success' | 'reverted'>>();
  const { accounts, chains, blocks, stored, seen } = createHeard();

  injected.on('accountsChanged', (news) => accounts.push([...news]));
  injected.on('chainChanged', (chainId) => chains.push(Number(chainId)));

  const act = <T>(run: () => Promise<T>) => outcome(run, explain);
  const at = (address: string) => new web3.eth.Contract(reverter.abi, address);
  const lower = (list: readonly string[]) => list.map((each) => each.toLowerCase());
  const account = async () => (await web3.eth.getAccounts())[0] as string;
  const ask = (method: string, params: readonly unknown[]) =>
    web3.requestManager.send({ method, params } as never) as Promise<null>;

  /** The library goes on until the receipt; a dapp that wants the hash takes the event. */
  const hashOf = (sending: object) =>
    new Promise<string>((resolve, reject) => {
      const mined = Promise.resolve(sending as PromiseLike<unknown>).then(
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
    disconnect: () => act(() => ask('wallet_revokePermissions', [{ eth_accounts: {} }])),
    chainId: () => act(async () => Number(await web3.eth.getChainId())),
    switchChain: (chainId) =>
      act(() => ask('wallet_switchEthereumChain', [{ chainId: web3.utils.toHex(chainId) }])),
    addChain: (chain) => act(() => ask('wallet_addEthereumChain', [chainParameter(chain)])),

    signMessage: (text) =>
      act(async () => web3.eth.personal.sign(web3.utils.utf8ToHex(text), await account(), '')),
    signTypedData: (typedData) =>
      act(async () => web3.eth.signTypedData(await account(), typedData as never)),

    balance: (address) => act(async () => String(await web3.eth.getBalance(address))),
    send: (transaction) =>
      act(async () => hashOf(web3.eth.sendTransaction({ ...transaction, from: await account() }))),
    wait: (hash) => act(async () => sent.get(hash) as Promise<'success' | 'reverted'>),
    deploy: () =>
      act(async () => {
        const sending = new web3.eth.Contract(reverter.abi).deploy({ data: reverter.code });
        const deployed = await sending.send({ from: await account() });
        return String(deployed.options.address).toLowerCase();
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
        const heads = await web3.eth.subscribe('newBlockHeaders');
        heads.on('data', ({ number }) => void blocks.push(Number(number)));
        watching.push(heads);
        return null;
      }),
    watchEvents: (contract) =>
      act(async () => {
        const events = at(contract).events.Stored();
        const connected = new Promise((resolve, reject) => {
          events.once('connected', resolve);
          events.once('error', reject);
        });
        events.on('data', ({ returnValues }) => void stored.push(String(returnValues.value)));
        await connected;
        watching.push(events);
        return null;
      }),
    unwatch: () =>
      act(async () => {
        for (const each of watching.splice(0)) await each.unsubscribe();
        return null;
      }),
    seen,
  };
  return client;
};

/** What `sendTransaction` and a contract's `send` return. */
interface Sending extends PromiseLike<unknown> {
  once(event: 'transactionHash', listener: (hash: string) => void): unknown;
}

/**
 * The wallet's own errors pass as they are. A revert becomes `ContractExecutionError`, whose `cause` has the
 * wallet's code and what the ABI explains. Revert data of no bytes it takes for the ABI's first error, without
 * arguments: that is no explanation.
 */
function explain(error: unknown): Explained {
  const shown = error as Shown;
  const below = shown instanceof errors.BaseWeb3Error ? (shown.cause as Shown | undefined) : shown;
  const { errorName, errorArgs } = below ?? {};
  const values = Object.entries(errorArgs ?? {}).flatMap(([key, value]) =>
    /^\d+$/.test(key) ? [value] : [],
  );
  const decoded =
    errorName === 'Error' ? String(values[0]) : errorArgs && `${errorName}(${values.join(', ')})`;
  return {
    class: shown.constructor.name,
    ...(below?.code !== undefined && { code: below.code }),
    reason: decoded ?? (below ?? shown).message,
    message: shown.message,
  };
}

interface Shown extends Error {
  readonly code?: number;
  readonly errorName?: string;
  readonly errorArgs?: Readonly<Record<string, unknown>>;
}

const refused = { class: 'ProviderRpcError', code: 4001 };
const rejected = { class: 'ProviderRpcError', code: -32003 };

/** It estimates nothing before a send: a person is asked about what the dry run says reverts. */
export const web3V4: Adapter = {
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
    'call that reverts: string': { class: 'ContractExecutionError', code: 3, reason: 'Reverter: said no' },
    'call that reverts: panic': { class: 'ContractExecutionError', code: 3, reason: 'Panic(17)' },
    'call that reverts: custom': { class: 'ContractExecutionError', code: 3, reason: 'TooLow(1, 2)' },
    'call that reverts: empty': { class: 'ContractExecutionError', code: 3, reason: 'execution reverted' },
    'estimate that reverts: string': {
      seed: 'succeeds',
      node: { class: 'ContractExecutionError', code: 3, reason: 'execution reverted: Reverter: said no' },
    },
    'estimate that reverts: panic': {
      seed: 'succeeds',
      node: {
        class: 'ContractExecutionError',
        code: 3,
        reason: 'execution reverted: panic: arithmetic overflow or underflow (0x11)',
      },
    },
    'estimate that reverts: custom': {
      seed: 'succeeds',
      node: { class: 'ContractExecutionError', code: 3, reason: 'execution reverted' },
    },
    'estimate that reverts: empty': {
      seed: 'succeeds',
      node: { class: 'ContractExecutionError', code: 3, reason: 'execution reverted' },
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
