import { useState } from 'preact/hooks';
import { own } from '../../../rpc/own.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { shortAddress } from '../../pieces/address.js';
import { button } from '../../pieces/fields.js';
import { icon } from '../../pieces/icons.js';
import { identicon } from '../../pieces/identicon.js';
import { chip, errorLine, statusLine } from '../../pieces/lines.js';
import { disclosure } from '../../pieces/text.js';
import type { PanelProperties } from '../context.js';
import { useTask } from '../hooks.js';
import type { PanelAccount } from '../wallet.js';
import { unlocked } from './unlock.js';

/** The accounts: which one is shown, new ones, those that were hidden, and those that the person only looks at. */
export function Accounts({ panel }: PanelProperties): Content {
  const { words, wallet, accounts, vault } = panel;
  const hidden = wallet
    .state()
    .accounts.map(own)
    .filter((account) => account.hidden);
  return (
    <>
      <ul class="cards">
        {accounts.map((account) => (
          <AccountRow panel={panel} account={account} key={account.address} />
        ))}
      </ul>
      {hidden.length > 0 &&
        disclosure(
          words.hiddenAccounts,
          <ul class="cards">
            {hidden.map((account) => (
              <HiddenRow panel={panel} account={account} key={account.address} />
            ))}
          </ul>,
        )}
      <h3>{words.addAccount}</h3>
      {vault === 'unlocked' ? <NewAccounts panel={panel} /> : unlocked(panel, () => null)}
    </>
  );
}

function AccountRow({ panel, account }: PanelProperties & { account: PanelAccount }): Content {
  const { words, network } = panel;
  const { address, label, path, watchOnly } = account;
  const isCurrent = panel.account?.address === address;
  return (
    <li class="line">
      {button(
        <>
          {identicon(address)}
          <span class="grow">
            <bdi class="name">{label}</bdi>
            <code dir="ltr">{shortAddress(address, network.chainId)}</code>
            {watchOnly && chip(words.watchOnly, 'none')}
          </span>
          {path === null && !watchOnly && <span class="chip">{words.imported}</span>}
          {isCurrent && chip(words.current, 'good')}
        </>,
        () => panel.select(address),
        { class: 'row', 'aria-pressed': String(isCurrent) },
      )}
      {button(icon('icon flips', 'M8 4 14 10 8 16'), () => panel.go({ view: 'account', address }), {
        class: 'icon-button',
        'aria-label': fill(words.accountDetails, { label }),
      })}
    </li>
  );
}

function HiddenRow({ panel, account }: PanelProperties & { account: PanelAccount }): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  return (
    <li class="line">
      {identicon(account.address)}
      <bdi class="name grow">{account.label}</bdi>
      {button(words.show, () => task.run(() => wallet.hide(account.address, false)), { class: 'small' })}
    </li>
  );
}

function NewAccounts({ panel }: PanelProperties): Content {
  const { words, wallet, accounts, account } = panel;
  const task = useTask(words);
  const [progress, report] = useState<string | null>(null);
  /** A phrase to derive from: that of the shown account, else the first one. */
  const derived = [account, ...accounts].find((each) => each && each.path !== null);
  const add = async () => panel.select((await wallet.addAccount(derived?.address)).address);
  const find = async () => {
    const onProgress = (done: number, of: number) => report(fill(words.discoveryProgress, { done, of }));
    const found = await wallet.discover({ onProgress });
    report(fill(words.foundAccounts, { count: found.length }));
  };
  return (
    <>
      <div class="actions wrap">
        {derived && button(words.addAccount, () => task.run(add))}
        {button(words.importAnother, () => panel.go({ view: 'import' }))}
        {derived && button(words.findAccounts, () => task.run(find))}
        {button(words.watchAnother, () => panel.go({ view: 'new-contact', watch: true }))}
      </div>
      {statusLine(progress)}
      {errorLine(task.error)}
    </>
  );
}
