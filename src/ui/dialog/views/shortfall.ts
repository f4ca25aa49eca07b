import type { CallsQuestion, TransactionQuestion } from '../../../approvals/question.js';
import { sentence } from '../../h.js';
import { formatAmount, formatAtMost } from '../../pieces/amounts.js';
import type { DialogWords } from '../../words/words.js';
import type { View } from './view.js';

/** What a view shows where the balance does not suffice: what is needed, what there is, what to do, and a way to close. */
export function shortfallView(
  { network, total, balance, shortfall }: TransactionQuestion | CallsQuestion,
  words: DialogWords,
): Pick<View, 'lead' | 'confirm' | 'answer' | 'informs'> {
  const coins = (wei: string) => `${formatAtMost(BigInt(wei), network.decimals, words)} ${network.symbol}`;
  return {
    lead: sentence(words.shortfallLead, {
      total: coins(total),
      balance: `${formatAmount(BigInt(balance), network.decimals, words)} ${network.symbol}`,
      missing: coins(shortfall as string),
    }),
    confirm: words.close,
    answer: () => ({ approved: false }),
    informs: true,
  };
}
