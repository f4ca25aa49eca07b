import { invalidParams } from '../rpc/errors.js';
import { own } from '../rpc/own.js';

/** The networks of docs/notes/service.md#methods-with-full-parameter-and-result-shape: Rootstock mainnet, testnet, and a local one. */

export interface Network {
  readonly chainId: number;
  readonly name: string;
  readonly currency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  /** SLIP-44 coin type of new accounts (RSKIP-57): 137 on mainnet, 37310 elsewhere. */
  readonly coinType: number;
  readonly testnet: boolean;
  readonly explorer?: string;
  /** One to many endpoints in order of preference, each with the API key as its last path segment. */
  readonly urls: readonly string[];
  /** Most requests that travel in one POST; absent: each by itself. */
  readonly batch?: number;
  /** Origin of the page that added it (EIP-3085); absent for one that the wallet was configured with. */
  readonly addedBy?: string;
}

/** What a page says of a network: its id and its endpoint(s); the rest is known for 30, 31 and 33. */
export interface NetworkOptions {
  readonly chainId: number;
  readonly url: string | readonly string[];
  readonly name?: string;
  readonly currency?: Network['currency'];
  readonly explorer?: string;
  /**
   * Requests of one turn that may share one POST (JSON-RPC batches), up to 50. For a service that is known to take
   * them: Rootstock's documentation shows none, its node does. Default: each by itself.
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
 * Fills in what is known and refuses what could not work or could leak the API key: an endpoint is https,
 * or http on this machine (docs/notes/security.md#endpoints). No message shows a URL: the key is in it.
 *
 * @throws ProviderRpcError -32602 naming the path of the option that is wrong.
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
    // fetch refuses a URL with a user name, in a message that repeats it.
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
    // Never claim of a chain we do not know that its money is play money.
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

/** WHATWG URL has already turned every spelling of an IPv4 address into four decimal numbers. */
const isLoopback = (host: string) => /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(host);
