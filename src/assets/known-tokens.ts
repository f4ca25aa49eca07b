import type { Address } from '../rpc/schema.js';
import { type ListedToken, listedTokens } from './known-contracts.js';
import { likeness } from './likeness.js';

/** Symbol and decimals of a token in this list; `null` for any other. */
export function knownToken(chainId: number, address: Address): Omit<ListedToken, 'address'> | null {
  const found = listedTokens(chainId).find((token) => token.address === address.toLowerCase());
  return found ? { symbol: found.symbol, decimals: found.decimals } : null;
}

/**
 * The symbol that a token at this address only imitates: that of a known token, or of the chain's own coin. `null` if
 * its symbol is its own.
 *
 * @param coin symbol of the chain's currency
 */
export function imitatedSymbol(
  chainId: number,
  address: Address,
  symbol: string,
  coin: string,
): string | null {
  const tokens = listedTokens(chainId);
  if (tokens.some((token) => token.address === address.toLowerCase())) return null;
  const looks = likeness(symbol);
  // On the test network RBTC is not the coin's symbol, and means it all the same.
  const symbols = [coin, coin.replace(/^t(?=RBTC$)/, ''), ...tokens.map((token) => token.symbol)];
  return symbols.find((each) => likeness(each) === looks) ?? null;
}
