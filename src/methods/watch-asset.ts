import { readTokenLabel } from '../approvals/token-label.js';
import type { Warning } from '../approvals/warning.js';
import { hasForeignLetters, imitatedSymbol } from '../assets/likeness.js';
import { withTimeout } from '../async/cancellation.js';
import { isUserRejected } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { knownToken } from '../rpc/known-contracts.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { address, record, text } from '../rpc/params.js';
import { hasHidden } from '../rpc/text.js';
import type { Network } from '../service/networks.js';
import type { Service } from '../service/service.js';
import { assetOfOther, requireRoom, withWatchedAsset } from '../session/changes.js';
import type { WatchedAsset } from '../session/session.js';
import type { Context } from './context.js';
import { describeNetwork } from './requester.js';

/** An asset as the page describes it. The symbol of a collectible may be empty. */
type NamedAsset = Omit<WatchedAsset, 'symbol' | 'decimals'> &
  Partial<Pick<WatchedAsset, 'symbol' | 'decimals'>>;

/**
 * Validates a token and asks the person about it. The returned function resolves when they have decided; it rejects if they
 * cannot be asked.
 * @throws ProviderRpcError -32602 for a bad asset, or for one without symbol or decimals whose contract does not name them;
 * -32005 if the page has too many
 */
export async function watchAsset(
  context: Context,
  params: Json,
  signal?: AbortSignal,
): Promise<() => Promise<void>> {
  const { asset: described, chainId } = readAsset(params);
  const { origin } = context;
  const network = chainId === null ? context.network() : context.networks.get(chainId);
  if (!network) throw invalidParams('options.chainId: not a chain that the wallet knows');
  const asset = await completeAsset(context, network, described);
  // Refused before the person is asked, and before the page is answered.
  requireRoom(context.session, withWatchedAsset(network.chainId, { ...asset, addedBy: origin }));
  const approvals = await context.approvals();
  const ask = async (sharedSignal: AbortSignal): Promise<void> => {
    const named = await nameAsset(context, network, asset);
    const known = own(named).type === undefined && knownToken(network.chainId, named.address) !== null;
    const imitates = known
      ? null
      : imitatedSymbol(network.chainId, named.address, named.symbol, network.currency.symbol);
    const warnings: Warning[] = [];
    if (imitates !== null) warnings.push({ code: 'imitates-token', severity: 'danger', detail: imitates });
    else if (!known && hasForeignLetters(named.symbol))
      warnings.push({ code: 'foreign-letters', severity: 'caution' });
    const question = {
      kind: 'watch-asset' as const,
      origin,
      network: describeNetwork(network),
      asset: named,
      ...(known && { known }),
      ...(imitates !== null && { imitates }),
      warnings,
    };
    await approvals.request(question, named, { signal: sharedSignal });
    context.watchAsset(network.chainId, { ...named, addedBy: origin });
  };
  const decision = approvals
    .dedupe(`watch ${origin} ${network.chainId} ${JSON.stringify(asset)}`, ask, signal)
    // A refusal is not reported to the page (EIP-747).
    .catch((error: unknown) => (isUserRejected(error) ? undefined : error));
  return async () => {
    const error = await decision;
    if (error !== undefined) throw error;
  };
}

/**
 * The asset with the symbol and the decimals that the page has left out, as its contract reports them (EIP-747).
 * @throws ProviderRpcError -32602 if it does not; as the service's request if it cannot be asked
 */
async function completeAsset(context: Context, network: Network, asset: NamedAsset): Promise<WatchedAsset> {
  const { symbol, decimals } = own(asset);
  if (symbol !== undefined && decimals !== undefined) return { ...asset, symbol, decimals };
  const label = own(
    await readTokenLabel(serviceOf(context, network), asset.address, undefined, { mustAnswer: true }),
  );
  const completed = { symbol: symbol ?? label.symbol, decimals: decimals ?? label.decimals };
  for (const name of ['symbol', 'decimals'] as const)
    if (completed[name] === undefined)
      throw invalidParams(
        `options.${name}: missing, and the token's contract does not report one that can be shown`,
      );
  return { ...asset, ...(completed as Pick<WatchedAsset, 'symbol' | 'decimals'>) };
}

const serviceOf = (context: Context, network: Network): Service =>
  network.chainId === context.network().chainId ? context.reads() : context.probe(network);

/** Milliseconds to wait for what a collectible's contract calls itself. */
const labelTimeout = 1_500;

