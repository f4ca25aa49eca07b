import type { Discovered, Provider, RequestFunction } from './eip1193.js';

/** The connected wallet's request function, the selected account and the active chain. */
export interface Connection {
  readonly request: RequestFunction;
  readonly account: string;
  readonly chainId: number;
}

export interface Connections {
  /** Connects by `eth_requestAccounts`. Rejects with the wallet's error. */
  connect(wallet: Discovered): Promise<void>;
  /** Restores the connection of an earlier page load without prompting (`eth_accounts`). */
  resume(wallet: Discovered): Promise<void>;
  /** Revokes the permission and forgets the wallet. */
  disconnect(): Promise<void>;
  /** Calls `listener` after each change; with `null` while not connected. */
  watch(listener: (connection: Connection | null) => void): void;
  /** Calls `listener` with each subscription event. */
  onMessage(listener: (subscription: string, result: never) => void): void;
}

const storageKey = 'dapp:wallet';

export function createConnections(through: (provider: Provider) => RequestFunction): Connections {
  const listeners: ((connection: Connection | null) => void)[] = [];
  const messageListeners: ((subscription: string, result: never) => void)[] = [];
  let request: RequestFunction | undefined;
  let attached: Provider | undefined;
  let accounts: readonly string[] = [];
  let chainId = 0;

  const changed = () => {
    const [account] = accounts;
    const connection = request && account ? { request, account, chainId } : null;
    for (const listener of listeners) listener(connection);
  };

  const attach = (provider: Provider) => {
    if (attached === provider) return;
    attached = provider;
    request = through(provider);
    provider.on('accountsChanged', (given: readonly string[]) => {
      accounts = given;
      changed();
    });
    provider.on('chainChanged', (id: string) => {
      chainId = Number(id);
      changed();
    });
    provider.on('message', ({ type, data }: Message) => {
      if (type === 'eth_subscription')
        for (const listener of messageListeners) listener(data.subscription, data.result);
    });
  };

  const take = async (wallet: Discovered, method: 'eth_requestAccounts' | 'eth_accounts') => {
    attach(wallet.provider);
    if (!request) return;
    const given = (await request(method)) as readonly string[];
    if (given.length === 0) return;
    chainId = Number(await request('eth_chainId'));
    accounts = given;
    localStorage.setItem(storageKey, wallet.info.rdns);
    changed();
  };

  return {
    connect: (wallet) => take(wallet, 'eth_requestAccounts'),
    async resume(wallet) {
      if (localStorage.getItem(storageKey) === wallet.info.rdns) await take(wallet, 'eth_accounts');
    },
    async disconnect() {
      localStorage.removeItem(storageKey);
      await request?.('wallet_revokePermissions', [{ eth_accounts: {} }]);
    },
    watch: (listener) => void listeners.push(listener),
    onMessage: (listener) => void messageListeners.push(listener),
  };
}

interface Message {
  readonly type: string;
  readonly data: { readonly subscription: string; readonly result: never };
}
