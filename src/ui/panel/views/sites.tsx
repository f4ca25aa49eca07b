import { useState } from 'preact/hooks';
import type { GrantedPermission } from '../../../permissions/granted.js';
import type { HeldPurse } from '../../../purse/purse.js';
import { own } from '../../../rpc/own.js';
import { readable } from '../../../rpc/text.js';
import { type Content, Fragment, fill, h, sentence, textOf } from '../../h.js';
import { shortAddress } from '../../pieces/address.js';
import { formatAmount, formatCoins, formatDate } from '../../pieces/amounts.js';
import { amountLine } from '../../pieces/hero.js';
import { identicon } from '../../pieces/identicon.js';
import { errorLine } from '../../pieces/lines.js';
import { formatRate, permittedAmount, permittedUse } from '../../pieces/permissions.js';
import { readSite, siteName } from '../../pieces/site.js';
import type { Panel, PanelProperties } from '../context.js';
import { GuardedButton } from '../guarded.js';
import { listedAccounts, usePermissions, usePurses, useTask } from '../hooks.js';

/** The sites that may see accounts, and what each may do without a question. */
export function Sites({ panel }: PanelProperties): Content {
  const { words, wallet } = panel;
  const state = wallet.state();
  const { permissions, chains } = state;
  const accounts = listedAccounts(state);
  const task = useTask(words);
  const [ended, setEnded] = useState(0);
  const { value: granted = [], failed } = usePermissions(panel, ended);
  const { value: held = [] } = usePurses(panel, ended);
  // One that was taken back may get something later: until then it is not the person's concern.
  const purses = held.filter(
    ({ balance, tokens, endedAt }) =>
      !endedAt || tokens.length > 0 || balance === null || BigInt(balance) > dust,
  );
  const connected = Object.keys(permissions).filter((origin) => permissions[origin]?.accounts.length);
  const origins = [...new Set([...connected, ...[...granted, ...purses].map(({ origin }) => origin)])];
  const end = ({ context }: GrantedPermission) =>
    task.run(async () => {
      await wallet.endPermission(context);
      setEnded((count) => count + 1);
    });
  const takeBack = ({ address }: HeldPurse) =>
    task.run(async () => {
      await wallet.takeBack(address);
      setEnded((count) => count + 1);
    });
  return (
    <>
      <p class="soft">{origins.length === 0 ? words.noSites : words.sitesNote}</p>
      {errorLine(task.error ?? (failed ? words.permissionsFailed : null))}
      <ul class="cards">
        {origins.map((origin) => {
          const permission = own(permissions)[origin];
          const { before, registrable, after } = readSite(origin);
          const shared = accounts.filter(({ address }) => permission?.accounts.includes(address));
          const network = wallet.networks().find(({ chainId }) => chainId === own(chains)[origin]);
          const date = permission?.date ? formatDate(permission.date, words) : '';
          return [
            <li class="line wraps" key={origin}>
              <span class="grow">
                <span class="name" dir="ltr">
                  {before}
                  <b>{registrable}</b>
                  {after}
                </span>
                {shared.map(({ address, label }) => (
                  <small class="mini" key={address}>
                    {identicon(address)}
                    <bdi>{label}</bdi>
                  </small>
                ))}
                {network && <small>{readable(network.name)}</small>}
                {date !== '' && <small>{fill(words.since, { date })}</small>}
              </span>
              {connected.includes(origin) && (
                <GuardedButton
                  label={words.disconnect}
                  act={() => wallet.disconnect(origin)}
                  class="small"
                  aria-label={fill(words.disconnectSite, { site: siteName(origin) })}
                />
              )}
            </li>,
            granted
              .filter((each) => each.origin === origin)
              .map((each) => (
                <Permission
                  key={each.context}
                  {...{ panel, isBusy: task.isRunning }}
                  permission={each}
                  end={() => end(each)}
                />
              )),
            purses
              .filter((each) => each.origin === origin)
              .map((each) => (
                <Purse
                  key={each.address}
                  {...{ panel, isBusy: task.isRunning }}
                  purse={each}
                  takeBack={() => takeBack(each)}
                />
              )),
          ];
        })}
      </ul>
    </>
  );
}

