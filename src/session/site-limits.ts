import { limitExceeded } from '../rpc/core-errors.js';
import { own } from '../rpc/own.js';
import type { SessionState } from './session.js';

/** For each origin: watched assets, added networks, and the characters of both as JSON (256 KiB of some 5 MiB for all). */
const maxAssets = 200;
const maxNetworks = 32;
const maxSize = 2 ** 18;

/** Returns the state if the origin keeps its limits in it; without an origin, the owner's own change has none. */
export function withinLimits(state: SessionState, origin: string | undefined): SessionState {
  if (origin === undefined) return state;
  const ofOrigin = (each: { readonly addedBy?: string | undefined }) => own(each).addedBy === origin;
  const assets = Object.values(state.assets).flat().filter(ofOrigin);
  const networks = state.networks.filter(ofOrigin);
  const refuse = (what: string) =>
    limitExceeded(`This site has stored as much as one site may: ${what}`, own({ reason: 'stored' }));
  if (assets.length > maxAssets) throw refuse(`${maxAssets} watched assets`);
  if (networks.length > maxNetworks) throw refuse(`${maxNetworks} networks`);
  if (JSON.stringify([assets, networks]).length > maxSize) throw refuse('256 KiB of assets and networks');
  return state;
}
