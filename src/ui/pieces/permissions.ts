import type { TokenLabel } from '../../approvals/decode-call.js';
import type { QuestionNetwork } from '../../approvals/question.js';
import { own } from '../../rpc/own.js';
import type { PermissionTerms } from '../../rpc/permission-terms.js';
import type { Hex } from '../../rpc/schema.js';
import { type Content, sentence } from '../h.js';
import type { DialogWords } from '../words/words.js';
import { formatAmount } from './amounts.js';
import type { Amount } from './hero.js';

type LabelledTerms = Pick<PermissionTerms, 'token' | 'contracts'> & {
  readonly tokenLabel?: TokenLabel | undefined;
};

/** The name in the words for what a permission is for. */
export const permittedUse = ({ token, contracts }: LabelledTerms): 'payments' | 'transfers' | 'calls' =>
  contracts ? 'calls' : token === undefined ? 'payments' : 'transfers';

/** Decimals and symbol of a permission's amount; without decimals it is in base units. */
export function permittedUnit(
  { token, tokenLabel }: LabelledTerms,
  coin: Pick<QuestionNetwork, 'decimals' | 'symbol'> | undefined,
  words: DialogWords,
): { readonly decimals: number; readonly unit: string | null } {
  const { decimals, symbol = null } = own<Partial<TokenLabel>>(token === undefined ? coin : tokenLabel);
  return decimals === undefined ? { decimals: 0, unit: words.baseUnits } : { decimals, unit: symbol };
}

/** An amount in the unit of a permission. */
export function permittedAmount(
  terms: LabelledTerms,
  units: bigint | Hex,
  coin: Pick<QuestionNetwork, 'decimals' | 'symbol'> | undefined,
  words: DialogWords,
): Amount {
  const { decimals, unit } = permittedUnit(terms, coin, words);
  return { text: formatAmount(BigInt(units), decimals, words), unit };
}

/** Units of a period in seconds, the longest first. */
const units = [
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** An amount and how often: `5 RIF a day`, `5 RIF every 12 hours`. Without a period (seconds) it is for the whole term, however many payments. */
export function formatRate(
  amount: string,
  period: number | undefined,
  { rates, language }: DialogWords,
): Content {
  if (period === undefined) return sentence(rates.term, { amount });
  for (const [unit, seconds] of units) {
    if (period % seconds !== 0) continue;
    const count = period / seconds;
    if (count === 1 && seconds >= 3600) return sentence(rates[unit as 'hour'], { amount });
    const format = own<Intl.NumberFormatOptions>({ style: 'unit', unit, unitDisplay: 'long' });
    return sentence(rates.other, { amount, time: new Intl.NumberFormat(language, format).format(count) });
  }
  return null;
}
