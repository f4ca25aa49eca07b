import { own } from '../../../rpc/own.js';
import { readable } from '../../../rpc/text.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { formatDate } from '../../pieces/amounts.js';
import { identicon } from '../../pieces/identicon.js';
import { readSite, siteName } from '../../pieces/site.js';
import type { PanelProperties } from '../context.js';
import { GuardedButton } from '../guarded.js';

/** The sites that may see accounts. */
export function Sites({ panel }: PanelProperties): Content {
  const { words, wallet } = panel;
  const { permissions, accounts, chains } = wallet.state();
  const origins = Object.keys(permissions).filter((origin) => permissions[origin]?.accounts.length);
  if (origins.length === 0) return <p class="soft">{words.noSites}</p>;
  return (
    <>
      <p class="soft">{words.sitesNote}</p>
      <ul class="cards">
        {origins.map((origin) => {
          const permission = permissions[origin];
          const { before, registrable, after } = readSite(origin);
          const shared = accounts.filter(({ address }) => permission?.accounts.includes(address));
          const network = wallet.networks().find(({ chainId }) => chainId === own(chains)[origin]);
          const date = permission?.date ? formatDate(permission.date, words) : '';
          return (
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
              <GuardedButton
                label={words.disconnect}
                act={() => wallet.disconnect(origin)}
                class="small"
                aria-label={fill(words.disconnectSite, { site: siteName(origin) })}
              />
            </li>
          );
        })}
      </ul>
    </>
  );
}
