import { useEffect, useState } from 'preact/hooks';
import type { CoinPrice } from '../../assets/coin-price.js';
import type { Contact } from '../../contacts/contact.js';
import type { GrantedPermission } from '../../permissions/granted.js';
import type { HeldPurse } from '../../purse/purse.js';
import { own } from '../../rpc/own.js';
import { readable } from '../../rpc/text.js';
import type { SessionState } from '../../session/session.js';
import type { RecordedTransaction, TransactionsOptions } from '../../transactions/transactions.js';
import { wordsForError } from '../pieces/errors.js';
import type { PanelWords } from '../words/words.js';
import type { Panel } from './context.js';
import type { PanelAccount, PanelPayment, PanelToken } from './wallet.js';

/** The result of a task that loads a value. While the value reloads, the earlier one stays. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failed: boolean;
}

/** Loads a value now and whenever an input changes. A result that comes too late is dropped. */
export function useLoaded<T>(task: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, set] = useState<Loaded<T>>({ value: undefined, failed: false });
  useEffect(() => {
    let isCurrent = true;
    task().then(
      (value) => isCurrent && set({ value, failed: false }),
      () => isCurrent && set((before) => ({ value: before.value, failed: true })),
    );
    return () => {
      isCurrent = false;
    };
  }, inputs as unknown[]);
  return state;
}

/** A task that a button starts: whether it runs, and its error in words. */
export interface Task {
  readonly isRunning: boolean;
  readonly error: string | null;
  /** Starts `task`, unless one is running. `texts` are the messages for its errors, by code. */
  run(task: () => Promise<void> | void, texts?: Readonly<Record<number | string, string>>): void;
  forgetError(): void;
}

export function useTask(words: PanelWords): Task {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const commonTexts = {
    4100: words.wrongPassword,
    4900: words.unreachable,
    4901: words.unreachable,
    [-32002]: words.unreachable,
    [-32005]: words.unreachable,
    'vault-newer': words.vaultNewer,
    'vault-unproven': words.unprovenFirst,
  };
  return {
    isRunning,
    error,
    forgetError: () => setError(null),
    async run(task, texts = {}) {
      if (isRunning) return;
      setRunning(true);
      setError(null);
      try {
        await task();
      } catch (thrown) {
        const text = wordsForError(thrown, { ...commonTexts, ...texts }, words.failed);
        setError(text === '' ? null : text);
      }
      setRunning(false);
    },
  };
}

/** Milliseconds after the last key until a name is looked up or a fee is asked for. */
const typingPause = 400;

/** The text that a person has typed, once they pause. */
export function useSettled(typed: string): string {
  const [settled, settle] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => settle(typed), typingPause);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}

/** The cost of a payment, once the person pauses. */
export function useFees({ wallet, network, version }: Panel, payment: PanelPayment | null) {
  const settled = useSettled(payment ? JSON.stringify(payment) : '');
  return useLoaded(
    async () => (settled === '' ? undefined : wallet.fees(JSON.parse(settled) as PanelPayment)),
    [settled, network.chainId, version],
  );
}

/** The price of the network's coin; none on a test network, whose coins have no value. */
export const usePrice = ({ wallet, network, version }: Panel): Loaded<CoinPrice | null> =>
  useLoaded(
    async () => (network.testnet ? null : await wallet.coinPrice().catch(() => null)),
    [network.chainId, version],
  );

/** The balance of the shown account in the network's coin, wei; `null` where there is no account. */
export const useBalance = ({ wallet, account, network, version }: Panel): Loaded<bigint | null> =>
  useLoaded(
    async () => (account ? wallet.balance(account.address) : null),
    [account?.address, network.chainId, version],
  );

/** All accounts of the wallet, then those that the person only looks at. */
export function listedAccounts(state: SessionState): readonly PanelAccount[] {
  const { accounts, watchOnly = [] } = own(state);
  return [
    ...accounts,
    ...watchOnly.map(({ address, label }) => ({ address, label, path: null, watchOnly: true as const })),
  ].map((account) => own({ ...account, label: readable(account.label) }));
}

/** The contacts, the newest last; `undefined` while they cannot be read. */
export function useContacts({ wallet, vault }: Panel): Loaded<readonly Contact[] | undefined> {
  const { contacts: stamp } = own(wallet.state());
  return useLoaded(async () => {
    if (vault !== 'unlocked') return stamp === undefined ? [] : undefined;
    return (await wallet.contacts()).map((contact) => own({ ...contact, name: readable(contact.name) }));
  }, [vault, stamp]);
}

/** A contract may call itself anything. */
export const readableToken = (token: PanelToken): PanelToken =>
  own({ ...token, symbol: readable(token.symbol) });

/** The tokens of the shown account. */
export const useTokens = ({ wallet, account, network, version }: Panel): Loaded<readonly PanelToken[]> =>
  useLoaded(
    async () => (account ? (await wallet.tokens(account.address)).map(readableToken) : []),
    [account?.address, network.chainId, version],
  );

const ownTransaction = (entry: RecordedTransaction): RecordedTransaction => {
  const { effects = [] } = own(entry);
  return own({ ...entry, effects: effects.map(own) });
};

/** Transactions that were signed here, oldest first. */
export const useTransactions = (
  { wallet, version }: Panel,
  { chainId, limit, hash }: TransactionsOptions,
): Loaded<readonly RecordedTransaction[]> =>
  useLoaded(
    async () => (await wallet.transactions(own({ chainId, limit, hash }))).map(ownTransaction),
    [version, chainId, limit, hash],
  );

/** The permissions of all sites. `count` is a new number after a change that the wallet may not report. */
export const usePermissions = (
  { wallet, version }: Panel,
  count: number,
): Loaded<readonly GrantedPermission[]> =>
  useLoaded(async () => (await wallet.permissions()).map(own), [version, count]);

/** The purses of all sites, while the wallet is unlocked. `count` is as for {@link usePermissions}. */
export const usePurses = ({ wallet, vault, version }: Panel, count: number): Loaded<readonly HeldPurse[]> =>
  useLoaded(
    async () => (vault === 'unlocked' ? (await wallet.purses()).map(own) : []),
    [vault, version, count],
  );
