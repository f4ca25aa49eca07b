import { useState } from 'preact/hooks';
import { checksumAddress } from '../../../rpc/address.js';
import { type Content, fill, h } from '../../h.js';
import { ownAccount, shortAddress } from '../../pieces/address.js';
import { baseUnits, formatBalance } from '../../pieces/amounts.js';
import { button } from '../../pieces/fields.js';
import { icon } from '../../pieces/icons.js';
import type { Panel, PanelProperties } from '../context.js';
import { CopyButton } from '../copy.js';
import { GuardedButton } from '../guarded.js';
import { useBalance, useTokens, useTransactions } from '../hooks.js';
import type { PanelToken } from '../wallet.js';
import { isWaiting } from './activity.js';

/** The selected account: its balance, its tokens, and what can be done with it. */
export function Home({ panel }: PanelProperties): Content {
  const { wallet, words, account, network, vault } = panel;
  const balance = useBalance(panel);
  const tokens = useTokens(panel);
  const transactions = useTransactions(panel);
  const [isUnlocking, setUnlocking] = useState(false);
  if (!account) return h('p', { class: 'soft' }, words.none);
  const waiting = transactions.value?.filter(
    (entry) => entry.chainId === network.chainId && isWaiting(entry),
  );
  const { decimals, symbol } = network.currency;
  const lock = () => {
    setUnlocking(true);
    const done = () => setUnlocking(false);
    // Where it rejects, this page is locked all the same.
    wallet.lock().then(done, done);
  };
  /** The watched tokens, and those of the listed tokens that the account holds. */
  const shownTokens = tokens.value?.filter(({ watched, balance }) => watched || (balance ?? 0n) > 0n);
  return [
    wallet.state().backup === 'needed' &&
      h(
        'div',
        { class: 'banner', role: 'note' },
        h('div', {}, h('strong', {}, words.backupNeeded), h('p', {}, words.backupNeededLead)),
        button(words.backUpNow, () => panel.go({ view: 'backup' })),
      ),
    h(
      'div',
      { class: 'line' },
      button(
        [h('span', { class: 'unseen' }, words.switchAccount, ': '), ownAccount(account, network.chainId)],
        () => panel.restart('accounts'),
        { class: 'plain' },
      ),
      h(CopyButton, { text: addressOf(panel), words, label: words.copyAddress }),
      vault === 'unlocked'
        ? button(lockIcon(), lock, {
            class: 'icon-button',
            'aria-label': words.lock,
            'aria-disabled': isUnlocking ? 'true' : undefined,
          })
        : button(words.unlockPanel, () => panel.go({ view: 'unlock' }), { class: 'small' }),
    ),
    h(
      'p',
      { class: 'hero', role: 'status' },
      balance.value === undefined || balance.value === null
        ? h('bdi', { class: 'soft' }, balance.failed ? words.unknownBalance : '…')
        : [
            h('bdi', {}, formatBalance(balance.value, decimals, words)),
            ' ',
            h('bdi', { class: 'unit' }, symbol),
          ],
    ),
    balance.failed && h('p', { class: 'error', role: 'alert' }, words.unreachable),
    h(
      'div',
      { class: 'actions' },
      button(words.send, () => panel.go({ view: 'send' }), { class: 'confirm' }),
      button(words.receive, () => panel.go({ view: 'receive' })),
    ),
    waiting !== undefined &&
      waiting.length > 0 &&
      h(
        'p',
        { class: 'links' },
        button(fill(words.waitingCount, { count: waiting.length }), () => panel.restart('activity'), {
          class: 'link',
        }),
      ),
    h('h3', {}, words.tokenList),
    shownTokens?.length
      ? h(
          'ul',
          { class: 'cards' },
          shownTokens.map((token) => h(TokenRow, { panel, token, key: token.address + token.tokenId })),
        )
      : h('p', { class: 'soft' }, tokens.value ? words.noTokens : words.loading),
  ];
}

function TokenRow({ panel, token }: PanelProperties & { token: PanelToken }): Content {
  const { words, wallet } = panel;
  const { symbol, decimals, balance, imitates, tokenId } = token;
  return h(
    'li',
    { class: 'line' },
    h(
      'span',
      { class: 'grow' },
      h('bdi', { class: 'name' }, symbol, tokenId !== undefined && ` #${tokenId}`),
      h('code', { dir: 'ltr' }, shortAddress(token.address, panel.network.chainId)),
      imitates !== undefined && h('small', { class: 'bad' }, fill(words.imitates, { symbol: imitates })),
    ),
    h(
      'span',
      {},
      h('bdi', {}, balance === null ? words.unknownBalance : formatBalance(balance, decimals, words)),
      balance !== null && exactBalance(token, balance, words),
    ),
    token.watched &&
      !token.listed &&
      h(GuardedButton, {
        label: icon('icon', 'M5 5 15 15M15 5 5 15'),
        act: () => wallet.unwatchToken(token.address, tokenId),
        class: 'icon-button',
        'aria-label': fill(words.removeToken, { symbol }),
      }),
  );
}

/** The balance in base units, where the decimals are what a page has named. */
function exactBalance(
  { decimals, listed, type }: PanelToken,
  balance: bigint,
  words: Panel['words'],
): Content {
  const exact = type === undefined ? baseUnits(balance, { decimals, known: listed }, words) : null;
  return exact && h('small', {}, exact);
}

const lockIcon = () => icon('icon', 'M5 9h10v7.5H5z', 'M7 9V6.5a3 3 0 0 1 6 0V9');

const addressOf = ({ account, network }: Panel): string =>
  account ? checksumAddress(account.address, network.chainId) : '';
