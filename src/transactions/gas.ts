import type { FeeChoice, PriceChoices } from '../approvals/question.js';
import { badReply, transactionRejected } from '../rpc/core-errors.js';
import { hexToBytes, toQuantity } from '../rpc/hex.js';
import { isPaymentToBridge } from '../rpc/known-contracts.js';
import type { Hex } from '../rpc/schema.js';
import { estimationCap } from './measured-gas.js';
import type { TransactionRequest } from './request.js';

/** The gas limit of a transaction, and the gas prices that the network takes. */

/** Gas of a transaction before its first instruction. The node refuses a lower gas limit. */
export function intrinsicGas({ to, data, accessList = [] }: TransactionRequest): bigint {
  const bytes = hexToBytes(data);
  let gas = to === null ? 53_000n + 2n * BigInt(Math.ceil(bytes.length / 32)) : 21_000n;
  for (const byte of bytes) gas += byte === 0 ? 4n : 16n;
  // RSKIP-546: 80 for each byte of the list.
  for (const { storageKeys } of accessList) gas += 80n * BigInt(20 + 32 * storageKeys.length);
  return gas;
}

/**
 * The gas limit for an estimate. A plain payment gets exactly 21,000; a call gets a fifth more than its estimate, since the
 * state may change until it is mined.
 *
 * @param estimate `null` if the service gave none
 * @param limit the result's maximum
 */
export function gasLimit(
  request: TransactionRequest,
  estimate: bigint | null,
  chainId: number,
  limit: bigint,
): Hex {
  const candidates = [
    intrinsicGas(request),
    estimate ?? (request.data === '0x' ? 0n : revertingGas),
    isPaymentToBridge(chainId, request) ? bridgeGas : 0n,
  ];
  const needed = candidates.reduce(higher);
  const gas = needed <= 21_000n ? 21_000n : (needed * 6n) / 5n;
  return toQuantity(lower(gas, limit));
}

/** The highest gas limit of a transaction: the node's own, unless its blocks take less. */
export const maxGas = (blockGasLimit: Hex): bigint => lower(BigInt(blockGasLimit), estimationCap);

/**
 * Gas for a payment to the bridge. An estimate does not cover the release of bitcoin, which needs at most this much
 * (the Rootstock developer portal, "RBTC networks"). Unused gas is not paid.
 */
const bridgeGas = 100_000n;

/** Gas limit for a call that reverts and has no estimate, if the person sends it all the same. */
export const revertingGas = 100_000n;

/** Nodes refuse a price above this multiple of the minimum price (RSKIP-252). */
const maxMinimumPrices = 80n;
/**
 * Wei per gas that are never exceeded, whatever the service reports: 1,000 gwei, some ten thousand times the usual
 * price. Keeps a malicious endpoint from draining an account through fees.
 */
const maxPrice = 1_000_000_000_000n;

/** Gas prices that a person can choose from, wei per gas. */
export interface GasPrices {
  /** The lowest that the network takes now. It may be too low for a later block. */
  readonly slow: bigint;
  /** Default price: the service's suggestion. */
  readonly normal: bigint;
  /** Half as much again: blocks take the highest prices first. */
  readonly fast: bigint;
  /** The lowest and the highest price that may be signed, inclusive. */
  readonly minimum: bigint;
  readonly maximum: bigint;
}

/**
 * @param suggested the service's price, wei per gas
 * @param minimum the head's minimum price, wei per gas
 */
export function gasPrices(suggested: bigint, minimum: bigint): GasPrices {
  const cap = minimum * maxMinimumPrices;
  const maximum = cap > 0n && cap < maxPrice ? cap : maxPrice;
  const normal = higher(suggested, minimum);
  const prices = { slow: minimum, normal, fast: (normal * 3n + 1n) / 2n, minimum, maximum };
  return withinRange(prices, prices);
}

/** The prices, each within the range that remains after it is narrowed to `minimum` and `maximum`, wei per gas. */
export function withinRange(prices: GasPrices, bounds: Pick<GasPrices, 'minimum' | 'maximum'>): GasPrices {
  const minimum = higher(bounds.minimum, prices.minimum);
  const maximum = lower(bounds.maximum, prices.maximum);
  const within = (price: bigint) => higher(minimum, lower(price, maximum));
  return {
    slow: within(prices.slow),
    normal: within(prices.normal),
    fast: within(prices.fast),
    minimum,
    maximum,
  };
}

/** The prices as a question offers them, each with the fee for this much gas. */
export function priceChoices(prices: GasPrices, gas: bigint): PriceChoices {
  const at = (price: bigint): FeeChoice => ({ gasPrice: toQuantity(price), fee: toQuantity(price * gas) });
  return {
    fees: { slow: at(prices.slow), normal: at(prices.normal), fast: at(prices.fast) },
    minimum: toQuantity(prices.minimum),
    maximum: toQuantity(prices.maximum),
  };
}

/** The higher of two amounts. */
export const higher = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** A replacement must offer this percentage of the replaced price (docs/notes/node.md#replacement). */
const replacementPercent = 140n;

/** The lowest price at which a node lets another transaction take the place of one with this price, wei per gas. */
export const replacementPrice = (gasPrice: Hex): bigint =>
  (BigInt(gasPrice) * replacementPercent + 99n) / 100n;

/**
 * The gas price to sign, wei per gas: the page's own, or the service's suggestion within the page's `maxFeePerGas`. A
 * page's price above the network's cap (pages hard-code prices of other chains, such as 10 gwei) is lowered to the cap,
 * since no node would accept it.
 *
 * @param suggested the service's price, wei per gas
 * @param minimum the head's minimum price, wei per gas
 * @throws ProviderRpcError -32003 for a price below the minimum or above 1,000 gwei, and for a replacement that takes
 * more than the network's cap; -32603 for such a suggestion
 */
export function choosePrice(request: TransactionRequest, suggested: bigint, minimum: bigint): bigint {
  const cap = minimum * maxMinimumPrices;
  const usual = higher(suggested, minimum);
  const floor = BigInt(request.replacementPrice ?? 0);
  const { maximum } = gasPrices(suggested, minimum);
  if (floor > maximum)
    throw transactionRejected(
      `replacement transaction underpriced: replacing it takes ${floor} wei per gas, and the network takes at most ${maximum}`,
    );
  if (request.gasPrice === undefined && (usual > maxPrice || (cap > 0n && usual > cap)))
    throw badReply('eth_gasPrice', `a gas price of ${usual} wei is not believable`);
  if (request.gasPrice === undefined && request.maxFeePerGas === undefined && floor > usual) return floor;
  if (request.gasPrice !== undefined) {
    const price = BigInt(request.gasPrice);
    if (price < minimum)
      throw transactionRejected(
        `max fee per gas less than block base fee: the gas price of ${price} is below the block's minimum of ${minimum}`,
      );
    if (cap > 0n && price > cap && cap <= maxPrice) return cap;
    if (price > maxPrice)
      throw transactionRejected(
        `max fee per gas higher than the cap: a gas price of ${price} wei is over ${maxPrice}, more than anybody should pay`,
      );
    return price;
  }
  if (request.maxFeePerGas === undefined) return usual;
  const bound = BigInt(request.maxFeePerGas);
  if (bound < minimum)
    throw transactionRejected(
      `max fee per gas less than block base fee: maxFeePerGas of ${bound} is below the block's minimum of ${minimum}`,
    );
  return lower(bound, usual);
}
