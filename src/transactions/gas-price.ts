import { badReply, transactionRejected } from '../rpc/errors.js';
import type { TransactionRequest } from './request.js';

/** Nodes refuse a price above this many minimum prices (RSKIP-252). */
const priceCap = 80n;
/**
 * No price above this is believed or signed, whatever the block says: 1,000 gwei, some ten thousand times
 * what the network asks. A lying endpoint must not drain an account by its fee.
 */
const highestPrice = 1_000_000_000_000n;

/**
 * The price that is signed: the page's, or the service's suggestion within the page's bound. Pages carry fixed
 * prices from other chains (10 gwei): one over the network's cap is lowered to it, since no node would take it.
 */
export function choosePrice(request: TransactionRequest, suggested: bigint, minimum: bigint): bigint {
  const cap = minimum * priceCap;
  const offered = suggested > minimum ? suggested : minimum;
  if (request.gasPrice === undefined && (offered > highestPrice || (cap > 0n && offered > cap)))
    throw badReply('eth_gasPrice', `a gas price of ${offered} wei is not believable`);
  if (request.gasPrice !== undefined) {
    const price = BigInt(request.gasPrice);
    if (price < minimum)
      throw transactionRejected(
        `max fee per gas less than block base fee: the gas price of ${price} is below the block's minimum of ${minimum}`,
      );
    if (cap > 0n && price > cap && cap <= highestPrice) return cap;
    if (price > highestPrice)
      throw transactionRejected(
        `max fee per gas higher than the cap: a gas price of ${price} wei is over ${highestPrice}, more than anybody should pay`,
      );
    return price;
  }
  if (request.maxFeePerGas === undefined) return offered;
  const bound = BigInt(request.maxFeePerGas);
  if (bound < minimum)
    throw transactionRejected(
      `max fee per gas less than block base fee: maxFeePerGas of ${bound} is below the block's minimum of ${minimum}`,
    );
  return bound < offered ? bound : offered;
}