/** A line with the account that pays, and its network. */
function Payer({ panel, account, chainId }: PayerProperties): Content {
  const { wallet } = panel;
  const network = wallet.networks().find((each) => each.chainId === chainId);
  const label = wallet.state().accounts.find(({ address }) => address === account)?.label;
  return (
    <small>
      <bdi>{label ?? shortAddress(account, chainId)}</bdi>
      {network && [' · ', <bdi>{readable(network.name)}</bdi>]}
    </small>
  );
}

type PayerProperties = Pick<HeldPurse, 'account' | 'chainId'> & { readonly panel: Panel };

/** wei: about the fee of a payment, for which coins are not sent. */
const dust = 10n ** 13n;

/** A purse with what it holds, and the button that takes it back. */
function Purse({ panel, purse, isBusy, takeBack }: PurseProperties): Content {
  const { words, wallet } = panel;
  const { origin, account, chainId, balance, tokens, endedAt } = purse;
  const network = wallet.networks().find((each) => each.chainId === chainId);
  const coins = balance !== null && network ? [formatCoins(balance, network.currency, words)] : [];
  const held = tokens.map(({ symbol, decimals, balance: units }) =>
    amountLine({ text: formatAmount(BigInt(units), decimals, words), unit: symbol }),
  );
  // Without its network nothing of it can be read.
  const amount = readable([...coins, ...held].join(' + ') || '?');
  return (
    <li class="line wraps">
      <span class="grow">
        <span class="name">{fill(words.purseHolds, { amount })}</span>
        {endedAt !== undefined && <small>{words.purseEnded}</small>}
        <Payer {...{ panel, account, chainId }} />
      </span>
      <GuardedButton
        label={words.takeBack}
        act={takeBack}
        isBusy={isBusy}
        class="small"
        aria-label={fill(words.takeBackFrom, { site: siteName(origin), amount })}
      />
    </li>
  );
}

interface PurseProperties {
  readonly panel: Panel;
  readonly purse: HeldPurse;
  readonly isBusy: boolean;
  readonly takeBack: () => void;
}

/** A permission with what is left of it, and the button that ends it. */
function Permission({ panel, permission, isBusy, end }: Properties): Content {
  const { words, wallet } = panel;
  const { origin, account, chainId, amount, period, payees, contracts, feesLeft } = permission;
  const network = wallet.networks().find((each) => each.chainId === chainId);
  const line = (units: GrantedPermission['amount']) =>
    readable(amountLine(permittedAmount(permission, units, network?.currency, words)));
  const addresses = (contracts?.map(({ address }) => address) ?? payees)?.map((each) =>
    shortAddress(each, chainId),
  );
  const rate = formatRate(line(amount), period, words);
  const use = sentence(words.permitted[permittedUse(permission)], {
    to: addresses?.join(', ') ?? words.anyone,
  });
  const left = fill(period === undefined ? words.leftInAll : words.left, {
    left: line(permission.left),
    total: line(permission.leftInAll),
  });
  return (
    <li class="line wraps">
      <span class="grow">
        <span class="name">{rate}</span>
        <small>{use}</small>
        <small>{left}</small>
        {feesLeft !== undefined && network && (
          <small>{fill(words.feesLeft, { amount: formatCoins(feesLeft, network.currency, words) })}</small>
        )}
        <small>{fill(words.until, { date: formatDate(permission.end * 1000, words) })}</small>
        <Payer {...{ panel, account, chainId }} />
      </span>
      <GuardedButton
        label={words.end}
        act={end}
        isBusy={isBusy}
        class="small"
        aria-label={fill(words.endPermission, {
          site: siteName(origin),
          what: [rate, use].map(textOf).join(', '),
        })}
      />
    </li>
  );
}

interface Properties {
  readonly panel: Panel;
  readonly permission: GrantedPermission;
  readonly isBusy: boolean;
  readonly end: () => void;
}
