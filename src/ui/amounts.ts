import { own } from '../rpc/own.js';
import type { Words } from './words.js';

/** Formats amounts with integer arithmetic only: a float could show another amount than is signed. */

/** Formats `units` of 10^-decimals without rounding: 1234500 with 3 decimals is `1,234.5`. */
export function formatAmount(units: bigint, decimals: number, { group, point }: Words): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  const whole = digits.slice(0, cut).replace(/\B(?=(?:\d{3})+$)/g, group);
  const fraction = digits.slice(cut).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}${point}${fraction}`;
}

/**
 * Formats an upper bound: rounded up to eight decimal places, the precision of a bitcoin. An amount smaller than
 * that is shown without rounding.
 */
export function formatAtMost(units: bigint, decimals: number, words: Words): string {
  const step = 10n ** BigInt(Math.max(decimals - 8, 0));
  return formatAmount(units < step ? units : ((units + step - 1n) / step) * step, decimals, words);
}

export const formatCount = (count: bigint | number, words: Words): string =>
  formatAmount(BigInt(count), 0, words);

/** Formats a unix time (seconds) in the local time zone; `null` after the year 9999. */
export function formatTime(seconds: string, { language }: Words): string | null {
  const time = BigInt(seconds);
  if (time > 253402300799n) return null;
  const format = own<Intl.DateTimeFormatOptions>({ dateStyle: 'medium', timeStyle: 'short' });
  return new Intl.DateTimeFormat(language, format).format(new Date(Number(time) * 1000));
}
