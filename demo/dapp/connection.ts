import type { Ask, Discovered, Provider } from './eip1193.js';

/** The wallet that the person chose, the account it gave, and the chain it is on. */
export interface Connection {
  readonly ask: Ask;
  readonly account: string;
  readonly chainId: number;
}

export interface Connections {
  /** Asks for accounts. @throws what the wallet rejects with */
  connect(wallet: Discovered): Promise<void>;
  /** Takes up again what was connected before the page was loaded; asks nobody. */
  resume(wallet: Discovered): Promise<void>;
  disconnect(): Promise<void>;
  /** `null` while not connected. Calls `listener` at each change, and with each event of a subscription. */
  watch(listener: (connection: Connection | null) => void): void;
  onMessage(listener: (subscription: string, result: never) => void): void;
}

const remembered = 'dapp:wallet';

export function createConnections(through: (provider: Provider) => Ask): Connections {
  const listeners: ((connection: Connection | null) => void)[] = [];
  const messageListeners: ((subscription: string, result: never) => void)[] = [];
  let ask: Ask | undefined;
  let attached: Provider | undefined;
  let accounts: readonly string[] = [];
  let chainId = 0;

  const changed = () => {
    const [account] = accounts;
    const connection = ask && account ? { ask, account, chainId } : null;
    for (const listener of listeners) listener(connection);
  };

  const attach = (provider: Provider) => {
    if (attached === provider) return;
    attached = provider;
    ask = through(provider);
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
    if (!ask) return;
    const given = (await ask(method)) as readonly string[];
    if (given.length === 0) return;
    chainId = Number(await ask('eth_chainId'));
    accounts = given;
    localStorage.setItem(remembered, wallet.info.rdns);
    changed();
  };

  return {
    connect: (wallet) => take(wallet, 'eth_requestAccounts'),
    async resume(wallet) {
      if (localStorage.getItem(remembered) === wallet.info.rdns) await take(wallet, 'eth_accounts');
    },
    async disconnect() {
      localStorage.removeItem(remembered);
      await ask?.('wallet_revokePermissions', [{ eth_accounts: {} }]);
    },
    watch: (listener) => void listeners.push(listener),
    onMessage: (listener) => void messageListeners.push(listener),
  };
}

interface Message {
  readonly type: string;
  readonly data: { readonly subscription: string; readonly result: never };
}
