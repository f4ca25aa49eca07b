import type { WatchedAsset } from '../session/session.js';
import { method } from './method.js';

export type WatchAssetParameters =
  | {
      readonly type: 'ERC20';
      readonly options: Pick<WatchedAsset, 'address' | 'image'> & {
        /** 1 to 16 visible characters. Default: as the contract reports it. */
        readonly symbol?: string | undefined;
        /** 0 to 36. Default: as the contract reports them. */
        readonly decimals?: number | undefined;
      } & OnNetwork;
    }
  | {
      readonly type: 'ERC721' | 'ERC1155';
      readonly options: Pick<WatchedAsset, 'address' | 'image'> & {
        /** Decimal digits, up to 256 bits. */
        readonly tokenId: string;
        readonly symbol?: string | undefined;
      } & OnNetwork;
    };

interface OnNetwork {
  /** A known network. Default: the active one. */
  readonly chainId?: number | undefined;
}

/**
 * EIP-747. Resolves with `true` for a valid asset before the person answers, so that a page cannot learn what they
 * chose. Only the address is required of a token; the contract reports the rest. Params are an object (the EIP) or an array with that object (libraries).
 */
export const wallet_watchAsset = method<
  readonly [asset: WatchAssetParameters] | WatchAssetParameters,
  boolean
>()(
  (params) => params,
  async (context, params, { signal, untilDecided }) => {
    const decided = await (await import('./watch-asset.js')).watchAsset(context, params, signal);
    if (untilDecided) await decided();
    return true;
  },
);
