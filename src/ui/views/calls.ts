import { formatAmount, formatAtMost, formatCount } from '../amounts.js';
import { element, sentence } from '../element.js';
import { blocks, disclosure, ownAccount, party, rows } from '../fields.js';
import { siteName } from '../site.js';
import { transaction } from './transaction.js';
import type { ViewOf } from './view.js';

/** A summary with one line per call and the total cost, then each call as in its own question. */
export const calls: ViewOf<'calls'> = (question, words) => {
  const { origin, network } = question;
  const atMost = (wei: string) =>
    element('bdi', {}, `${formatAtMost(BigInt(wei), network.decimals, words)} ${network.symbol}`);
  const described = question.calls.map((call, i) => {
    const { title, lead, subject, more } = transaction(
      { ...question, ...call, kind: 'transaction', action: 'send' },
      words,
    );
    const name = numbered(i, element('span', {}, title).textContent);
    const whole = disclosure(name, element('p', { class: 'lead' }, lead), subject, more ?? null);
    const amount = whole.querySelector('.hero');
    // An id must be unique, so none of several amounts describes the dialog.
    amount?.removeAttribute('id');
    whole.setAttribute('open', '');
    return { name, amount: amount?.textContent ?? '', whole };
  });
  return {
    title: sentence(words.callsTitle, { count: formatCount(described.length, words) }),
    lead: sentence(words.callsLead, { site: siteName(origin) }),
    subject: [
      rows(...described.map(({ name, amount }) => [name, element('bdi', {}, amount)] as const)),
      rows([words.fee, atMost(question.fee)], [words.total, element('strong', {}, atMost(question.total))]),
    ],
    more: described.map(({ whole }) => whole),
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

/** Warnings refer to a call by this number. */
const numbered = (index: number, name: string): string => `#${index + 1} ${name}`;
