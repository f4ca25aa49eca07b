import type { ListedPayment } from '../../../received/received.js';
import type { Address } from '../../../rpc/schema.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { ownAccount, party, shorten } from '../../pieces/address.js';
import { formatDate } from '../../pieces/amounts.js';
import { note, siteLink, statusLine } from '../../pieces/lines.js';
import { blocks, rows } from '../../pieces/lists.js';
import type { PanelProperties } from '../context.js';
import { CopyButton } from '../copy.js';
import { useTeller } from '../effects.js';
import { isArriving, paidAmount, paymentChip, paymentKey, tellPayment } from '../payments.js';
import { useReceived } from '../reading.js';

type Properties = PanelProperties & { readonly payment: ListedPayment; readonly chainId: number };

/** A payment that came in on the active network. */
export function ReceivedDetails({ panel, payment: shown, chainId }: Properties): Content {
  const { wallet, words, network, accounts } = panel;
  const { value } = useReceived(panel);
  // As the last reading has it: meanwhile it may have more confirmations, or a doubt.
  const payment = value?.payments.find((each) => paymentKey(each) === paymentKey(shown)) ?? shown;
  const { from, token, transaction: hash, doubt } = payment;
  const teller = useTeller(panel, [token]);
  const named = (address: Address) => {
    const account = accounts.find((each) => each.address === address);
    return account ? ownAccount(account, chainId) : party(address, chainId);
  };
  if (chainId !== network.chainId) return statusLine(words.none);
  const id = payment.tokenId === undefined ? '' : ` #${BigInt(payment.tokenId)}`;
  const link = wallet.explorerUrl({ hash });
  return (
    <>
      <p class="line">
        <strong class="grow">{tellPayment(payment, teller)}</strong>
        {paymentChip(payment, words)}
      </p>
      {doubt === undefined
        ? isArriving(payment) && note(fill(words.arrivingNote, { count: payment.confirmations }))
        : note(`${words.doubts[doubt]} ${words.doubtfulLead}`)}
      {blocks(
        [words.from, named(from)],
        [words.to, named(payment.account)],
        token !== null && [words.token, party(token, chainId, teller.isNamed(token) && teller.token(token))],
      )}
      {rows(
        teller.isNamed(token) && [
          words.amount,
          <bdi>
            {paidAmount(payment, teller)}
            {id}
          </bdi>,
        ],
        [words.when, fill(words.about, { date: formatDate(payment.at, words) })],
        [words.block, BigInt(payment.blockNumber).toString()],
        [
          words.hash,
          <code dir="ltr" title={hash}>
            {shorten(hash)}
          </code>,
        ],
      )}
      {doubt === undefined && (
        <div class="actions wrap">
          <CopyButton text={hash} label={words.copy} words={words} plain />
          {link !== undefined && siteLink(words.explorer, link)}
        </div>
      )}
    </>
  );
}
