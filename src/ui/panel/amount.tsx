import { type Content, fill, h } from '../h.js';
import { amountField, formatAmount, formatHeldCoins, formatMaxCoins, readAmount } from '../pieces/amounts.js';
import { button } from '../pieces/fields.js';
import type { PanelWords } from '../words/words.js';

/** The problem with an amount that a person typed, as a text for them; `null` for one above zero. */
export function problemOfAmount(typed: string, decimals: number, words: PanelWords): string | null {
  if (typed.trim() === '') return words.amountMissing;
  const amount = readAmount(typed, decimals, words);
  if (amount === 'format') return fill(words.amountFormat, { example: `0${words.point}25` });
  if (amount === 'decimals') return fill(words.amountDecimals, { decimals });
  if (amount === 'ambiguous') {
    const parts = typed.trim().split(words.group);
    return fill(words.amountAmbiguous, {
      typed: typed.trim(),
      one: parts.join(''),
      other: parts.join(words.point),
    });
  }
  return amount === 0n ? words.amountZero : null;
}

/** The text about an amount that the balance does not cover; `null` where it does, and where the balance is not known. */
export function problemOfBalance(
  needed: bigint,
  balance: bigint | null,
  asset: Asset,
  { text, words }: { readonly text: string; readonly words: PanelWords },
): string | null {
  if (balance === null || needed <= balance) return null;
  return fill(text, {
    balance: formatHeldCoins(balance, asset, words),
    missing: formatMaxCoins(needed - balance, asset, words),
  });
}

/** An amount as a person would type it; zero for less than that. */
export const typedAmount = (units: bigint, decimals: number, words: PanelWords): string =>
  formatAmount(units > 0n ? units : 0n, decimals, { ...words, group: '' });

/** The field of an amount to pay, with a button for all there is, and what is wrong with it. */
export function AmountField({
  typed,
  type,
  asset,
  balance,
  problem,
  useAll,
  words,
  children,
}: Properties): Content {
  return (
    <div class="field">
      <label for="amount-field">{words.amountOf}</label>
      <div class="joined">
        {amountField('amount-field', typed, problem === null, type)}
        <bdi class="soft">{asset.symbol}</bdi>
        {button(words.max, () => useAll?.(), { 'aria-disabled': useAll ? undefined : 'true' })}
      </div>
      <small id="amount-field-note" class={problem ? 'bad' : undefined} aria-live="polite">
        {problem ?? (balance !== null && `${words.balance}: ${formatHeldCoins(balance, asset, words)}`)}
      </small>
      {children}
    </div>
  );
}

interface Asset {
  readonly symbol: string;
  readonly decimals: number;
}

interface Properties {
  readonly typed: string;
  readonly type: (text: string) => void;
  readonly asset: Asset;
  /** Base units; `null` where it is not known. */
  readonly balance: bigint | null;
  /** `null` for a valid amount. */
  readonly problem: string | null;
  /** Types the greatest amount; absent where that is not known. */
  readonly useAll: (() => void) | undefined;
  readonly words: PanelWords;
  readonly children?: Content | undefined;
}
