import { asPerson, type Service } from '../service/service.js';
import { type CoinPrice, checkedPrice, type PriceSource, readCoinPrice } from './coin-price.js';

/** Options of the price of the coin, which is only shown: nothing is decided by it. */
export interface PriceOptions {
  /** Another source, such as a price server; `null` for none. Default: an oracle on the chain, for Rootstock mainnet and testnet. */
  readonly source?: PriceSource | null | undefined;
  /** Whether a question about a payment of coins shows about how much it is. Default false. */
  readonly questions?: boolean | undefined;
}

/** Milliseconds after which a price is read again. */
const lifetime = 300_000;

/** Reads prices once for all that show them. */
export function createCoinPrices({ source, serviceOf, now }: createCoinPrices.Options) {
  const read = new Map<number, { readonly at: number; readonly price: Promise<CoinPrice | null> }>();

  const load = async (chainId: number): Promise<CoinPrice | null> => {
    if (source === undefined) return readCoinPrice(asPerson(serviceOf(chainId)));
    return source === null ? null : checkedPrice(await source(chainId));
  };

  return {
    of(chainId: number): Promise<CoinPrice | null> {
      const before = read.get(chainId);
      if (before && now() - before.at < lifetime) return before.price;
      const price = load(chainId);
      read.set(chainId, { at: now(), price });
      price.catch(() => read.delete(chainId));
      return price;
    },
  };
}

export declare namespace createCoinPrices {
  interface Options {
    readonly source: PriceSource | null | undefined;
    readonly serviceOf: (chainId: number) => Service;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}
