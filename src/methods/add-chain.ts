import type { Warning } from '../approvals/warning.js';
import { isRootstock, resembledNetwork, sameNetworkName } from '../assets/known-networks.js';
import { hasForeignLetters } from '../assets/likeness.js';
import { limitExceeded } from '../rpc/core-errors.js';
import { errorCode, invalidParams, isProviderRpcError } from '../rpc/errors.js';
import { isLoopback } from '../rpc/loopback.js';
import type { Json } from '../rpc/message.js';
import { chainId, positions, record, text } from '../rpc/params.js';
import { hasHidden } from '../rpc/text.js';
import { createNetworks, type Network } from '../service/networks.js';
import { addNetwork, requireRoom } from '../session/changes.js';
import type { Context } from './context.js';
import { describeNetwork } from './requester.js';
import { switchChain } from './switch-chain.js';

/** Validates a chain that a page adds, verifies its endpoints, and asks the person. A chunk of its own. */
export async function addChain(context: Context, params: Json, signal?: AbortSignal): Promise<null> {
  const { origin, networks } = context;
  const [read] = positions(readChain)(params);
  requireOwnName(read, networks);
  const target = { ...read, addedBy: origin };
  const { chainId } = target;
  const known = networks.get(chainId);
  // Callers expect the chain to be active afterwards, or sign their next payment on the old one.
  if (known) return switchChain(context, known, signal);
  // Refused before an endpoint is read and the person is asked.
  requireRoom(context.session, addNetwork(target));
  const approvals = await context.approvals();
  // Equal requests share the verification of the endpoints; all requests for one chain share the dialog.
  const verifyAndAsk = async (sharedSignal: AbortSignal): Promise<null> => {
    const foreign = await findForeignEndpoint(context, target);
    if (foreign !== null)
      throw invalidParams(`params[0].chainId: rpcUrls[${foreign}] serves another chainId`);
    const added = networks.get(chainId);
    if (added) return switchChain(context, added, sharedSignal);
    return approvals.dedupe(
      `add ${origin} ${chainId}`,
      (dialogSignal) => askToAdd(context, target, dialogSignal),
      sharedSignal,
    );
  };
  return approvals.dedupe(`add ${origin} ${JSON.stringify(target)}`, verifyAndAsk, signal);
}

/**
 * Reads the chain id of each URL (EIP-3085). Resolves with the index of one that serves another chain, else `null`.
 * @throws ProviderRpcError the first failure if none can be reached
 */
export async function findForeignEndpoint(
  context: Pick<Context, 'probe'>,
  target: Network,
): Promise<number | null> {
  const verified = await Promise.allSettled(
    target.urls.map((url) => context.probe({ ...target, urls: [url] }).verifyChain()),
  );
  const failures = verified.map((each) => (each.status === 'rejected' ? (each.reason as unknown) : null));
  const foreign = failures.findIndex(
    (error) => isProviderRpcError(error) && error.code === errorCode.chainDisconnected,
  );
  if (foreign >= 0) return foreign;
  if (!failures.includes(null)) throw failures[0];
  return null;
}

/**
 * Refuses a name that a network with another chain id has, as far as a person can see: a dot, a blank or a letter of another
 * alphabet makes no other name.
 * @throws ProviderRpcError -32602
 */
export function requireOwnName(
  { chainId, name }: Network,
  known: ReadonlyMap<number, Network>,
  path = 'params[0].chainName',
): void {
  if (isRootstock(chainId)) return;
  const others = [...known.values()].filter((network) => network.chainId !== chainId);
  const names = others.map((network) => network.name);
  if (sameNetworkName(name, names) !== null)
    throw invalidParams(`${path}: this is the name of another network`);
}

/** Warns of a name or currency that may be taken for Rootstock's, or that has letters which pass for others. */
function nameWarnings({ chainId, name, currency }: Network): readonly Warning[] {
  if (isRootstock(chainId)) return [];
  const resembled = resembledNetwork(name, currency.symbol);
  if (resembled !== null) return [{ code: 'imitates-network', severity: 'danger', detail: resembled }];
  return hasForeignLetters(name) || hasForeignLetters(currency.symbol)
    ? [{ code: 'foreign-letters', severity: 'caution' }]
    : [];
}

