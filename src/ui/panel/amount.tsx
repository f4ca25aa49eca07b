import { type Content, fill, h } from '../h.js';
import { amountField, readAmount } from '../pieces/amounts.js';
import { button } from '../pieces/fields.js';
import type { Words } from '../words/words.js';

/** The problem with an amount that a person typed, as a text for them; `null` for one above zero. */
export function problemOfAmount(typed: string, decimals: number, words: Words): string | null {
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

/** The field of an amount to pay, with a button for all there is, and what is wrong with it. */
export function AmountField({
  typed,
  type,
  symbol,
  problem,
  note,
  useAll,
  words,
  children,
}: Properties): Content {
  return (
    <div class="field">
      <label for="amount-field">{words.amountOf}</label>
      <div class="joined">
        {amountField('amount-field', typed, problem === null, type)}
        <bdi class="soft">{symbol}</bdi>
        {button(words.max, () => useAll?.(), { 'aria-disabled': useAll ? undefined : 'true' })}
      </div>
      <small id="amount-field-note" class={problem ? 'bad' : undefined} aria-live="polite">
        {problem ?? note}
      </small>
      {children}
    </div>
  );
}

interface Properties {
  readonly typed: string;
  readonly type: (text: string) => void;
  readonly symbol: string;
  /** `null` for a valid amount. */
  readonly problem: string | null;
  /** Shown where there is no problem. */
  readonly note: Content;
  /** Types the greatest amount; absent where that is not known. */
  readonly useAll: (() => void) | undefined;
  readonly words: Words;
  readonly children?: Content | undefined;
}