/**
 * The asset with the wallet's own symbol and decimals where it knows the token; a collectible with its contract's name; one
 * that another page has added, as it is watched already.
 */
async function nameAsset(context: Context, network: Network, asset: WatchedAsset): Promise<WatchedAsset> {
  const { type } = own(asset);
  const watched = assetOfOther(context.session.state(), network.chainId, {
    ...asset,
    addedBy: context.origin,
  });
  if (watched) return watched;
  if (type === undefined) return { ...asset, ...knownToken(network.chainId, asset.address) };
  if (asset.symbol !== '') return asset;
  const label = await withTimeout(labelTimeout, () =>
    readTokenLabel(serviceOf(context, network), asset.address),
  );
  return { ...asset, symbol: own(label)?.symbol ?? type };
}

/** `chainId` is `null` for the active chain. */
function readAsset(params: Json): { asset: NamedAsset; chainId: number | null } {
  if (Array.isArray(params) && params.length > 1)
    throw invalidParams(`params: at most 1 expected, received ${params.length}`);
  const path = Array.isArray(params) ? 'params[0]' : 'params';
  const fields = record(Array.isArray(params) ? (params[0] ?? null) : params, path, ['type', 'options']);
  const { type } = fields;
  if (type !== 'ERC20' && type !== 'ERC721' && type !== 'ERC1155')
    throw invalidParams(`${path}.type: expected "ERC20", "ERC721" or "ERC1155"`);
  const at = `${path}.options`;
  const names = type === 'ERC20' ? assetOptions : ([...assetOptions, 'tokenId'] as const);
  const options = record(fields.options ?? null, at, names);
  const { image, chainId = null } = options;
  if (chainId !== null && (typeof chainId !== 'number' || !Number.isSafeInteger(chainId) || chainId <= 0))
    throw invalidParams(`${at}.chainId: expected a positive whole number`);
  if (typeof image === 'string' && /^\s*javascript:/i.test(image))
    throw invalidParams(`${at}.image: a script is no image`);
  const collectible = type === 'ERC20' ? null : type;
  const tokenId = collectible && readTokenId(own(options as { tokenId?: Json }).tokenId, collectible, at);
  const [symbol, decimals] = [unlessEmpty(options.symbol), unlessEmpty(options.decimals)];
  const asset: NamedAsset = {
    address: address(options.address ?? null, `${at}.address`),
    ...(collectible && { symbol: '', decimals: 0 }),
    ...(symbol !== null && { symbol: readSymbol(symbol, at) }),
    ...(decimals !== null && !collectible && { decimals: readDecimals(decimals, at) }),
    // The wallet shows none, so that one it could not show is no reason to refuse the token.
    ...(isImage(image) && { image }),
    ...(collectible && tokenId !== null && { type: collectible, tokenId }),
  };
  return { asset, chainId };
}

const assetOptions = ['address', 'symbol', 'decimals', 'image', 'name', 'chainId'] as const;

/** The value of an optional member; `null` for an empty one, which forms send. */
const unlessEmpty = (value: Json | undefined): Json =>
  value === undefined || (typeof value === 'string' && value.trim() === '') ? null : value;

function readSymbol(value: Json, at: string): string {
  const symbol = text(value, `${at}.symbol`).trim();
  if (!/^[^\s\p{C}]{1,16}$/u.test(symbol) || hasHidden(symbol))
    throw invalidParams(`${at}.symbol: expected 1 to 16 visible characters`);
  return symbol;
}

function readDecimals(value: Json, at: string): number {
  // Dapps pass the text of an input field.
  const isText = typeof value === 'string' && /^\d{1,2}$/.test(value);
  const decimals = isText ? Number(value) : value;
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 36)
    throw invalidParams(`${at}.decimals: expected an integer from 0 to 36`);
  return decimals;
}

/** Reads the id of a collectible: 256 bits as decimal text, a QUANTITY or a whole number. */
function readTokenId(value: Json | undefined, type: string, at: string): string {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  const isText = typeof value === 'string' && /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value);
  const id = isNumber || isText ? BigInt(value) : -1n;
  if (id < 0n || id >> 256n !== 0n)
    throw invalidParams(
      `${at}.tokenId: the type ${type} needs a whole number of at most 256 bits, in decimal digits`,
    );
  return id.toString();
}

const isImage = (value: Json | undefined): value is string =>
  typeof value === 'string' && /^(https:\/\/|data:image\/(png|jpeg|webp);base64,)/.test(value);
