import type { CallsQuestion, TransactionQuestion } from '../../../approvals/question.js';
import { sentence } from '../../h.js';
import { party } from '../../pieces/address.js';
import { formatCoins, formatMaxCoins } from '../../pieces/amounts.js';
import { blocks } from '../../pieces/lists.js';
import type { DialogWords } from '../../words/words.js';
import type { View } from './view.js';

/**
 * Parts of a view for an insufficient balance: the required amount, the balance, the address to receive at, a link to that
 * address as a QR code, and a button to close.
 *
 * @param subject the view's content about the question itself
 */
export function shortfallView(
  { account, network, total, balance, shortfall }: TransactionQuestion | CallsQuestion,
  words: DialogWords,
  subject: View['subject'],
): Pick<View, 'lead' | 'subject' | 'confirm' | 'answer' | 'informs' | 'flow'> {
  return {
    lead: sentence(words.shortfallLead, {
      total: formatMaxCoins(total, network, words),
      balance: formatCoins(balance, network, words),
      missing: formatMaxCoins(shortfall as string, network, words),
    }),
    subject: [blocks([words.receiveAt, party(account.address, network.chainId, account.label)]), ...subject],
    confirm: words.close,
    answer: () => ({ approved: false }),
    informs: true,
    flow: {
      label: words.receive,
      async load() {
        const { startReceive, styles } = await import('../../receive/receive-step.js');
        return { styles, start: (stage) => startReceive(stage, account, network) };
      },
    },
  };
}
