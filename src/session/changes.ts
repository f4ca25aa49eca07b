import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';
import type { Network } from '../service/networks.js';
import {
  isHidden,
  type SessionAccount,
  type SessionState,
  type WatchedAsset,
  withoutAsset,
} from './session.js';

/** What only the core does with the session: apart from `session.ts`, which every page loads. */

/** The accounts that pages and pickers are offered. */
export const visibleAccounts = ({ accounts }: SessionState): readonly SessionAccount[] =>
  accounts.filter((account) => !isHidden(account));

export const grant =
  (origin: string, accounts: readonly Address[], date: number) =>
  (state: SessionState): SessionState => ({
    ...state,
    permissions: { ...state.permissions, [origin]: { accounts, date } },
  });

/** Adds the asset, or replaces the one with the same address and id. */
export const watchAsset =
  (chainId: number, asset: WatchedAsset) =>
  (state: SessionState): SessionState => {
    const others = withoutAsset(own(state.assets)[chainId] ?? [], asset);
    return { ...state, assets: { ...state.assets, [chainId]: [...others, asset] } };
  };

/** Adds the network, in place of one with the same chain id. */
export const addNetwork =
  (network: Network) =>
  (state: SessionState): SessionState => ({
    ...state,
    networks: [...state.networks.filter(({ chainId }) => chainId !== network.chainId), network],
  });
