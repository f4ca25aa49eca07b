import type { SessionAccount, SessionState, WatchedAsset } from './session.js';
import { readState } from './session.js';
import { labelled } from './vault-accounts.js';

/** The part of the session that a backup file takes along: labels, hidden accounts and watched tokens, as JSON. */
export const exportSession = ({ accounts, assets }: SessionState): string =>
  JSON.stringify({ accounts, assets });

/**
 * Adds restored accounts, with the labels and tokens of an exported session. Entries that the session has already stay.
 * @param text as {@link exportSession} wrote it; anything else adds no labels
 */
export const withExported =
  (restored: readonly Pick<SessionAccount, 'address' | 'path'>[], text: string) =>
  (state: SessionState): SessionState => {
    const exported = readState(text, { ...state, accounts: [], permissions: {}, assets: {} }, []);
    const isNew = ({ address }: { readonly address: string }) =>
      !state.accounts.some((account) => account.address === address);
    const added = restored.filter(isNew);
    // Two accounts should not be called `Account 1`; of the names that a person gave, each stays.
    const taken = state.accounts.map(({ label }) => label).filter((label) => /^Account \d+$/.test(label));
    const labels = exported.accounts.filter(isNew).map(({ label, ...account }) => ({
      ...account,
      ...(!taken.includes(label) && { label }),
    }));
    const known = [...state.accounts, ...labels];
    return {
      ...state,
      accounts: [...state.accounts, ...labelled(added, known)],
      assets: mergeAssets(state.assets, exported.assets),
    };
  };

function mergeAssets(present: SessionState['assets'], added: SessionState['assets']): SessionState['assets'] {
  const merged: Record<number, readonly WatchedAsset[]> = { ...present };
  for (const [chain, assets] of Object.entries(added)) {
    const held = present[Number(chain)] ?? [];
    const others = assets.filter(({ address }) => !held.some((asset) => asset.address === address));
    merged[Number(chain)] = [...held, ...others];
  }
  return merged;
}
