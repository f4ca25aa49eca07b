import { invalidParams } from '../rpc/errors.js';
import { isLoopback } from '../rpc/loopback.js';
import { own } from '../rpc/own.js';

export interface Network {
  readonly chainId: number;
  readonly name: string;
  readonly currency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  /** SLIP-44 coin type of new accounts (RSKIP-57): 137 on mainnet, 37310 elsewhere. */
  readonly coinType: number;
  readonly testnet: boolean;
  readonly explorer?: string;
  /** One or more endpoints in order of preference, each with the API key as its last path segment. */
  readonly urls: readonly string[];
  /** Most requests in one POST; absent: no batches. */
  readonly batch?: number;
  /** Origin of the page that added the network (EIP-3085); absent for a configured one, and for one that the owner added. */
  readonly addedBy?: string;
}

/** A network in the options: its id and endpoints; the rest has defaults for the chains 30, 31 and 33. */
export interface NetworkOptions {
  readonly chainId: number;
  readonly url: string | readonly string[];
  readonly name?: string;
  readonly currency?: Network['currency'];
  readonly explorer?: string;
  /**
   * Most requests in one POST (JSON-RPC batch), 1 to 50, for a service that is known to accept batches: the documentation
   * of Rootstock's service shows none, its node accepts them. Default: no batches.
   */
  readonly batch?: number;
}

const rbtc = (symbol: string) => ({ name: 'Rootstock Bitcoin', symbol, decimals: 18 });

const known: Readonly<Record<number, Omit<Network, 'chainId' | 'urls'>>> = {
  30: {
    name: 'Rootstock Mainnet',
    currency: rbtc('RBTC'),
    coinType: 137,
    testnet: false,
    explorer: 'https://explorer.rootstock.io',
  },
  31: {
    name: 'Rootstock Testnet',
    currency: rbtc('tRBTC'),
    coinType: 37310,
    testnet: true,
    explorer: 'https://explorer.testnet.rootstock.io',
  },
  33: { name: 'Rootstock Local', currency: rbtc('tRBTC'), coinType: 37310, testnet: true },
};

/**
 * Validates the networks and adds the defaults. Endpoints must use https, or http on this machine, so that the API key
 * does not leak (docs/notes/security.md#endpoints). No message contains a URL, because the key is in it.
 *
 * @throws ProviderRpcError -32602 naming the path of the invalid option
 */
export function createNetworks(options: readonly NetworkOptions[]): readonly Network[] {
  if (!Array.isArray(options) || options.length === 0) {
    throw invalidParams('networks must be an array of at least one network');
  }
  const seen = new Set<number>();
  return options.map((each, index) => {
    const path = `networks[${index}]`;
    const network = createNetwork(each, path);
    if (seen.has(network.chainId)) throw invalidParams(`${path}.chainId appears twice`);
    seen.add(network.chainId);
    return network;
  });
}

function createNetwork(given: NetworkOptions, path: string): Network {
  const options = own(given);
  const must = (holds: unknown, rule: string): void => {
    if (!holds) throw invalidParams(`${path}.${rule}`);
  };
  const readUrl = (value: unknown, name: string): string => {
    const url = parseUrl(value);
    const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
    // fetch refuses a URL with a user name, with a message that contains the URL.
    must(
      safe && !url.username && !url.password,
      `${name} must be an https URL without a user name (http on loopback only)`,
    );
    return (url as URL).href;
  };

  must(typeof options === 'object' && options, 'chainId is missing');
  const { chainId } = options;
  must(Number.isSafeInteger(chainId) && chainId > 0, 'chainId must be a positive whole number');
  const urls: readonly unknown[] = Array.isArray(options.url) ? options.url : [options.url];
  must(urls.length, 'url must be a URL or an array of at least one');
  const base = Object.hasOwn(known, chainId) ? own(known[chainId]) : undefined;
  const name = options.name ?? base?.name;
  const currency = options.currency ?? base?.currency;
  const explorer = options.explorer ?? base?.explorer;
  must(typeof name === 'string' && name, 'name is required for a chain that is not known');
  must(isCurrency(currency), 'currency must be { name, symbol, decimals } for a chain that is not known');
  const { batch } = options;
  must(batch === undefined || (Number.isInteger(batch) && batch > 0 && batch <= 50), 'batch must be 1 to 50');
  return own({
    chainId,
    name: name as string,
    currency: currency as Network['currency'],
    coinType: base?.coinType ?? 37310,
    // An unknown chain is not assumed to be a testnet: its currency may have value.
    testnet: base?.testnet ?? false,
    ...(explorer !== undefined && { explorer: readUrl(explorer, 'explorer').replace(/\/$/, '') }),
    ...(batch !== undefined && { batch }),
    urls: urls.map((url, index) => readUrl(url, `url[${index}]`)),
  });
}

const isCurrency = (value: Partial<Network['currency']> | undefined): boolean =>
  typeof value?.name === 'string' &&
  typeof value.symbol === 'string' &&
  Number.isInteger(value.decimals) &&
  (value.decimals as number) >= 0;

function parseUrl(value: unknown): URL | undefined {
  try {
    return typeof value === 'string' ? new URL(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the endpoint is on this machine: it is not limited, polled often, and its answers are not cached. */
export const isOnThisMachine = (url: string): boolean => isLoopback(parseUrl(url)?.hostname ?? '');
