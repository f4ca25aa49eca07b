import { createRef } from 'preact';
import { h, sentence } from '../../h.js';
import { wholeAddress } from '../../pieces/address.js';
import { identicon } from '../../pieces/identicon.js';
import { siteName } from '../../pieces/site.js';
import type { ViewOf } from './view.js';

export const connect: ViewOf<'connect'> = ({ accounts, selected, origin, network }, words) => {
  const choices = accounts.map(({ address, label }) => {
    const tick = createRef<HTMLInputElement>();
    const row = h(
      'label',
      { class: 'choice' },
      identicon(address),
      h('span', {}, h('bdi', { class: 'name' }, label), wholeAddress(address, network.chainId)),
      h('input', { type: 'checkbox', defaultChecked: selected.includes(address), ref: tick }),
    );
    return { address, tick, row };
  });
  return {
    title: words.connectTitle,
    lead: sentence(words.connectLead, { site: siteName(origin) }),
    subject: [
      h(
        'div',
        { class: 'choices', role: 'group', 'aria-label': words.connectAccounts },
        choices.map(({ row }) => row),
      ),
    ],
    confirm: words.connect,
    answer() {
      const shared = choices.filter(({ tick }) => tick.current?.checked).map(({ address }) => address);
      return shared.length === 0 ? null : { approved: true, accounts: shared };
    },
  };
};
