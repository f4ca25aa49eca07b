import type { QuestionNetwork } from '../../approvals/question.js';
import { own } from '../../rpc/own.js';
import { type Content, h } from '../h.js';
import type { DialogWords } from '../words/words.js';

/** Formats amounts with integer arithmetic only: a float could show another amount than is signed. */

/** Formats `units` of 10^-decimals without rounding: 1234500 with 3 decimals is `1,234.5`. */
export function formatAmount(units: bigint, decimals: number, { group, point }: DialogWords): string {
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
export function formatAtMost(units: bigint, decimals: number, words: DialogWords): string {
  const step = 10n ** BigInt(Math.max(decimals - 8, 0));
  return formatAmount(units < step ? units : ((units + step - 1n) / step) * step, decimals, words);
}

type Currency = Pick<QuestionNetwork, 'decimals' | 'symbol'>;

/** Formats an amount of a currency with its symbol, without rounding. */
export const formatCoins = (
  units: bigint | string,
  { decimals, symbol }: Currency,
  words: DialogWords,
): string => `${formatAmount(BigInt(units), decimals, words)} ${symbol}`;

/** The same for an upper bound: a fee, or a total with one. */
export const formatMaxCoins = (
  units: bigint | string,
  { decimals, symbol }: Currency,
  words: DialogWords,
): string => `${formatAtMost(BigInt(units), decimals, words)} ${symbol}`;

/** The same for a balance, rounded down as by {@link formatBalance}. */
export const formatHeldCoins = (units: bigint, { decimals, symbol }: Currency, words: DialogWords): string =>
  `${formatBalance(units, decimals, words)} ${symbol}`;

/** Formats a price in wei per gas. */
export const formatGasPrice = (wei: bigint | string, words: DialogWords): string =>
  formatCoins(wei, { decimals: 9, symbol: 'Gwei' }, words);

/** The exact amount of a token that the wallet does not know, in base units; `null` where the amount is exact without. */
export function baseUnits(
  units: bigint,
  { decimals, known }: { readonly decimals?: number | undefined; readonly known?: boolean | undefined },
  words: DialogWords,
): Content {
  return known || decimals === undefined || units === 0n ? null : inBaseUnits(units, words);
}

export const inBaseUnits = (units: bigint, words: DialogWords): Content => (
  <bdi>{`${formatCount(units, words)} ${words.baseUnits}`}</bdi>
);

export const formatCount = (count: bigint | number, words: DialogWords): string =>
  formatAmount(BigInt(count), 0, words);

/**
 * The problem with an amount that a person typed: it is not a number, it has more decimals than the currency, or it may be
 * in thousands or a fraction, as `1,234` in English.
 */
export type AmountProblem = 'format' | 'decimals' | 'ambiguous';

/** Reads an amount in units of 10^-decimals. The decimal mark may be a point or a comma; there are no thousands marks. */
export function readAmount(text: string, decimals: number, { group }: DialogWords): bigint | AmountProblem {
  const [, whole = '', mark, fraction = ''] = /^(\d*)(?:([.,])(\d*))?$/.exec(text.trim()) ?? [];
  if (whole + fraction === '') return 'format';
  if (mark === group && /^[1-9]/.test(whole) && fraction.length === 3) return 'ambiguous';
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > decimals) return 'decimals';
  return BigInt(whole + digits.padEnd(decimals, '0'));
}

/** The same; `null` for what cannot be read. */
export function parseAmount(text: string, decimals: number, words: DialogWords): bigint | null {
  const amount = readAmount(text, decimals, words);
  return typeof amount === 'bigint' ? amount : null;
}

/** A field for an amount that is checked while it is typed. The text below it has the id `…-note`. */
export const amountField = (
  id: string,
  value: string,
  isValid: boolean,
  change: (text: string) => void,
  placeholder?: string,
): Content => (
  <input
    id={id}
    type="text"
    inputmode="decimal"
    autocomplete="off"
    placeholder={placeholder}
    value={value}
    aria-invalid={String(!isValid)}
    aria-describedby={`${id}-note`}
    onInput={({ currentTarget }) => change(currentTarget.value)}
  />
);

/** Formats a unix time (seconds) in the local time zone; `null` before 1970 and after the year 9999. */
export function formatTime(seconds: string, { language }: DialogWords): string | null {
  const time = BigInt(seconds);
  if (time < 0n || time > 253402300799n) return null;
  const format = own<Intl.DateTimeFormatOptions>({ dateStyle: 'medium', timeStyle: 'short' });
  return new Intl.DateTimeFormat(language, format).format(new Date(Number(time) * 1000));
}

/** Formats a number of minutes: `5 minutes`, `4 hours`. */
export function formatMinutes(minutes: number, { language }: DialogWords): string {
  const [count, unit] = minutes < 60 ? [minutes, 'minute'] : [minutes / 60, 'hour'];
  const format = own<Intl.NumberFormatOptions>({ style: 'unit', unit, unitDisplay: 'long' });
  return new Intl.NumberFormat(language, format).format(count);
}

/** Formats a time in milliseconds since 1970. */
export const formatDate = (milliseconds: number, words: DialogWords): string =>
  formatTime(String(Math.floor(milliseconds / 1000)), words) ?? '';

/** Formats the day of a time in milliseconds since 1970; an empty text for what is no time. */
export function formatDay(milliseconds: number, { language }: DialogWords): string {
  const day = new Date(milliseconds);
  if (Number.isNaN(day.getTime())) return '';
  return new Intl.DateTimeFormat(language, own<Intl.DateTimeFormatOptions>({ dateStyle: 'long' })).format(
    day,
  );
}

/** Formats a balance, rounded down to eight decimal places, so that it never seems to be more. */
export function formatBalance(units: bigint, decimals: number, words: DialogWords): string {
  const step = 10n ** BigInt(Math.max(decimals - 8, 0));
  if (units > 0n && units < step) return `< ${formatAmount(step, decimals, words)}`;
  return formatAmount((units / step) * step, decimals, words);
}