async function askToAdd(context: Context, target: Network, signal: AbortSignal): Promise<null> {
  const question = {
    kind: 'add-chain' as const,
    origin: context.origin,
    network: describeNetwork(context.network()),
    target: describeNetwork(target),
    warnings: [
      ...nameWarnings(target),
      { code: 'unverified-endpoint' as const, severity: 'caution' as const },
    ],
  };
  await (await context.approvals()).request(question, target, { signal });
  // Another request may have added the chain meanwhile; a known chain is never replaced.
  if (!context.networks.has(target.chainId)) context.addNetwork(target);
  context.session.update((state) => ({ ...state, chainId: target.chainId }));
  return null;
}

const chainKeys = [
  'chainId',
  'chainName',
  'nativeCurrency',
  'rpcUrls',
  'blockExplorerUrls',
  'iconUrls',
] as const;

function readChain(value: Json, path: string): Network {
  const fields = record(value, path, chainKeys);
  const id = chainId(fields.chainId ?? null, `${path}.chainId`);
  const name = readLabel(fields.chainName, 40, `${path}.chainName`);
  const urls = readUrls(withoutSockets(fields.rpcUrls), `${path}.rpcUrls`);
  if (urls.length === 0) throw invalidParams(`${path}.rpcUrls: at least one URL is required`);
  if (urls.length > maxUrls) throw limitExceeded(`${path}.rpcUrls: at most ${maxUrls} URLs`);
  readUrls(fields.iconUrls ?? [], `${path}.iconUrls`);
  const currency = readCurrency(fields.nativeCurrency ?? null, `${path}.nativeCurrency`);
  const [explorer] = readUrls(withoutEmpty(fields.blockExplorerUrls ?? []), `${path}.blockExplorerUrls`);
  // Name, currency and explorer of a Rootstock network are the wallet's own, not the page's.
  const named = isRootstock(id) ? {} : { name, currency, explorer };
  const [network] = createNetworks([{ chainId: id, url: urls, ...named }]) as [Network];
  return network;
}

/** Each is read before the person is asked. */
const maxUrls = 16;

/** Only 18 decimals are accepted: the unit of the EVM is wei, and any other number would misstate every amount. */
function readCurrency(value: Json, path: string): Network['currency'] {
  const { name, symbol, decimals } = record(value, path, ['name', 'symbol', 'decimals']);
  if (decimals !== 18) throw invalidParams(`${path}.decimals: expected 18`);
  return {
    name: readLabel(name, 40, `${path}.name`),
    symbol: readLabel(symbol, 12, `${path}.symbol`),
    decimals,
  };
}

/** Reads a name that is shown to the person: short, and without control or bidirectional characters. */
function readLabel(value: Json | undefined, maxCharacters: number, path: string): string {
  const label = text(value ?? null, path)
    .trim()
    .replace(/\s+/g, ' ');
  if (label === '' || label.length > maxCharacters || hasHidden(label) || /\p{C}/u.test(label))
    throw invalidParams(`${path}: expected 1 to ${maxCharacters} visible characters`);
  return label;
}

/** Lists of chains name WebSockets beside HTTP endpoints, which are left out. Where there is nothing else they are refused. */
function withoutSockets(value: Json | undefined): Json | undefined {
  if (!Array.isArray(value)) return value;
  const others = value.filter((url: Json) => typeof url !== 'string' || !/^wss?:\/\//i.test(url));
  return others.length > 0 ? others : value;
}

/** A chain without an explorer is often written with an empty one. */
const withoutEmpty = (value: Json): Json =>
  Array.isArray(value) ? value.filter((url: Json) => url !== '' && url !== null) : value;

/** Reads https URLs (EIP-3085), or http ones of this machine. Errors do not repeat the URL, which may hold a key. */
function readUrls(value: Json | undefined, path: string): readonly string[] {
  if (!Array.isArray(value)) throw invalidParams(`${path}: expected an array of URLs`);
  return value.map((item, i) => {
    const at = `${path}[${i}]`;
    let url: URL;
    try {
      url = new URL(text(item, at));
    } catch {
      throw invalidParams(`${at}: expected a URL`);
    }
    const isLocal = url.protocol === 'http:' && isLoopback(url.hostname);
    if (url.protocol !== 'https:' && !isLocal) throw invalidParams(`${at}: expected an https URL`);
    return url.href;
  });
}
