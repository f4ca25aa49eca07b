import { own } from '../../../rpc/own.js';
import type { Hex } from '../../../rpc/schema.js';
import { Fragment, h, sentence, textOf } from '../../h.js';
import { ownAccount, party } from '../../pieces/address.js';
import { formatCoins, formatCount } from '../../pieces/amounts.js';
import { amountLine, hero } from '../../pieces/hero.js';
import { blocks, collapsing, rows } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import { opened } from '../../pieces/text.js';
import { details } from '../../styles/details.js';
import { costRows, Fees, type PriceChoice, priceAnswer } from './fees.js';
import { shortfallView } from './shortfall.js';
import { describeTransaction } from './transaction.js';
import type { View, ViewOf } from './view.js';

/** A summary with one line per call and the total cost, then each call as in its own question. */
export const calls: ViewOf<'calls'> = (question, words) => {
  const { origin, network, choices, shortfall } = question;
  const requested = question.calls[0]?.transaction.gasPrice as Hex;
  const price: PriceChoice = { gasPrice: BigInt(requested) };
  const described = question.calls.map((call, i) => {
    const { title, lead, amount, parties, inside, more, described } = describeTransaction(
      own({ ...question, ...call, kind: 'transaction' as const, action: 'send' as const }),
      words,
      choices ? 'elsewhere' : 'rows',
    );
    const name = numbered(i, textOf(title));
    const whole = opened(
      name,
      <p class="lead">{lead}</p>,
      // An id must be unique, so none of several amounts describes the dialog.
      amount && hero(amount, null),
      blocks(...parties),
      inside,
      more,
    );
    return { name, amount, exact: described.signed?.[1], whole };
  });
  const sum = (field: 'gas' | 'value') =>
    question.calls.reduce((all, { transaction }) => all + BigInt(transaction[field]), 0n);
  const view: View = {
    title: sentence(words.callsTitle, { count: formatCount(described.length, words) }),
    lead: sentence(words.callsLead, { site: siteName(origin) }),
    subject: [
      // Each may move value, so that none is collapsed.
      rows(
        ...described.map(
          ({ name, amount, exact }) =>
            [name, [<bdi>{amount && amountLine(amount)}</bdi>, exact && <small>{exact}</small>]] as const,
        ),
      ),
      choices ? (
        <Fees {...{ choices, requested, price, network, words }} gas={sum('gas')} value={sum('value')} />
      ) : (
        rows(...costRows(question.fee, question.total, network, words))
      ),
    ],
    more: described.map(({ whole }) => whole),
    styles: details,
    confirm: words.confirm,
    answer: choices && (() => priceAnswer(price, requested)),
  };
  return shortfall === undefined ? view : { ...view, ...shortfallView(question, words, view.subject) };
};

export const callsStatus: ViewOf<'calls-status'> = ({ calls, account, network }, words) => {
  const { chainId } = network;
  const states = {
    pending: words.callPending,
    succeeded: words.callSucceeded,
    reverted: words.callReverted,
    dropped: words.callDropped,
  };
  return {
    title: words.callsStatusTitle,
    lead: null,
    subject: [
      collapsing([...calls.entries()], words, (part) =>
        part.map(([i, { to, value, hash, state }]) => (
          <>
            <h3>{numbered(i, states[state])}</h3>
            {blocks([words.to, to === null ? words.newContract : party(to, chainId)])}
            {rows(
              [words.amount, <bdi>{formatCoins(value, network, words)}</bdi>],
              [words.transaction, <code dir="ltr">{hash}</code>],
            )}
          </>
        )),
      ),
    ],
    more: [blocks([words.from, ownAccount(account, chainId)])],
    styles: details,
    confirm: words.close,
    informs: true,
  };
};

/** Warnings refer to a call by this number. */
const numbered = (index: number, name: string): string => `#${index + 1} ${name}`;
