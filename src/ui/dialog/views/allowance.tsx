import { useState } from 'preact/hooks';
import type { TokenLabel } from '../../../approvals/decode-call.js';
import { type Content, fill, h } from '../../h.js';
import { amountField, formatAmount, parseAmount } from '../../pieces/amounts.js';
import { type Amount, hero } from '../../pieces/hero.js';
import { rows } from '../../pieces/lists.js';
import { disclosure } from '../../pieces/text.js';
import type { DialogWords } from '../../words/words.js';
import { signedAmount } from './call.js';

/** The limit that an `approve` sets, which the person may lower. The amount in large type is the one that is signed. */
export function AllowanceChoice({ amount, requested, token, limit, words }: Properties): Content {
  const [typed, type] = useState('');
  const decimals = token.decimals ?? 0;
  const unit = token.decimals === undefined ? words.baseUnits : (token.symbol ?? null);
  const units = typed === '' ? null : parseAmount(typed, decimals, words);
  const isValid = typed === '' || (units !== null && units <= BigInt(requested));
  limit.units = typed === '' ? null : isValid ? units : -1n;
  const isLowered = typed !== '' && isValid && units !== null;
  const chosen = isLowered ? units : BigInt(requested);
  return [
    hero(isLowered ? { text: formatAmount(chosen, decimals, words), unit } : amount),
    rows(signedAmount(chosen.toString(), token, words, !isLowered && amount.tone === 'danger')),
    disclosure(
      words.changeLimit,
      <label for="limit">{unit === null ? words.limit : fill(words.limitIn, { unit })}</label>,
      amountField('limit', typed, isValid, (text) => type(text.trim()), amount.text),
      <small id="limit-note">{words.limitNote}</small>,
    ),
  ];
}

interface Properties {
  /** As requested. */
  readonly amount: Amount;
  /** Base units, decimal: the highest limit. */
  readonly requested: string;
  readonly token: TokenLabel;
  /** Holds the choice: base units; `null` for the requested amount, -1 for one that is not valid. */
  readonly limit: { units: bigint | null };
  readonly words: DialogWords;
}
