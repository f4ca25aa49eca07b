import { useState } from 'preact/hooks';
import { tokenSelectors } from '../../../rpc/token-calls.js';
import type { RecordedTransaction } from '../../../transactions/transactions.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { shortAddress } from '../../pieces/address.js';
import { formatCoins, formatDate } from '../../pieces/amounts.js';
import { button } from '../../pieces/fields.js';
import { chip, statusLine } from '../../pieces/lines.js';
import type { Words } from '../../words/words.js';
import type { Panel, PanelProperties } from '../context.js';
import { DownloadButton } from '../download.js';
import { useTransactions } from '../hooks.js';

/** Transactions shown at first, and with each press of the button below them. */
const pageSize = 50;

/** The transactions signed in this browser on the active network, newest first. */
export function Activity({ panel }: PanelProperties): Content {
  const { wallet, words, network } = panel;
  const [limit, setLimit] = useState(pageSize);
  const { value: list } = useTransactions(panel, { chainId: network.chainId, limit });
  if (!list) return statusLine(words.loading);
  const shown = [...list].reverse();
  if (shown.length === 0)
    return (
      <>
        <p>{words.noActivity}</p>
        <p class="soft">{words.activityNote}</p>
      </>
    );
  return (
    <>
      <ul class="cards">
        {shown.map((entry) => (
          <li key={entry.hash}>
            {button(
              <>
                <span class="grow">
                  <span class="name">{describe(entry, panel)}</span>
                  <small>
                    {formatDate(entry.createdAt, words)}
                    {entry.to !== null && (
                      <>
                        {' '}
                        · <code dir="ltr">{shortAddress(entry.to, network.chainId)}</code>
                      </>
                    )}
                  </small>
                </span>
                {stateChip(entry, words)}
              </>,
              () => panel.go({ view: 'transaction', hash: entry.hash }),
              { class: 'row' },
            )}
          </li>
        ))}
      </ul>
      {shown.length >= limit && (
        <div class="actions">{button(words.showOlder, () => setLimit(limit + pageSize))}</div>
      )}
      <p class="soft">{words.activityNote}</p>
      <DownloadButton
        label={words.exportActivity}
        words={words}
        name="activity.csv"
        type="text/csv"
        make={() => wallet.exportTransactions('csv')}
      />
    </>
  );
}

/** Describes a transaction in a few words. */
export function describe({ from, to, value, data }: RecordedTransaction, { words, network }: Panel): string {
  if (to === null) return words.deployed;
  if (data !== '0x')
    return (
      { [tokenSelectors.transfer]: words.sentTokens, [tokenSelectors.approve]: words.allowedSpending }[
        data.slice(0, 10)
      ] ?? words.usedContract
    );
  if (to === from && BigInt(value) === 0n) return words.sentNothing;
  return fill(words.sentAmount, { amount: formatCoins(value, network.currency, words) });
}

/** Whether it may still happen: it is on its way, and no other one with its nonce has a higher price. */
export const isWaiting = ({ state, supersededBy }: RecordedTransaction): boolean =>
  supersededBy === undefined && (state === 'signed' || state === 'sent');

/** The outcome of a transaction as a word and a colour. */
export function stateChip(entry: RecordedTransaction, words: Words): Content {
  const { state, supersededBy } = entry;
  const isBad = state === 'reverted' || state === 'refused';
  const colour = isWaiting(entry) ? 'open' : state === 'mined' ? 'good' : isBad ? 'bad' : 'none';
  if (entry.proven && state === 'mined') return chip(words.proven, colour);
  return chip(words.states[supersededBy === undefined ? state : 'replaced'], colour);
}
