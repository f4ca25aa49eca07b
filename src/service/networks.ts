import { invalidParams } from '../rpc/errors.js';
import { isLoopback } from '../rpc/loopback.js';
import { own } from '../rpc/own.js';
import type { Hex } from '../rpc/schema.js';

/** A network that the wallet has. */
export interface Network {
  /** As a number, such as 30. */
  readonly chainId: number;
  /** For display. */
  readonly name: string;
  /** The native one. */
  readonly currency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  /** SLIP-44 coin type of new accounts (RSKIP-57): 137 on mainnet, 37310 elsewhere. */
  readonly coinType: number;
  /** Whether its coins are known to have no value. */
  readonly testnet: boolean;
  /** The URL of a block explorer, without a slash at the end. */
  readonly explorer?: string;
  /** One or more endpoints in order of preference, each with the API key as its last path segment. */
  readonly urls: readonly string[];
  /** Most requests in one POST; absent: no batches. */
  readonly batch?: number;
  /** The WebSocket that pushes new heads, with the API key; absent: heads are polled. */
  readonly push?: string;
  /** The source polled for new heads; absent: the head. */
  readonly poll?: 'filter';
  /** Whether replies are held against Bitcoin's work. */
  readonly verify?: 'work';
  /** The least difficulty of a block that proves anything; absent: that of the release, which only mainnet has. QUANTITY. */
  readonly floor?: Hex | undefined;
  /** Origin of the page that added the network (EIP-3085); absent for a configured one, and for one that the owner added. */
  readonly addedBy?: string;
}

/** A network in the options: its id and endpoints; the rest has defaults for the chains 30, 31 and 33. */
export interface NetworkOptions {
  /** 30 (mainnet), 31 (testnet), 33 (local), or another, which needs `name` and `currency`. */
  readonly chainId: number;
  /** The endpoint, or several in order of preference: `https`, or `http` on this machine. */
  readonly url: string | readonly string[];
  /** For display. Default: known for 30, 31 and 33. */
  readonly name?: string | undefined;
  /** The native one. Default: known for 30, 31 and 33. */
  readonly currency?: Network['currency'] | undefined;
  /** The URL of a block explorer. Default: known for 30 and 31. */
  readonly explorer?: string | undefined;
  /**
   * Most requests in one POST (JSON-RPC batch), 1 to 50, for a service that is known to accept batches: the documentation
   * of Rootstock's service shows none, its node accepts them. Default: no batches.
   */
  readonly batch?: number | undefined;
  /**
   * A WebSocket that pushes new heads, of a relay or of a node: `wss`, or `ws` on this machine. While it works, the head
   * is polled once a minute only. It need not be reliable: no event is lost or repeated whatever it sends, and polling
   * goes on without it. One socket is open in a browser, while a page that follows the chain is visible. Default: none.
   */
  readonly push?: string | undefined;
  /**
   * The source polled for new heads: `head`, the newest block, or `filter`, a block filter of the service, which takes half of
   * the bytes and two fifths more requests. Not used where {@link push} is set. Default: `head`.
   */
  readonly poll?: 'head' | 'filter' | undefined;
  /**
   * `work`: blocks, receipts and logs are held against the work of Bitcoin's miners, which the blocks of Rootstock's nodes show. An
   * endpoint that is contradicted by another one is not asked for ten minutes. A block costs no request, a receipt two, logs two
   * for each transaction (docs/guides/verified-reads.md). Default: nothing is verified.
   */
  readonly verify?: 'work' | undefined;
  /**
   * The least difficulty of a block that proves anything, with {@link verify}; QUANTITY or a bigint. Default: that of the release on
   * mainnet, 1 on chain 33; elsewhere nothing is called proven without it.
   */
  readonly floor?: bigint | Hex | undefined;
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
  const readUrl = (value: unknown, name: string, scheme = 'http'): string => {
    const url = parseUrl(value);
    const safe =
      url?.protocol === `${scheme}s:` || (url?.protocol === `${scheme}:` && isLoopback(url.hostname));
    // fetch refuses a URL with a user name, with a message that contains the URL.
    must(
      safe && !url.username && !url.password,
      `${name} must be a${scheme === 'ws' ? '' : 'n'} ${scheme}s URL without a user name (${scheme} on loopback only)`,
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
  const { push, poll } = options;
  must(!poll || poll === 'head' || poll === 'filter', 'poll must be head or filter');
  const { verify, floor } = options;
  must(verify === undefined || verify === 'work', 'verify must be work');
  const minDifficulty = typeof floor === 'bigint' ? `0x${floor.toString(16)}` : floor;
  const isQuantity = typeof minDifficulty === 'string' && /^0x[1-9a-f][\da-f]{0,63}$/i.test(minDifficulty);
  must(floor === undefined || (verify && isQuantity), 'floor must be a QUANTITY, with verify');
  return own({
    chainId,
    name: name as string,
    currency: currency as Network['currency'],
    coinType: base?.coinType ?? 37310,
    // An unknown chain is not assumed to be a testnet: its currency may have value.
    testnet: base?.testnet ?? false,
    ...(explorer !== undefined && { explorer: readUrl(explorer, 'explorer').replace(/\/$/, '') }),
    ...(batch !== undefined && { batch }),
    ...(push !== undefined && { push: readUrl(push, 'push', 'ws') }),
    ...(poll === 'filter' && { poll }),
    ...(verify && { verify, floor: minDifficulty as Hex | undefined }),
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
