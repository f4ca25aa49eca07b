import { useState } from 'preact/hooks';
import type { Doubt, ListedPayment } from '../../received/received.js';
import { own } from '../../rpc/own.js';
import { type Content, fill, h, sentence } from '../h.js';
import { formatCount, formatDate } from '../pieces/amounts.js';
import { button } from '../pieces/fields.js';
import { chip } from '../pieces/lines.js';
import { disclosure } from '../pieces/text.js';
import type { PanelWords } from '../words/words.js';
import type { Teller } from './effects.js';

/** A text that no other payment has. */
export const paymentKey = ({ transaction, from, account, logIndex, tokenId }: ListedPayment): string =>
  [transaction, from, account, logIndex, tokenId].join();

/** Tells a payment in a few words. */
export const tellPayment = (payment: ListedPayment, teller: Teller): Content =>
  sentence(teller.words.effects.received, { what: paidAmount(payment, teller) });

/** The amount of a payment, or its collectible. */
export const paidAmount = ({ token, amount, tokenId }: ListedPayment, teller: Teller): Content =>
  teller.amount({ token, amount, isCollectible: tokenId !== undefined });

/** Blocks on top of a payment's own from which on it counts as received. */
const settledAfter = 12;

export const isArriving = ({ confirmations }: ListedPayment): boolean => confirmations < settledAfter;

/** Whether a payment can still be undone, as a word and a colour. */
export const paymentChip = (payment: ListedPayment, words: PanelWords): Content =>
  isArriving(payment) ? chip(words.arriving, 'open') : chip(words.effectTerms.received, 'good');

/** Rows shown at first, and with each press of the button below them. */
const pageSize = 50;

/** Payments that may be meant to deceive, collapsed at first: nothing here can be copied or followed. */
export function DoubtfulPayments({ payments, teller, words }: Properties): Content {
  const [limit, setLimit] = useState(pageSize);
  return disclosure(
    fill(words.doubtful, { count: formatCount(payments.length, words) }),
    <p class="soft">{words.doubtfulLead}</p>,
    <ul class="cards">
      {payments.slice(0, limit).map((payment) => (
        <li class="item" key={paymentKey(payment)}>
          <div class="grow">
            <span class="name">{tellPayment(payment, teller)}</span>
            <small>
              {sentence(words.cameFrom, {
                from: teller.party(payment.from),
                date: formatDate(payment.at, words),
              })}
            </small>
          </div>
          <p>{own(words.doubts)[payment.doubt as Doubt]}</p>
        </li>
      ))}
    </ul>,
    payments.length > limit && (
      <div class="actions">{button(words.showOlder, () => setLimit(limit + pageSize))}</div>
    ),
  );
}

interface Properties {
  /** Newest first. */
  readonly payments: readonly ListedPayment[];
  readonly teller: Teller;
  readonly words: PanelWords;
}
