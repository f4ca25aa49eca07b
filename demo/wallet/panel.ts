import type { Address, Keyring, SessionAccount, Wallet } from '../../src/index.js';

/** What every part of the panel is drawn from. */
export interface Shown {
  readonly vault: Keyring.State;
  readonly accounts: readonly SessionAccount[];
  /** The account that the panel is about. */
  readonly account: SessionAccount | null;
  readonly chainId: number;
  /** Wei, on that chain; `null` before it is known. */
  readonly balance: bigint | null;
}

/** What the parts of the panel share. */
export interface Panel {
  readonly wallet: Wallet;
  shown(): Shown;
  /** Calls `listener` after each change of {@link shown}, and at once. */
  watch(listener: (shown: Shown) => void): void;
  select(address: Address): void;
  /** Reads the vault, the accounts and the balance again. */
  refresh(): Promise<void>;
}

export function createPanel(wallet: Wallet): Panel {
  const listeners: ((shown: Shown) => void)[] = [];
  let selected: Address | null = null;
  let shown: Shown = { vault: 'empty', accounts: [], account: null, chainId: 0, balance: null };
  let isKnown = false;

  const tell = () => {
    for (const listener of listeners) listener(shown);
  };

  const refresh = async () => {
    const vault = await wallet.vaultState();
    const { accounts, chainId } = wallet.state();
    const account = accounts.find(({ address }) => address === selected) ?? accounts[0] ?? null;
    const isSame = account?.address === shown.account?.address && chainId === shown.chainId;
    shown = { vault, accounts, account, chainId, balance: isSame ? shown.balance : null };
    isKnown = true;
    tell();
    if (account) await readBalance(account, chainId);
  };

  const readBalance = async ({ address }: SessionAccount, chainId: number) => {
    const answer = await wallet.provider.request({ method: 'eth_getBalance', params: [address, 'latest'] });
    if (shown.account?.address !== address || shown.chainId !== chainId) return;
    shown = { ...shown, balance: BigInt(answer) };
    tell();
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
