import { revertReason } from '../rpc/core-errors.js';
import { priceOracle } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import { checkData, checkNumber } from '../rpc/results.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** The price of a network's coin, to show about how much an amount is. Nothing is decided by it. */
export interface CoinPrice {
  /** US dollars for one coin, in units of 10^-18, decimal. */
  readonly usd: string;
  /** Blocks since the oracle has got it; absent where the source does not say. */
  readonly age?: number | undefined;
}

/** Another source of prices: resolves with the price of the coin of a chain, or with `null` for none. */
export type PriceSource = (chainId: number) => Promise<CoinPrice | null>;

/** Selectors of Money on Chain's BTC/USD oracle: `getPriceInfo()` and, of older contracts, `peek()`. */
const selectors = { priceInfo: '0x330227bf', peek: '0x59e02dd7' } as const;

/** Blocks after which a price is not shown any more: about a day. */
const maxAge = 2_880;
/** A thousand times what a bitcoin has cost so far: beyond it, an oracle answers something else. */
const maxUsd = 10n ** 8n * 10n ** 18n;

/**
 * Reads the price from the network's oracle by one `eth_call`; `null` without an oracle, and for a price that is invalid, old, zero or
 * beyond reason, or that the contract does not answer as it should.
 * @throws ProviderRpcError as the service's request
 */
export async function readCoinPrice(service: Service): Promise<CoinPrice | null> {
  const oracle = priceOracle(service.network.chainId);
  if (oracle === null) return null;
  const height = service.request('eth_blockNumber', [], { check: checkNumber });
  // Its failure is thrown where it is needed.
  height.catch(() => {});
  const info = await call(service, oracle, selectors.priceInfo);
  if (info !== null) {
    const [price, isValid, published] = wordsIn(info, 3);
    if (price === undefined || isValid !== 1n || published === undefined) return null;
    const age = BigInt((await height) as Hex) - published;
    // A node may be behind the one that has answered the call.
    return age > maxAge ? null : priceOf(price, Number(age < 0n ? 0n : age));
  }
  const [price, isValid] = wordsIn((await call(service, oracle, selectors.peek)) ?? '0x', 2);
  return price === undefined || isValid !== 1n ? null : priceOf(price);
}

/** The price of another source, as far as it can be one. */
export function checkedPrice(price: unknown): CoinPrice | null {
  const { usd, age } = own(Object(price) as Partial<CoinPrice>);
  if (typeof usd !== 'string' || !/^\d{1,40}$/.test(usd)) return null;
  return priceOf(BigInt(usd), Number.isSafeInteger(age) && (age as number) >= 0 ? age : undefined);
}

const priceOf = (price: bigint, age?: number): CoinPrice | null =>
  price > 0n && price <= maxUsd ? own({ usd: `${price}`, ...(age !== undefined && { age }) }) : null;

/** The answer of a function without arguments; `null` if it reverts. */
const call = (service: Service, to: Address, data: Hex): Promise<Hex | null> =>
  service.request('eth_call', [{ to, data }, 'latest'], { check: checkData }).then(
    (result) => result as Hex,
    (error: unknown) => {
      if (revertReason(error) === undefined) throw error;
      return null;
    },
  );

/** The words of an answer; none if it has another number of them. */
const wordsIn = (data: Hex, count: number): readonly bigint[] =>
  data.length === 2 + 64 * count
    ? Array.from({ length: count }, (_, i) => BigInt(`0x${data.slice(2 + 64 * i, 66 + 64 * i)}`))
    : [];
