import { useState } from 'preact/hooks';
import type { ListedChange, ListedPayment } from '../../../received/received.js';
import { own } from '../../../rpc/own.js';
import type { Effect } from '../../../transactions/journal-entry.js';
import type { RecordedTransaction } from '../../../transactions/transactions.js';
import { type Content, Fragment, fill, h, sentence } from '../../h.js';
import { formatCoins, formatDate } from '../../pieces/amounts.js';
import { button } from '../../pieces/fields.js';
import { statusLine } from '../../pieces/lines.js';
import type { Panel, PanelProperties } from '../context.js';
import { DownloadButton } from '../download.js';
import { type Teller, tokensIn, useTeller } from '../effects.js';
import { describe, isWaiting, recipientIn, stateChip } from '../entry.js';
import { useTransactions } from '../hooks.js';
import { DoubtfulPayments, paymentChip, paymentKey, tellPayment } from '../payments.js';
import { ReadFurther, ReadingFailed, useReceived } from '../reading.js';

/** Lines shown at first, and with each press of the button below them. */
const pageSize = 50;

/**
 * The transactions signed in this browser on the active network, and what came in there, newest first; of an account that the person
 * only looks at, what came in to it.
 */
export function Activity({ panel }: PanelProperties): Content {
  const { wallet, words, network, account } = panel;
  const watched = account?.watchOnly ? account.address : null;
  const [limit, setLimit] = useState(pageSize);
  const { value: entries } = useTransactions(panel, { chainId: network.chainId, limit });
  // It takes up all transactions that were ever signed here, and reads the chain: the list does not wait for that.
  const reading = useReceived(panel, entries !== undefined);
  const { payments, changes } = reading.value ?? { payments: [], changes: [] };
  const sent = entries
    ?.filter(({ from }) => watched === null || from === watched)
    .map((entry) => withCoins(entry, payments));
  const teller = useTeller(panel, [
    ...tokensIn(sent ?? []),
    ...payments.flatMap(({ token, doubt }) => (doubt === 'unlisted' ? [] : [token])),
  ]);
  if (!sent) return statusLine(words.loading);
  const incoming = payments.filter((payment) => !sent.some((entry) => tells(entry, payment)));
  const items = [
    ...sent.map((entry) => itemOf(entry.createdAt, () => sentRow(entry, panel, teller), isWaiting(entry))),
    ...incoming
      .filter(({ doubt }) => doubt === undefined)
      .map((payment) => itemOf(payment.at, () => paymentRow(payment, panel, teller))),
    ...changes.map((change) => itemOf(change.to, () => changeRow(change, panel, teller))),
  ]
    .reverse()
    .sort((one, other) => other.at - one.at);
  const doubtful = incoming.filter(({ doubt }) => doubt !== undefined).reverse();
  return (
    <>
      {reading.failed === 'newest' && <ReadingFailed reading={reading} words={words} />}
      {!reading.value && reading.isRunning && statusLine(words.readingReceived)}
      {items.length === 0 && <p>{watched === null ? words.noActivity : words.nothingReceived}</p>}
      <ul class="cards">
        {items.filter((item, index) => index < limit || item.isKept).map((item) => item.draw())}
      </ul>
      {(items.length > limit || sent.length >= limit) && (
        <div class="actions">{button(words.showOlder, () => setLimit(limit + pageSize))}</div>
      )}
      <ReadFurther reading={reading} words={words} />
      {doubtful.length > 0 && <DoubtfulPayments payments={doubtful} teller={teller} words={words} />}
      <p class="soft">{watched === null ? words.activityNote : words.watchedActivityNote}</p>
      {sent.length > 0 && (
        <DownloadButton
          label={words.exportActivity}
          words={words}
          name="activity.csv"
          type="text/csv"
          make={() => wallet.exportTransactions('csv')}
        />
      )}
    </>
  );
}

/** Whether the line of a transaction tells a payment to its account already. */
const tells = (
  { hash, from, effects = [] }: RecordedTransaction,
  { transaction, account, token }: ListedPayment,
) =>
  hash === transaction &&
  from === account &&
  effects.some((effect) => effect.kind === 'received' && effect.token === token);

/** A transaction with the coins that contracts paid to its account in it, which its logs do not show. */
function withCoins(entry: RecordedTransaction, payments: readonly ListedPayment[]): RecordedTransaction {
  const { hash, from, effects = [] } = entry;
  const paid = payments.filter(
    ({ transaction, account, token }) => transaction === hash && account === from && token === null,
  );
  if (paid.length === 0 || effects.some(({ token }) => token === null)) return entry;
  const amount = `0x${paid.reduce((sum, each) => sum + BigInt(each.amount), 0n).toString(16)}` as const;
  return own({ ...entry, effects: [...effects, own<Effect>({ kind: 'received', token: null, amount })] });
}

/** A line of the list with its time, milliseconds since 1970. `isKept`: it is shown however old it is. */
const itemOf = (at: number, draw: () => Content, isKept = false) => ({ at, draw, isKept });

const sentRow = (entry: RecordedTransaction, panel: Panel, teller: Teller): Content => (
  <li key={entry.hash}>
    {button(
      <>
        <span class="grow">
          <span class="name">{describe(entry, panel, teller)}</span>
          <small>
            {formatDate(entry.createdAt, panel.words)}
            {entry.to !== null && (
              <>
                {' '}
                · <bdi>{teller.party(recipientIn(entry) ?? entry.to)}</bdi>
              </>
            )}
          </small>
        </span>
        {stateChip(entry, panel.words)}
      </>,
      () => panel.go({ view: 'transaction', hash: entry.hash }),
      { class: 'row' },
    )}
  </li>
);

const paymentRow = (payment: ListedPayment, panel: Panel, teller: Teller): Content => (
  <li key={paymentKey(payment)}>
    {button(
      <>
        <span class="grow">
          <span class="name">{tellPayment(payment, teller)}</span>
          <small>
            {sentence(panel.words.cameFrom, {
              from: teller.party(payment.from),
              date: formatDate(payment.at, panel.words),
            })}
          </small>
        </span>
        {paymentChip(payment, panel.words)}
      </>,
      () => panel.go({ view: 'received', payment, chainId: panel.network.chainId }),
      { class: 'row' },
    )}
  </li>
);

/** A change of the balance without a known payment. */
function changeRow(
  { account, amount, from, to, fromBlock, toBlock }: ListedChange,
  { words, network }: Panel,
  teller: Teller,
): Content {
  const units = BigInt(amount);
  const isIn = units >= 0n;
  const coins = formatCoins(isIn ? units : -units, network.currency, words);
  const between = { from: formatDate(from, words), to: formatDate(to, words) };
  return (
    <li class="item" key={[account, fromBlock, toBlock].join()}>
      <div class="grow">
        <span class="name">
          {sentence(isIn ? words.effects.received : words.leftAccount, { what: coins })}
        </span>
        <small>{fill(isIn ? words.cameBetween : words.leftBetween, between)}</small>
        <small>{teller.party(account)}</small>
      </div>
    </li>
  );
}
