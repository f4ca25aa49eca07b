import { checksumAddress } from '../../../rpc/address.js';
import type { Address, Hash } from '../../../rpc/schema.js';
import { readable } from '../../../rpc/text.js';
import type { RecordedTransaction } from '../../../transactions/transactions.js';
import { type Content, Fragment, h } from '../../h.js';
import { ownAccount, party, shorten } from '../../pieces/address.js';
import { formatCoins, formatDate, formatGasPrice } from '../../pieces/amounts.js';
import { button, link } from '../../pieces/fields.js';
import { errorLine, siteLink, statusLine } from '../../pieces/lines.js';
import { blocks, rows } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import type { PanelWords } from '../../words/words.js';
import type { PanelProperties } from '../context.js';
import { CopyButton } from '../copy.js';
import { effectRows, hasEffects, spendersIn, tokensIn, useTeller } from '../effects.js';
import { describe, isWaiting, recipientIn, stateChip } from '../entry.js';
import { GuardedButton } from '../guarded.js';
import { listedAccounts, useContacts, useTask, useTransactions } from '../hooks.js';

/** One transaction: what became of it, and what can still be done about it. */
export function TransactionDetails({ panel, hash }: PanelProperties & { hash: Hash }): Content {
  const { wallet, words, network, accounts } = panel;
  const { value: contacts } = useContacts(panel);
  const { value: list } = useTransactions(panel, { hash });
  const task = useTask(words);
  const entry = list?.find((each) => each.hash === hash);
  const teller = useTeller(panel, entry ? tokensIn([entry]) : []);
  if (!entry) return statusLine(list ? words.none : words.loading);
  const coins = (wei: string) => <bdi>{formatCoins(wei, network.currency, words)}</bdi>;
  const sender = accounts.find(({ address }) => address === entry.from);
  const nameOf = (address: Address) =>
    accounts.find((each) => each.address === address)?.label ??
    contacts?.find((each) => each.address === address)?.name;
  const named = (address: Address) => party(address, entry.chainId, nameOf(address));
  const payee = recipientIn(entry);
  /** The contract that moves the tokens of a transfer. */
  const token = payee === null || payee === entry.to ? null : entry.to;
  const isPaid = entry.state === 'mined' || isWaiting(entry);
  const isOwn = listedAccounts(wallet.state()).some(({ address }) => address === payee);
  const isNew = payee !== null && isPaid && !isOwn && contacts !== undefined && nameOf(payee) === undefined;
  const explorer = wallet.explorerUrl({ hash });
  const show = (other: Hash) => {
    panel.restart('activity');
    panel.go({ view: 'transaction', hash: other });
  };
  /** The one that was sent in its place. */
  const other = list?.find((each) => each.hash === (entry.supersededBy ?? entry.replacedBy));
  const explanation = noteOf(entry, words);
  const act = (label: string, run: () => Promise<void>, refused: string) => (
    <GuardedButton
      label={label}
      act={() => task.run(run, { 4001: '', [-32602]: refused, [-32003]: refused })}
      isBusy={task.isRunning}
      key={label}
    />
  );
  return (
    <>
      <p class="line">
        <strong class="grow">{describe(entry, panel, teller)}</strong>
        {stateChip(entry, words)}
      </p>
      {entry.reason !== undefined && <p class="note">{readable(entry.reason)}</p>}
      {explanation && <p class="note">{explanation}</p>}
      <div class="actions wrap">
        {other && button(words.showOther, () => show(other.hash))}
        {entry.state === 'sent' &&
          !sender?.watchOnly &&
          isWaiting(entry) && [
            act(words.speedUp, () => wallet.speedUp(hash).then(show), words.replaceRefused),
            act(words.cancelTransaction, () => wallet.cancel(hash).then(show), words.replaceRefused),
          ]}
        {entry.hold === 'old' &&
          isWaiting(entry) && [
            act(words.resend, () => wallet.resend(hash), words.resendRefused),
            act(words.abandon, () => wallet.abandon(hash), words.resendRefused),
          ]}
      </div>
      {errorLine(task.error)}
      {blocks(
        [words.from, sender ? ownAccount(sender, entry.chainId) : party(entry.from, entry.chainId)],
        entry.created === undefined
          ? [words.to, entry.to === null ? words.newContract : named(payee ?? entry.to)]
          : [
              words.newContract,
              <div class="line">
                <div class="grow">{named(entry.created)}</div>
                <CopyButton
                  text={checksumAddress(entry.created, entry.chainId)}
                  label={words.copyAddress}
                  words={words}
                />
              </div>,
            ],
        token !== null && [
          words.token,
          party(token, entry.chainId, teller.isNamed(token) && teller.token(token)),
        ],
        ...spendersIn(entry).map((spender) => [words.spender, named(spender)] as const),
      )}
      {isNew && (
        <p class="links">
          {link(words.saveAsContact, () => panel.go({ view: 'new-contact', address: payee }))}
        </p>
      )}
      {rows(
        ...effectRows(entry, teller),
        BigInt(entry.value) > 0n && !hasEffects(entry) && [words.amount, coins(entry.value)],
        entry.fee !== undefined && [words.feePaid, coins(entry.fee)],
        [words.when, formatDate(entry.createdAt, words)],
        [words.askedBy, siteName(entry.origin)],
        [words.gasPrice, <bdi>{formatGasPrice(entry.gasPrice, words)}</bdi>],
        [words.nonce, BigInt(entry.nonce).toString()],
        entry.blockNumber !== undefined && [words.block, BigInt(entry.blockNumber).toString()],
        [
          words.hash,
          <code dir="ltr" title={hash}>
            {shorten(hash)}
          </code>,
        ],
      )}
      <div class="actions wrap">
        <CopyButton text={hash} label={words.copy} words={words} plain />
        {explorer !== undefined && siteLink(words.explorer, explorer)}
      </div>
    </>
  );
}

function noteOf(
  { hold, state, supersededBy, proven }: RecordedTransaction,
  words: PanelWords,
): string | null {
  if (proven) return words.provenTransaction;
  if (supersededBy !== undefined || state === 'replaced') return words.replacedNote;
  if (hold) return words.holds[hold];
  return state === 'sent' ? words.waitingNote : null;
}
