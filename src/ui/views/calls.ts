import { formatAmount, formatAtMost, formatCount } from '../amounts.js';
import { element, sentence } from '../element.js';
import { blocks, disclosure, ownAccount, party, rows } from '../fields.js';
import { siteName } from '../site.js';
import { transaction } from './transaction.js';
import type { ViewOf } from './view.js';

/** First all of them in a line each, with what they take together; then each as if it were asked for alone. */
export const calls: ViewOf<'calls'> = (question, words) => {
  const { origin, network } = question;
  const atMost = (wei: string) =>
    element('bdi', {}, `${formatAtMost(BigInt(wei), network.decimals, words)} ${network.symbol}`);
  const shown = question.calls.map((call, i) => {
    const { title, lead, subject, more } = transaction(
      { ...question, ...call, kind: 'transaction', action: 'send' },
      words,
    );
    const name = numbered(i, element('span', {}, title).textContent);
    const whole = disclosure(name, element('p', { class: 'lead' }, lead), subject, more ?? null);
    const amount = whole.querySelector('.hero');
    // An id is for one element: of several amounts none is the one that is read out with the title.
    amount?.removeAttribute('id');
    whole.setAttribute('open', '');
    return { name, amount: amount?.textContent ?? '', whole };
  });
  return {
    title: sentence(words.callsTitle, { count: formatCount(shown.length, words) }),
    lead: sentence(words.callsLead, { site: siteName(origin) }),
    subject: [
      rows(...shown.map(({ name, amount }) => [name, element('bdi', {}, amount)] as const)),
      rows([words.fee, atMost(question.fee)], [words.total, element('strong', {}, atMost(question.total))]),
    ],
    more: shown.map(({ whole }) => whole),
    confirm: words.confirm,
  };
};

export const callsStatus: ViewOf<'calls-status'> = ({ calls, account, network }, words) => {
  const { chainId, decimals, symbol } = network;
  const states = {
    pending: words.callPending,
    succeeded: words.callSucceeded,
    reverted: words.callReverted,
    dropped: words.callDropped,
  };
  return {
    title: words.callsStatusTitle,
    lead: null,
    subject: calls.map(({ to, value, hash, state }, i) => [
      element('h3', {}, numbered(i, states[state])),
      blocks([words.to, to === null ? words.newContract : party(to, chainId)]),
      rows(
        [words.amount, element('bdi', {}, `${formatAmount(BigInt(value), decimals, words)} ${symbol}`)],
        [words.transaction, element('code', { dir: 'ltr' }, hash)],
      ),
    ]),
    more: [blocks([words.from, ownAccount(account, chainId)])],
    confirm: words.close,
  };
};

/** The number is what warnings call it by. */
const numbered = (index: number, name: string): string => `#${index + 1} ${name}`;
