/** The networks of seed "Endpoints" (`net_version`): Rootstock mainnet, testnet, and a local one. */

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
}

/** What a page says of a network: its id and its endpoint(s); the rest is known for 30, 31 and 33. */
export interface NetworkOptions {
  readonly chainId: number;
  readonly url: string | readonly string[];
  readonly name?: string;
  readonly currency?: Network['currency'];
  readonly explorer?: string;
}
