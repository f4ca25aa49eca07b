import type { SessionAccount, SessionState } from './session.js';

/**
 * The accounts of the vault and no others, with the names they had: what is remembered may have been written by
 * anything in the page's origin. Addresses that the vault does not have are taken from every origin too.
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
