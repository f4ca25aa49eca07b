import type { Address, Keyring, SessionAccount, Wallet } from '../../src/index.js';

/** The state that every part of the panel renders. */
export interface PanelState {
  readonly vault: Keyring.State;
  readonly accounts: readonly SessionAccount[];
  /** The selected account. */
  readonly account: SessionAccount | null;
  readonly chainId: number;
  /** Wei, on that chain; `null` while unknown. */
  readonly balance: bigint | null;
}

/** The shared state of the panel's parts. */
export interface Panel {
  readonly wallet: Wallet;
  shown(): PanelState;
  /** Calls `listener` after each change of {@link shown}, and once now when the state is known. */
  watch(listener: (shown: PanelState) => void): void;
  select(address: Address): void;
  /** Reads the vault, the accounts and the balance again. */
  refresh(): Promise<void>;
}

export function createPanel(wallet: Wallet): Panel {
  const listeners: ((shown: PanelState) => void)[] = [];
  let selected: Address | null = null;
  let shown: PanelState = { vault: 'empty', accounts: [], account: null, chainId: 0, balance: null };
  let isKnown = false;

  const notify = () => {
    for (const listener of listeners) listener(shown);
  };

  const refresh = async () => {
    const vault = await wallet.vaultState();
    const { accounts, chainId } = wallet.state();
    const account = accounts.find(({ address }) => address === selected) ?? accounts[0] ?? null;
    const isSame = account?.address === shown.account?.address && chainId === shown.chainId;
    shown = { vault, accounts, account, chainId, balance: isSame ? shown.balance : null };
    isKnown = true;
    notify();
    if (account) await readBalance(account, chainId);
  };

  const readBalance = async ({ address }: SessionAccount, chainId: number) => {
    const answer = await wallet.provider.request({ method: 'eth_getBalance', params: [address, 'latest'] });
    if (shown.account?.address !== address || shown.chainId !== chainId) return;
    shown = { ...shown, balance: BigInt(answer) };
    notify();
  };

  return {
    wallet,
    shown: () => shown,
    watch(listener) {
      listeners.push(listener);
      if (isKnown) listener(shown);
    },
    select(address) {
      selected = address;
      void refresh().catch(() => undefined);
    },
    refresh,
  };
}
