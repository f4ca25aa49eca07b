import { createRef } from 'preact';
import { own } from '../../../rpc/own.js';
import { h, sentence } from '../../h.js';
import { wholeAddress } from '../../pieces/address.js';
import { identicon } from '../../pieces/identicon.js';
import { collapsing, isLong } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import type { ViewOf } from './view.js';

export const connect: ViewOf<'connect'> = ({ accounts, selected, origin, network }, words) => {
  const choices = accounts.map((account) => {
    const { address, label, watchOnly } = own(account);
    const isSelected = selected.includes(address);
    const tick = createRef<HTMLInputElement>();
    const row = (
      <label class="choice">
        {identicon(address)}
        <span>
          <bdi class="name">{label}</bdi>
          {wholeAddress(address, network.chainId)}
          {watchOnly && <small>{words.watchOnly}</small>}
        </span>
        <input type="checkbox" defaultChecked={isSelected} ref={tick} />
      </label>
    );
    return { address, isSelected, tick, row };
  });
  // An account that would be shared is never among those that are collapsed.
  const rank = ({ isSelected }: { readonly isSelected: boolean }) => (isSelected ? 0 : 1);
  const ordered = isLong(choices) ? [...choices].sort((a, b) => rank(a) - rank(b)) : choices;
  return {
    title: words.connectTitle,
    lead: sentence(words.connectLead, { site: siteName(origin) }),
    subject: [
      collapsing(
        ordered,
        words,
        (part) => (
          <div class="choices" role="group" aria-label={words.connectAccounts}>
            {part.map(({ row }) => row)}
          </div>
        ),
        selected.length,
      ),
    ],
    confirm: words.connect,
    answer() {
      const shared = choices.filter(({ tick }) => tick.current?.checked).map(({ address }) => address);
      return shared.length === 0 ? null : { approved: true, accounts: shared };
    },
  };
};
