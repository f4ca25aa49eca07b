import { useState } from 'preact/hooks';
import { checksumAddress } from '../../../rpc/address.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { about } from '../../pieces/about.js';
import { ownAccount, shortAddress } from '../../pieces/address.js';
import { baseUnits, formatBalance } from '../../pieces/amounts.js';
import { button, link } from '../../pieces/fields.js';
import { icon } from '../../pieces/icons.js';
import { chip, errorLine } from '../../pieces/lines.js';
import type { PanelProperties } from '../context.js';
import { CopyButton } from '../copy.js';
import { isWaiting } from '../entry.js';
import { GuardedButton } from '../guarded.js';
import { useBalance, usePrice, useTokens, useTransactions } from '../hooks.js';
import type { PanelToken } from '../wallet.js';

/** The selected account: its balance, its tokens, and what can be done with it. */
export function Home({ panel }: PanelProperties): Content {
  const { wallet, words, account, network, vault } = panel;
  const balance = useBalance(panel);
  const price = usePrice(panel);
  const tokens = useTokens(panel);
  const transactions = useTransactions(panel, { chainId: network.chainId });
  const [isLocking, setLocking] = useState(false);
  if (!account) return <p class="soft">{words.none}</p>;
  const { chainId } = network;
  const { decimals, symbol } = network.currency;
  const waiting = transactions.value?.filter(isWaiting) ?? [];
  const lock = () => {
    setLocking(true);
    const done = () => setLocking(false);
    // Where it rejects, this page is locked all the same.
    wallet.lock().then(done, done);
  };
  /** The watched tokens, and those of the listed tokens that the account holds. */
  const shownTokens = tokens.value?.filter(({ watched, balance }) => watched || (balance ?? 0n) > 0n);
  return (
    <>
      {wallet.state().backup === 'needed' && (
        <div class="banner" role="note">
          <div>
            <strong>{words.backupNeeded}</strong>
            <p>{words.backupNeededLead}</p>
          </div>
          {button(words.backUpNow, () => panel.go({ view: 'backup' }))}
        </div>
      )}
      <div class="line">
        {button(
          <>
            <span class="unseen">{words.switchAccount}: </span>
            {ownAccount(account, chainId)}
          </>,
          () => panel.restart('accounts'),
          { class: 'plain' },
        )}
        <CopyButton
          text={checksumAddress(account.address, chainId)}
          words={words}
          label={words.copyAddress}
        />
        {vault === 'unlocked'
          ? button(icon('icon', 'M5 9h10v7.5H5z', 'M7 9V6.5a3 3 0 0 1 6 0V9'), lock, {
              class: 'icon-button',
              'aria-label': words.lock,
              'aria-disabled': isLocking ? 'true' : undefined,
            })
          : button(words.unlockPanel, () => panel.go({ view: 'unlock' }), { class: 'small' })}
      </div>
      {account.watchOnly && <p>{chip(words.watchOnly, 'none')}</p>}
      <p class="hero" role="status">
        {typeof balance.value === 'bigint' ? (
          <>
            <bdi>{formatBalance(balance.value, decimals, words)}</bdi> <bdi class="unit">{symbol}</bdi>
          </>
        ) : (
          <bdi class="soft">{balance.failed ? words.unknownBalance : '…'}</bdi>
        )}
      </p>
      {price.value && balance.value ? about(balance.value, decimals, price.value, words) : null}
      {balance.failed && errorLine(words.unreachable)}
      <div class="actions">
        {button(words.send, () => panel.go({ view: 'send' }), { class: 'confirm' })}
        {button(words.receive, () => panel.go({ view: 'receive' }))}
      </div>
      {waiting.length > 0 && !account.watchOnly && (
        <p class="links">
          {link(fill(words.waitingCount, { count: waiting.length }), () => panel.restart('activity'))}
        </p>
      )}
      <h3>{words.tokenList}</h3>
      {shownTokens?.length ? (
        <ul class="cards">
          {shownTokens.map((token) => (
            <TokenRow panel={panel} token={token} key={token.address + token.tokenId} />
          ))}
        </ul>
      ) : (
        <p class="soft">{tokens.value ? words.noTokens : words.loading}</p>
      )}
    </>
  );
}

function TokenRow({ panel, token }: PanelProperties & { token: PanelToken }): Content {
  const { words, wallet } = panel;
  const { symbol, decimals, balance, imitates, tokenId, type, listed } = token;
  /** The balance in base units, where the decimals are what a page has named. */
  const exact = type === undefined && baseUnits(balance ?? 0n, { decimals, known: listed }, words);
  return (
    <li class="line">
      <span class="grow">
        <bdi class="name">
          {symbol}
          {tokenId !== undefined && ` #${tokenId}`}
        </bdi>
        <code dir="ltr">{shortAddress(token.address, panel.network.chainId)}</code>
        {imitates !== undefined && <small class="bad">{fill(words.imitates, { symbol: imitates })}</small>}
      </span>
      <span>
        <bdi>{balance === null ? words.unknownBalance : formatBalance(balance, decimals, words)}</bdi>
        {exact && <small>{exact}</small>}
      </span>
      {token.watched && !listed && (
        <GuardedButton
          label={icon('icon', 'M5 5 15 15M15 5 5 15')}
          act={() => wallet.unwatchToken(token.address, tokenId)}
          class="icon-button"
          aria-label={fill(words.removeToken, { symbol })}
        />
      )}
    </li>
  );
}
