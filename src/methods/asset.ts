import type { WatchedAsset } from '../session/session.js';
import { method } from './method.js';

export interface WatchAssetParameters {
  readonly type: 'ERC20';
  readonly options: WatchedAsset & {
    /** Of a network that the wallet knows; the active one where it is left out. */
    readonly chainId?: number;
  };
}

/**
 * EIP-747: `true` at once for a valid asset, before a person is asked, so that a page cannot learn what is
 * shown. Params as an object (the EIP) or as its only array element (libraries).
 */
export const wallet_watchAsset = method<
  readonly [asset: WatchAssetParameters] | WatchAssetParameters,
  boolean
>()((params) => params, {
  access: 'person',
  handle: async (context, params, { signal }) =>
    (await import('./watch-asset.js')).watchAsset(context, params, signal),
});
