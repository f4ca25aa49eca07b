import { own } from '../rpc/own.js';
import {
  type SessionAccount,
  type SessionState,
  type WatchOnlyAccount,
  watchOnlyAccounts,
} from './session.js';

type VaultAccount = Pick<SessionAccount, 'address' | 'path'>;

/**
 * Sets the session's accounts to those of the vault, keeping their labels, and removes other addresses from all
 * permissions: any script of the origin can write the stored session. A session that was lost does not know whether there
 * is a backup, so it asks for one.
 */
export const withAccountsOf =
  (vault: readonly VaultAccount[]) =>
  (state: SessionState): SessionState => {
    const watched = watchOnlyAccounts(state);
    const isLost = state.accounts.length === 0 && vault.some(({ path }) => path !== null);
    return withWatchOnly(watched)({
      ...state,
      // An account whose key was imported keeps the name that it was watched by.
      accounts: labelled(vault, [...state.accounts, ...watched]),
      backup: isLost ? 'needed' : state.backup,
    });
  };

/** Sets the accounts without a key, but for those that the wallet has a key for. */
export const withWatchOnly =
  (watched: readonly WatchOnlyAccount[]) =>
  ({ watchOnly: _before, ...state }: SessionState): SessionState => {
    const watchOnly = watched.filter(
      ({ address }) => !state.accounts.some((account) => account.address === address),
    );
    return withPermitted({ ...state, ...(watchOnly.length > 0 && { watchOnly }) });
  };

/** Removes addresses that the wallet neither has nor watches from all permissions. */
function withPermitted(state: SessionState): SessionState {
  const known = [...state.accounts, ...watchOnlyAccounts(state)];
  return {
    ...state,
    permissions: Object.fromEntries(
      Object.entries(state.permissions)
        .map(([origin, { accounts, date }]) => {
          const held = accounts.filter((address) => known.some((account) => account.address === address));
          return [origin, { accounts: held, date }] as const;
        })
        .filter(([, { accounts }]) => accounts.length > 0),
    ),
  };
}

/** The accounts with the labels that are known, and new ones as `Account 2`. */
export function labelled(
  accounts: readonly VaultAccount[],
  known: readonly (Pick<SessionAccount, 'address'> & Partial<SessionAccount>)[],
): readonly SessionAccount[] {
  const taken = new Set(known.flatMap(({ label }) => (label === undefined ? [] : [label])));
  return accounts.map(({ address, path }, index) => {
    const { label, hidden } = own(known.find((account) => account.address === address));
    return { address, label: label ?? freeLabel(taken, index), path, ...(hidden === true && { hidden }) };
  });
}

function freeLabel(taken: Set<string>, index: number): string {
  for (let number = index + 1; ; number++) {
    const label = `Account ${number}`;
    if (taken.has(label)) continue;
    taken.add(label);
    return label;
  }
}
