import type { PegOut } from '../../../bitcoin/peg-out.js';
import { batchInterval, bridge, hasBridge } from '../../../rpc/known-contracts.js';
import { own } from '../../../rpc/own.js';
import type { Address } from '../../../rpc/schema.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { formatCoins, formatCount, formatDate } from '../../pieces/amounts.js';
import { bitcoinOf, formatBlocks, wholeBitcoinAddress } from '../../pieces/bitcoin.js';
import { button } from '../../pieces/fields.js';
import { chip, errorLine, statusLine } from '../../pieces/lines.js';
import { rows } from '../../pieces/lists.js';
import { QrCode } from '../../receive/qr-code.js';
import type { PanelProperties } from '../context.js';
import { CopyButton } from '../copy.js';
import { useLoaded, useTransactions } from '../hooks.js';
import { unlocked } from './unlock.js';

type Properties = PanelProperties & { readonly address: Address };

/** The Bitcoin side of an account: its address there, its peg-outs, and its key for Bitcoin wallets. */
export function Bitcoin({ panel, address }: Properties): Content {
  const { words, wallet, network, vault, version, accounts } = panel;
  const { chainId } = network;
  const found = useLoaded(() => wallet.bitcoinAddress(address), [address, vault, version]);
  if (!hasBridge(chainId)) return <p class="soft">{words.bitcoinNone}</p>;
  const account = accounts.find((each) => each.address === address);
  return (
    <>
      <p class="soft">{fill(words.bitcoinLead, { symbol: network.currency.symbol })}</p>
      {found.value ? (
        <>
          <QrCode text={found.value} label={words.qrCode} />
          <div class="party centred">
            <div>
              {account && <bdi class="name">{account.label}</bdi>}
              {wholeBitcoinAddress(found.value)}
            </div>
          </div>
          <div class="actions wrap">
            <CopyButton text={found.value} label={words.copyAddress} words={words} plain />
            {button(words.pegOut, () => panel.go({ view: 'peg-out', address }), { class: 'confirm' })}
          </div>
        </>
      ) : found.failed ? (
        unlocked(panel, () => errorLine(words.failed))
      ) : (
        statusLine(words.loading)
      )}
      <h3>{words.pegOuts}</h3>
      <PegOuts panel={panel} address={address} />
      <h3>{words.wif}</h3>
      <div class="actions">
        {button(words.showWif, () => panel.go({ view: 'export', address, kind: 'wif' }))}
      </div>
    </>
  );
}

/** Milliseconds after which the bridge is read again. Its stages take minutes to hours, and each reading several requests. */
const readInterval = 300_000;

function PegOuts({ panel, address }: Properties): Content {
  const { words, wallet, network } = panel;
  const { chainId } = network;
  const sent = useTransactions(panel, { chainId }).value?.filter(
    ({ from, to }) => from === address && to === bridge,
  );
  const changes = sent?.map(({ hash, state }) => hash + state).join();
  const { value: pegOuts, failed } = useLoaded(
    async () => (changes === undefined ? undefined : wallet.pegOuts(address)),
    [address, changes, Math.floor(Date.now() / readInterval)],
  );
  if (!pegOuts) return failed ? errorLine(words.pegOutsFailed) : statusLine(words.loading);
  if (pegOuts.length === 0) return <p class="soft">{words.noPegOuts}</p>;
  return (
    <>
      {errorLine(failed && words.pegOutsFailed)}
      <ul class="cards">
        {[...pegOuts].reverse().map((pegOut) => (
          <PegOutRow panel={panel} pegOut={pegOut} key={pegOut.hash} />
        ))}
      </ul>
    </>
  );
}

const colours: { readonly [Stage in PegOut['stage']]?: 'good' | 'bad' | 'none' } = {
  paid: 'good',
  refused: 'bad',
  unknown: 'none',
};

function PegOutRow({ panel, pegOut }: PanelProperties & { pegOut: PegOut }): Content {
  const { words, network } = panel;
  const { stage, refusal, amount, received, txid, createdAt, confirmedFrom = 0, blocksLeft } = own(pegOut);
  const coins = (satoshis: bigint) => formatCoins(satoshis, bitcoinOf(network.chainId), words);
  const colour = own(colours)[stage] ?? 'open';
  const note = fill(words.pegOutNotes[stage === 'refused' ? (refusal ?? 'too-little') : stage], {
    block: formatCount(confirmedFrom, words),
    time: formatBlocks(blocksLeft ?? batchInterval(network.chainId), words),
  });
  return (
    <li class="item">
      <div class="line">
        <span class="grow">
          <bdi class="name">{coins(amount)}</bdi>
          <small>{formatDate(createdAt, words)}</small>
        </span>
        {chip(words.pegOutStages[stage], colour)}
      </div>
      <p class="soft">{note}</p>
      {txid !== undefined && (
        <div class="line">
          <code class="grow" dir="ltr">
            {txid}
          </code>
          <CopyButton text={txid} label={`${words.copy}: ${coins(amount)}`} words={words} />
        </div>
      )}
      {received !== undefined && rows([words.pegOutReceived, <bdi>{coins(received)}</bdi>])}
    </li>
  );
}
