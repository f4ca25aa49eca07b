import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Network } from '../service/networks.js';
import {
  isHidden,
  type Session,
  type SessionAccount,
  type SessionState,
  type WatchedAsset,
  withoutAsset,
} from './session.js';
import { withinLimits } from './site-limits.js';

/** Changes to the session that only the core makes: apart from `session.ts`, which every page loads. */

/** The accounts that pages and pickers are offered. */
export const visibleAccounts = ({ accounts }: SessionState): readonly SessionAccount[] =>
  accounts.filter((account) => !isHidden(account));

export const grant =
  (origin: string, accounts: readonly Address[], date: number) =>
  (state: SessionState): SessionState => ({
    ...state,
    permissions: { ...state.permissions, [origin]: { accounts, date } },
  });

/** Marks the journal as one that may have an open entry: a page that has read it meanwhile does not call it settled. */
export const withUnsettledJournal = (state: SessionState): SessionState => ({
  ...state,
  journal: Math.random(),
});

/** @param seen `journal` of the state, from before the journal was read */
export const withSettledJournal =
  (seen: SessionState['journal']) =>
  (state: SessionState): SessionState =>
    own(state).journal === seen ? { ...state, journal: 'settled' } : state;

/** The watched asset with this address and id that another page has added: it stays as the person knows it. */
export const assetOfOther = (state: SessionState, chainId: number, asset: WatchedAsset) =>
  (own(state.assets)[chainId] ?? []).find((each) => {
    const { address, tokenId, addedBy = asset.addedBy } = own(each);
    return address === asset.address && tokenId === own(asset).tokenId && addedBy !== asset.addedBy;
  });

/**
 * Adds the asset, or replaces the one with the same address and id of the same page.
 * @throws ProviderRpcError -32005 if its page has too many assets, or too much stored
 */
export const withWatchedAsset =
  (chainId: number, asset: WatchedAsset) =>
  (state: SessionState): SessionState => {
    if (assetOfOther(state, chainId, asset)) return state;
    const others = withoutAsset(own(state.assets)[chainId] ?? [], asset);
    const changed = { ...state, assets: { ...state.assets, [chainId]: [...others, asset] } };
    return withinLimits(changed, own(asset).addedBy);
  };

/**
 * Adds the network, in place of one with the same chain id.
 * @throws ProviderRpcError -32005 if its page has too many networks, or too much stored
 */
export const addNetwork =
  (network: Network) =>
  (state: SessionState): SessionState =>
    withinLimits(
      {
        ...state,
        networks: [...state.networks.filter(({ chainId }) => chainId !== network.chainId), network],
      },
      network.addedBy,
    );

/** Checks the limits of a change in the newest state, without making it. @throws ProviderRpcError -32005 */
export const requireRoom = (
  session: Pick<Session, 'update'>,
  change: (state: SessionState) => SessionState,
) =>
  session.update((state) => {
    change(state);
    return state;
  });
