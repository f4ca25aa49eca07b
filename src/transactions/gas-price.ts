import { badReply, transactionRejected } from '../rpc/errors.js';
import type { TransactionRequest } from './request.js';

/** Nodes refuse a price above this multiple of the minimum price (RSKIP-252). */
const maxMinimumPrices = 80n;
/**
 * Wei per gas that are never exceeded, whatever the service reports: 1,000 gwei, some ten thousand times the usual
 * price. Keeps a malicious endpoint from draining an account through fees.
 */
const maxPrice = 1_000_000_000_000n;

/**
 * The gas price to sign, wei per gas: the page's own, or the service's suggestion within the page's `maxFeePerGas`. A
 * page's price above the network's cap (pages hard-code prices of other chains, such as 10 gwei) is lowered to the cap,
 * since no node would accept it.
 *
 * @param suggested the service's price, wei per gas
 * @param minimum the head's minimum price, wei per gas
 * @throws ProviderRpcError -32003 for a price below the minimum or above 1,000 gwei; -32603 for such a suggestion
 */
export function choosePrice(request: TransactionRequest, suggested: bigint, minimum: bigint): bigint {
  const cap = minimum * maxMinimumPrices;
  const usual = suggested > minimum ? suggested : minimum;
  if (request.gasPrice === undefined && (usual > maxPrice || (cap > 0n && usual > cap)))
    throw badReply('eth_gasPrice', `a gas price of ${usual} wei is not believable`);
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
  return bound < usual ? bound : usual;
}
