import type { Context } from '../context.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { address, record, text } from '../rpc/params.js';
import type { WatchedAsset } from '../session/session.js';
import { describeNetwork } from './requester.js';

interface WatchAssetRequest {
  readonly asset: WatchedAsset;
  /** `null` for the active chain. */
  readonly chainId: number | null;
}

/** Validates a token and asks the person about it, without waiting for the answer. */
export function watchAsset(context: Context, params: Json, signal?: AbortSignal): true {
  const { asset, chainId } = readAsset(params);
  const { approvals, origin } = context;
  const network = chainId === null ? context.network() : context.networks.get(chainId);
  if (!network) throw invalidParams('options.chainId: not a chain that the wallet knows');
  const ask = async (sharedSignal: AbortSignal): Promise<void> => {
    const question = {
      kind: 'watch-asset' as const,
      origin,
      network: describeNetwork(network),
      asset,
      warnings: [],
    };
    await approvals.request(question, asset, { signal: sharedSignal });
    context.watchAsset(network.chainId, asset);
  };
  approvals
    .dedupe(`watch ${origin} ${network.chainId} ${JSON.stringify(asset)}`, ask, signal)
    // A refusal is not reported to the page (EIP-747).
    .catch(() => {});
  return true;
}

function readAsset(params: Json): WatchAssetRequest {
  if (Array.isArray(params) && params.length > 1)
    throw invalidParams(`params: at most 1 expected, received ${params.length}`);
  const path = Array.isArray(params) ? 'params[0]' : 'params';
  const fields = record(Array.isArray(params) ? (params[0] ?? null) : params, path, ['type', 'options']);
  if (fields.type !== 'ERC20') throw invalidParams(`${path}.type: expected "ERC20"`);
  const at = `${path}.options`;
  const options = record(fields.options ?? null, at, [
    'address',
    'symbol',
    'decimals',
    'image',
    'name',
    'chainId',
  ]);
  const symbol = text(options.symbol ?? null, `${at}.symbol`);
  if (!/^[^\s\p{C}]{1,16}$/u.test(symbol))
    throw invalidParams(`${at}.symbol: expected 1 to 16 visible characters`);
  const { image, chainId = null } = options;
  // Dapps pass the text of an input field.
  const isText = typeof options.decimals === 'string' && /^\d{1,2}$/.test(options.decimals);
  const decimals = isText ? Number(options.decimals) : options.decimals;
  if (chainId !== null && (typeof chainId !== 'number' || !Number.isSafeInteger(chainId) || chainId <= 0))
    throw invalidParams(`${at}.chainId: expected a positive whole number`);
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 36)
    throw invalidParams(`${at}.decimals: expected an integer from 0 to 36`);
  if (image !== undefined && image !== null && !isImage(image))
    throw invalidParams(`${at}.image: expected an https URL or a PNG, JPEG or WebP data URI`);
  const asset = {
    address: address(options.address ?? null, `${at}.address`),
    symbol,
    decimals,
    ...(typeof image === 'string' && { image }),
  };
  return { asset, chainId };
}

const isImage = (value: Json): boolean =>
  typeof value === 'string' && /^(https:\/\/|data:image\/(png|jpeg|webp);base64,)/.test(value);
