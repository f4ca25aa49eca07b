import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { address, record, text } from '../rpc/params.js';
import type { WatchedAsset } from '../session/session.js';
import { describeNetwork } from './asking.js';
import { method } from './method.js';

export interface WatchAssetParameters {
  readonly type: 'ERC20';
  readonly options: WatchedAsset;
}

/**
 * EIP-747: `true` at once for a valid asset, before a person is asked, so that a page cannot learn what is
 * shown. Params as an object (the EIP) or as its only array element (libraries).
 */
export const wallet_watchAsset = method<[asset: WatchAssetParameters], boolean>()(readAsset, {
  access: 'person',
  handle: (context, asset, { signal }) => {
    const network = describeNetwork(context.network());
    context.approvals
      .request(
        { kind: 'watch-asset', origin: context.origin, network, asset, warnings: [] },
        asset,
        signal && { signal },
      )
      .then(() => context.watchAsset(network.chainId, asset))
      // Refused: the page is not told (EIP-747).
      .catch(() => {});
    return true;
  },
});

function readAsset(params: Json): WatchedAsset {
  const path = Array.isArray(params) ? 'params[0]' : 'params';
  const asset = record(Array.isArray(params) ? (params[0] ?? null) : params, path, ['type', 'options']);
  if (asset.type !== 'ERC20') throw invalidParams(`${path}.type: expected "ERC20"`);
  const at = `${path}.options`;
  const options = record(asset.options ?? null, at, ['address', 'symbol', 'decimals', 'image', 'name']);
  const symbol = text(options.symbol ?? null, `${at}.symbol`);
  if (!/^[^\s\p{C}]{1,16}$/u.test(symbol))
    throw invalidParams(`${at}.symbol: expected 1 to 16 visible characters`);
  const { decimals, image } = options;
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 36)
    throw invalidParams(`${at}.decimals: expected an integer from 0 to 36`);
  if (image !== undefined && image !== null && !isImage(image))
    throw invalidParams(`${at}.image: expected an https URL or a PNG, JPEG or WebP data URI`);
  return {
    address: address(options.address ?? null, `${at}.address`),
    symbol,
    decimals,
    ...(typeof image === 'string' && { image }),
  };
}

const isImage = (value: Json): boolean =>
  typeof value === 'string' && /^(https:\/\/|data:image\/(png|jpeg|webp);base64,)/.test(value);
