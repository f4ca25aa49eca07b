import type { CoinPrice } from '../../assets/coin-price.js';
import { type Content, fill, h } from '../h.js';
import type { DialogWords } from '../words/words.js';
import { formatAmount, formatCount } from './amounts.js';

/**
 * About how much an amount of coins is in US dollars, with the age of the price.
 *
 * @param units base units of a coin with so many `decimals`
 */
export function about(units: bigint, decimals: number, { usd, age }: CoinPrice, words: DialogWords): Content {
  const cents =
    (units * BigInt(usd) * 2n + 10n ** BigInt(decimals + 16)) / (2n * 10n ** BigInt(decimals + 16));
  const text =
    cents === 0n && units > 0n
      ? fill(words.lessUsd, { amount: formatCents(1n, words) })
      : fill(words.aboutUsd, { amount: formatCents(cents, words) });
  return (
    <p class="soft about">
      <bdi>{text}</bdi>
      {age !== undefined && <small>{fill(words.priceAge, { age: formatCount(age, words) })}</small>}
    </p>
  );
}

/** Two decimal places, also where they are zeros. */
const formatCents = (cents: bigint, words: DialogWords): string =>
  formatAmount(cents / 100n, 0, words) + words.point + `${cents % 100n}`.padStart(2, '0');
