import type { SessionAccount, SessionState } from './session.js';

/**
 * Sets the session's accounts to those of the vault, keeping their labels, and removes other addresses from all
 * permissions: any script of the origin can write the stored session.
 */
export const withAccountsOf =
  (vault: readonly Omit<SessionAccount, 'label'>[]) =>
  (state: SessionState): SessionState => ({
    ...state,
    accounts: vault.map(({ address, path }, index) => ({
      address,
      label: state.accounts.find((account) => account.address === address)?.label ?? `Account ${index + 1}`,
      path,
    })),
    permissions: Object.fromEntries(
      Object.entries(state.permissions)
        .map(([origin, { accounts, date }]) => {
          const held = accounts.filter((address) => vault.some((account) => account.address === address));
          return [origin, { accounts: held, date }] as const;
        })
        .filter(([, { accounts }]) => accounts.length > 0),
    ),
  });
